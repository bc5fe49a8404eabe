"""A forked child trains as its parent would have, and neither sees what the other computes."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Model, Tensor, nn
from minispore.train import Callback

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")

EPOCHS = 4


class Losses(Callback):
    """Keeps the loss of each step."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def on_train_step_end(self, run_context: Any) -> None:
        loss = run_context.original_args().net_outputs
        self.seen.append(float((loss if isinstance(loss, Tensor) else loss[0]).asnumpy()))


def trained() -> tuple[Model, ds.Dataset]:
    """A model after an epoch, its arrays some megabytes, and its data."""
    ms.set_seed(1)
    rng = np.random.default_rng(0)
    images = rng.standard_normal((64, 3, 32, 32)).astype(np.float32)
    rows = ds.NumpySlicesDataset((images, rng.integers(0, 10, 64).astype(np.int32)), shuffle=True)
    data = rows.map(lambda x: x * np.float32(2), input_columns=["column_0"]).batch(32)
    net = nn.SequentialCell(
        nn.Conv2d(3, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(), nn.Dense(32 * 1024, 10)
    )
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    model.train(1, data, dataset_sink_mode=sinks())
    return model, data


def sinks() -> bool:
    return ms.get_context("device_target") == "Ascend"


def go_on(model: Model, data: ds.Dataset) -> list[float]:
    losses = Losses()
    model.train(EPOCHS, data, callbacks=[losses], dataset_sink_mode=sinks())
    return losses.seen


@pytest.mark.parametrize("target", ["CPU", "Ascend"])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_forked_child_and_its_parent_train_at_once_each_for_itself(
    mode: int, target: str
) -> None:
    ms.set_context(mode=mode, device_target=target)
    single = go_on(*trained())
    model, data = trained()
    reader, writer = os.pipe()
    with warnings.catch_warnings():  # later Pythons warn of a fork beside threads
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(go_on(model, data)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    mine = go_on(model, data)
    with open(reader, "rb") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    assert mine == single
    assert json.loads(text) == single
