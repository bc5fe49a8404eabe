"""DeepFM and Wide & Deep as Models, as MindSpore's model zoo trains them on Criteo's data."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks.models import ModelWithShapes
from minispore import Parameter, nn, ops
from minispore.core.initializer import initializer
from minispore.device import Shapes
from minispore.ir import dtype as mstype
from minispore.train import Model

FIELDS, WIDTH, LAYERS = 39, 80, (1024, 512, 256, 128)


class Tower(nn.Cell):
    """Products and ReLU in float16 over the embeddings of all fields."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (FIELDS * WIDTH, *LAYERS, 1)
        self.layers = nn.CellList([nn.Dense(a, b, "zeros", "zeros") for a, b in pairwise(sizes)])
        self.layers.to_float(mstype.float16)
        self.relu = nn.ReLU()

    def construct(self, x: Any) -> Any:
        for layer in self.layers[:-1]:
            x = self.relu(layer(x))
        return self.layers[-1](x).astype(mstype.float32)


class DeepFM(nn.Cell):
    """First-order terms, pairs of embeddings, and a tower over them; sigmoid loss with L2."""

    def __init__(self, vocabulary: int = 184965) -> None:
        super().__init__()
        self.linear = Parameter(initializer("zeros", (vocabulary, 1)), name="linear")
        self.table = Parameter(initializer("zeros", (vocabulary, WIDTH)), name="table")
        self.tower = Tower()

    def construct(self, ids: Any, values: Any, label: Any) -> Any:
        mask = values.reshape((-1, FIELDS, 1))
        first = (ops.gather(self.linear, ids, 0) * mask).sum(1)
        actual = ops.gather(self.table, ids, 0) * mask
        pairs = 0.5 * (actual.sum(1) ** 2 - (actual**2).sum(1)).sum(1, keepdims=True)
        deep = self.tower(actual.reshape((-1, FIELDS * WIDTH)))
        loss = ops.SigmoidCrossEntropyWithLogits()(first + pairs + deep, label).mean()
        return loss + 8e-5 * 0.5 * ((self.linear**2).sum() + (self.table**2).sum())


class WideDeep(nn.Cell):
    """A linear part and a tower over embeddings; two losses, for two optimizers."""

    def __init__(self, vocabulary: int = 200_000) -> None:
        super().__init__()
        self.wide = Parameter(initializer("zeros", (vocabulary, 1)), name="wide")
        self.table = Parameter(initializer("zeros", (vocabulary, WIDTH)), name="table")
        self.bias = Parameter(initializer("zeros", (1,)), name="wide_bias")
        self.tower = Tower()

    def construct(self, ids: Any, values: Any, label: Any) -> Any:
        mask = values.reshape((-1, FIELDS, 1))
        wide = (ops.gather(self.wide, ids, 0) * mask).sum(1) + self.bias
        actual = ops.gather(self.table, ids, 0) * mask
        deep = self.tower(actual.reshape((-1, FIELDS * WIDTH)))
        loss = ops.SigmoidCrossEntropyWithLogits()(wide + deep, label).mean()
        return loss, loss + 8e-5 * 0.5 * (self.table**2).sum()


class Part(nn.Cell):
    """One of the losses that a network returns."""

    def __init__(self, network: nn.Cell, number: int) -> None:
        super().__init__()
        self.network, self.number = network, number

    def construct(self, *inputs: Any) -> Any:
        return self.network(*inputs)[self.number]


class Both(nn.Cell):
    """A step that updates the wide part by FTRL and all else by Adam, with a pass for each."""

    def __init__(self, network: nn.Cell) -> None:
        super().__init__()
        weights = network.trainable_params()
        wide = [p for p in weights if "wide" in p.name]
        deep = [p for p in weights if "wide" not in p.name]
        self.wide = nn.FTRL(wide, learning_rate=5e-2, l1=1e-8, l2=1e-8, loss_scale=1024.0)
        self.deep = nn.Adam(deep, 3.5e-4, eps=1e-8, loss_scale=1024.0)
        self.step_wide = nn.TrainOneStepCell(Part(network, 0), self.wide, 1024.0)
        self.step_deep = nn.TrainOneStepCell(Part(network, 1), self.deep, 1024.0)

    def construct(self, *inputs: Any) -> Any:
        return self.step_wide(*inputs), self.step_deep(*inputs)


class Step(NamedTuple):
    """A training step that is one Cell already, in place of a Model."""

    train_network: Any


def _make_shapes(batch: int) -> Shapes:
    fields = (batch, FIELDS)
    columns = [(fields, np.int32), (fields, np.float32), ((batch, 1), np.float32)]
    return Shapes(columns, size=1000)


def deepfm(batch: int = 16000) -> ModelWithShapes:
    """Make DeepFM with Adam and a loss scale."""
    network = DeepFM()
    optimizer = nn.Adam(network.trainable_params(), 5e-4, eps=5e-8, loss_scale=1024.0)
    return ModelWithShapes(Model(network, optimizer=optimizer), _make_shapes(batch))


def wide_deep(batch: int = 16000) -> ModelWithShapes:
    """Make Wide & Deep with FTRL and Adam."""
    return ModelWithShapes(Step(Both(WideDeep())), _make_shapes(batch))  # type: ignore[arg-type]
