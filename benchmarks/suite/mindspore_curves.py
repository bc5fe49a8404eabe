"""The programs of ``curves`` in MindSpore's words, and how they learn."""

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
    batches,
    weights,
)
from benchmarks.suite.mindspore_nets import adversaries, loss_of, networks

Step = tuple[Callable[[], Any], str]


def every_network(ms: Any) -> dict[str, Callable[[], Any]]:
    """A maker for each network: those that are timed, and some that only learn here."""
    nn, ops = ms.nn, ms.ops

    class Norms(nn.Cell):
        """A convolution or a product, and behind each another norm."""

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
        """The loss of a sequence, from what is heard and what was said."""

        def __init__(self) -> None:
            super().__init__()
            self.into, self.head = nn.Dense(16, 32), nn.Dense(32, CLASSES)

        def construct(self, x: Any, y: Any) -> Any:
            n, t, _ = x.shape
            scores = self.head(ops.tanh(self.into(x))).transpose((1, 0, 2))
            lengths, letters = ms.Tensor([t] * n, ms.int32), ms.Tensor([LETTERS] * n, ms.int32)
            of = ops.log_softmax(scores, -1)
            return ops.ctc_loss(of, y, lengths, letters, reduction="sum")[0]

    return networks(ms) | {"norms": Norms, "volumes": Volumes, "ctc": Reader}


def minispore_losses(
    program: str, dtype: str, steps: int, seeds: int, folder: str, mode: str = "GRAPH",
    winograd: int = 4, threads: int = 1,
) -> Step:  # fmt: skip
    """Train from the weights in files; what it says of itself is the loss of each step, for each
    seed.
    """
    import minispore as ms

    ms.set_context(mode=ms.GRAPH_MODE if mode == "GRAPH" else ms.PYNATIVE_MODE)
    ms.set_context(conv_winograd=winograd)

    def learned(seed: int) -> list[float]:
        step = _step(ms, program, getattr(ms, dtype), dict(np.load(weights(folder, seed))))
        inputs = []
        for arrays in batches(program, seed):
            wide = [a.astype(dtype) if a.dtype.kind == "f" else a for a in arrays]
            inputs.append([ms.Tensor(a) for a in wide])
        return [float(step(*inputs[i % len(inputs)]).asnumpy()) for i in range(steps)]

    return (lambda: None), json.dumps([learned(seed) for seed in range(seeds)])


def _step(ms: Any, program: str, kind: Any, first: dict[str, np.ndarray]) -> Any:
    """A Cell whose call is one step."""
    work = PROGRAMS[program].work
    make = every_network(ms)

    def optimizer(of: Any) -> Any:
        if work.optimizer == "Momentum":
            return ms.nn.Momentum(of, RATE, MOMENTUM)
        return ms.nn.Adam(of, ADAM_RATE, BETA1, BETA2, EPSILON)

    inputs = iter(first.values())

    def made(name: str) -> Any:
        net = make[name]()
        for p in net.get_parameters():
            p.set_dtype(kind)
        for p in net.trainable_params():
            p.set_data(ms.Tensor(next(inputs).reshape(p.shape), kind))
        return net

    if work.net == "dcgan":
        return adversaries(ms, made("generator"), made("discriminator"), optimizer)
    net = made(work.net)
    whole = work.net in ("vae", "ctc")  # its output is the loss
    with_loss = net if whole else ms.nn.WithLossCell(net, loss_of(ms, work.labels))
    step = ms.nn.TrainOneStepCell(with_loss, optimizer(net.trainable_params()))
    step.set_train()
    return step
