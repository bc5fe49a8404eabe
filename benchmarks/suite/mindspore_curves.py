"""Define the programs of ``curves`` in MindSpore's API, and train them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.suite.curves_work import (
    ADAM_RATE,
    BETA1,
    BETA2,
    CLASSES,
    EPSILON,
    LETTERS,
    MOMENTUM,
    PROGRAMS,
    RATE,
    get_weights_path,
    make_batches,
)
from benchmarks.suite.mindspore_nets import get_network_makers, make_gan_step, make_loss

Step = tuple[Callable[[], Any], str]


def get_all_network_makers(ms: Any) -> dict[str, Callable[[], Any]]:
    """Return a function for each network that makes it: those that are timed, and some that
    only learn here.
    """
    nn, ops = ms.nn, ms.ops

    class Norms(nn.Cell):
        """Convolutions and dense layers with a different norm behind each."""

        def __init__(self) -> None:
            super().__init__()
            self.body = nn.SequentialCell(
                nn.Conv2d(4, 8, 3, pad_mode="pad", padding=1), nn.GroupNorm(4, 8), nn.ReLU(),
                nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.Tanh(),
                nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1), nn.InstanceNorm2d(8), nn.ReLU(),
                nn.Flatten(), nn.Dense(512, 32), nn.BatchNorm1d(32), nn.Tanh(),
                nn.Dense(32, 32), nn.LayerNorm((32,)), nn.ReLU(), nn.Dense(32, 10),
            )  # fmt: skip

        def construct(self, x: Any) -> Any:
            return self.body(x)

    class Volumes(nn.Cell):
        """Convolutions over three axes, then over one."""

        def __init__(self) -> None:
            super().__init__()
            self.solid = nn.SequentialCell(
                nn.Conv3d(2, 4, 3, pad_mode="pad", padding=1, has_bias=True), nn.BatchNorm3d(4),
                nn.ReLU(), nn.Conv3d(4, 6, 3, 2, pad_mode="pad", padding=1), nn.ReLU(),
            )  # fmt: skip
            self.line = nn.SequentialCell(
                nn.Conv1d(6, 8, 5, 2, pad_mode="pad", padding=2, has_bias=True), nn.ReLU(),
                nn.Conv1dTranspose(8, 6, 4, 2, pad_mode="pad", padding=1), nn.Tanh(),
            )  # fmt: skip
            self.head = nn.Dense(288, 10)

        def construct(self, x: Any) -> Any:
            y = self.line(self.solid(x).reshape((x.shape[0], 6, 48)))
            return self.head(y.reshape((x.shape[0], -1)))

    class Reader(nn.Cell):
        """The CTC loss of a sequence and its letters."""

        def __init__(self) -> None:
            super().__init__()
            self.into, self.head = nn.Dense(16, 32), nn.Dense(32, CLASSES)

        def construct(self, x: Any, y: Any) -> Any:
            n, t, _ = x.shape
            scores = self.head(ops.tanh(self.into(x))).transpose((1, 0, 2))
            lengths, letters = ms.Tensor([t] * n, ms.int32), ms.Tensor([LETTERS] * n, ms.int32)
            log_probs = ops.log_softmax(scores, -1)
            return ops.ctc_loss(log_probs, y, lengths, letters, reduction="sum")[0]

    return get_network_makers(ms) | {"norms": Norms, "volumes": Volumes, "ctc": Reader}


def compute_minispore_losses(
    program: str, dtype: str, steps: int, seeds: int, folder: str, mode: str = "GRAPH",
    winograd: int = 4, threads: int = 1,
) -> Step:  # fmt: skip
    """Train from the weights in files; return as JSON the losses of each step, for each seed."""
    import minispore as ms

    ms.set_context(mode=ms.GRAPH_MODE if mode == "GRAPH" else ms.PYNATIVE_MODE)
    ms.set_context(conv_winograd=winograd)

    def train_run(seed: int) -> list[float]:
        step = _make_train_step(
            ms, program, getattr(ms, dtype), dict(np.load(get_weights_path(folder, seed)))
        )
        inputs = []
        for arrays in make_batches(program, seed):
            cast_arrays = [a.astype(dtype) if a.dtype.kind == "f" else a for a in arrays]
            inputs.append([ms.Tensor(a) for a in cast_arrays])
        return [float(step(*inputs[i % len(inputs)]).asnumpy()) for i in range(steps)]

    return (lambda: None), json.dumps([train_run(seed) for seed in range(seeds)])


def _make_train_step(
    ms: Any, program: str, kind: Any, initial_weights: dict[str, np.ndarray]
) -> Any:
    """Make a Cell whose call is one step of a program from these weights."""
    work = PROGRAMS[program].work
    make = get_all_network_makers(ms)

    def make_optimizer(params: Any) -> Any:
        if work.optimizer == "Momentum":
            return ms.nn.Momentum(params, RATE, MOMENTUM)
        return ms.nn.Adam(params, ADAM_RATE, BETA1, BETA2, EPSILON)

    inputs = iter(initial_weights.values())

    def build_network(name: str) -> Any:
        net = make[name]()
        for p in net.get_parameters():
            p.set_dtype(kind)
        for p in net.trainable_params():
            p.set_data(ms.Tensor(next(inputs).reshape(p.shape), kind))
        return net

    if work.net == "dcgan":
        return make_gan_step(
            ms, build_network("generator"), build_network("discriminator"), make_optimizer
        )
    net = build_network(work.net)
    returns_loss = work.net in ("vae", "ctc")  # its output is the loss
    with_loss = net if returns_loss else ms.nn.WithLossCell(net, make_loss(ms, work.labels))
    step = ms.nn.TrainOneStepCell(with_loss, make_optimizer(net.trainable_params()))
    step.set_train()
    return step
