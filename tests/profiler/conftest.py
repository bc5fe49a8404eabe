"""A small training to profile, in any mode, and the profile of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from minispore import context, dataset, nn
from minispore.profiler import Profiler
from minispore.profiler import profiler as room
from minispore.train import Callback, Model

STEPS, EPOCHS, ROWS = 4, 2, 8


class Net(nn.Cell):
    """Two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.relu, self.out = nn.Dense(6, 5), nn.ReLU(), nn.Dense(5, 3)

    def construct(self, x):
        return self.out(self.relu(self.hidden(x)))


def train(sink: bool = False, epochs: int = EPOCHS, callbacks: Callback | None = None) -> None:
    """Train ``epochs`` epochs of ``STEPS`` steps."""
    rng = np.random.default_rng(0)
    x = rng.random((STEPS * ROWS, 6), np.float32)
    y = rng.integers(0, 3, STEPS * ROWS).astype(np.int32)
    data = dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(ROWS)
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    model.train(epochs, data, callbacks=callbacks, dataset_sink_mode=sink)


@pytest.fixture(autouse=True)
def no_profiler_is_left() -> Iterator[None]:
    yield
    left = room._active
    if left is not None:
        left.stop()
    assert left is None, "the test left a profiler at work"


@pytest.fixture
def profiled(tmp_path: Path) -> Callable[..., Profiler]:
    """``profiled(mode, target, sink)``: a profiler that has seen a training and has stopped."""

    def profiled(
        mode: int = context.GRAPH_MODE, target: str = "Ascend", sink: bool = True, **options
    ) -> Profiler:
        context.set_context(mode=mode, device_target=target)
        profiler = Profiler(output_path=str(tmp_path), **options)
        try:
            train(sink)
        finally:
            profiler.stop()
        return profiler

    return profiled
