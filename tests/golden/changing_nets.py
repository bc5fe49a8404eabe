"""Networks that change their Parameters, which minispore and MindSpore both build."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.mindir_nets import _make_numbers

CALLS = 3


def changing(ms: Any) -> dict[str, tuple[Any, list[np.ndarray]]]:
    """Each network with its inputs, and with fixed Parameters."""
    nn, ops = ms.nn, ms.ops

    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = ms.Parameter(ms.Tensor(1.0, ms.float32), name="n")

        def construct(self, x):
            before = self.n * 1
            self.n = self.n * 2
            middle = self.n + before
            ops.assign_add(self.n, ms.Tensor(1.0, ms.float32))
            return x + before, middle, self.n + x

    class Ring(nn.Cell):
        def __init__(self):
            super().__init__()
            self.place = ms.Parameter(ms.Tensor([0], ms.int32), name="place")
            self.rows = ms.Parameter(ms.Tensor(np.zeros((2, 3)), ms.float32), name="rows")
            self.update = ops.ScatterUpdate()

        def construct(self, x):
            self.update(self.rows, self.place, x)
            self.place = (self.place + 1) % 2
            return self.rows.sum(0)

    class InPlace(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0], ms.float32), name="p")

        def construct(self, x):
            self.p.add_(x)
            self.p.mul_(2)
            return self.p * 1

    class Norm(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(3)

        def construct(self, x):
            return self.norm(x)

    class Conv(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, pad_mode="same", has_bias=True)
            self.norm = nn.BatchNorm2d(2)
            self.pool = nn.MaxPool2d(2, 2)
            self.mean = nn.AvgPool2d(2, 1)
            self.flatten = nn.Flatten()
            self.dense = nn.Dense(2, 3)

        def construct(self, x):
            y = self.pool(ops.relu(self.norm(self.conv(x))))
            return self.dense(self.flatten(self.mean(y)))

    class Words(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(5, 4)
            self.norm = nn.LayerNorm((4,))
            self.gelu = nn.GELU()
            self.dense = nn.Dense(4, 3)

        def construct(self, i):
            y = ops.softmax(self.gelu(self.norm(self.table(i))), -1)
            return ops.log_softmax(self.dense(y.mean(1)))

    def step(net, loss, optimizer):
        for p in net.get_parameters():
            if "norm" not in p.name:
                p.set_data(ms.Tensor(_make_numbers(*p.shape), ms.float32))
        whole = nn.WithLossCell(net, loss)
        return nn.TrainOneStepCell(whole, optimizer(net.trainable_params())).set_train()

    rows, image = _make_numbers(4, 3), _make_numbers(3, 1, 4, 4)
    labels = np.array([0, 2, 1], np.int32)
    hot = np.eye(3, dtype=np.float32)[labels]
    words = np.array([[0, 1], [4, 4], [2, 0]], np.int32)
    sparse = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return {
        "counter": (Counter(), [rows]),
        "ring": (Ring(), [rows[:1]]),
        "written": (InPlace(), [rows[0]]),
        "norm": (Norm().set_train(), [rows]),
        "momentum": (
            step(Conv(), sparse, lambda ps: nn.Momentum(ps, [0.1, 0.2, 0.3], 0.9)),
            [image, labels],
        ),
        "adam": (
            step(Words(), nn.NLLLoss(), lambda ps: nn.Adam(ps, 0.1, weight_decay=0.1)),
            [words, labels],
        ),
        "rmsprop": (
            step(Words(), nn.SmoothL1Loss(reduction="mean"), lambda ps: nn.RMSProp(ps, 0.1)),
            [words, hot],
        ),
    }
