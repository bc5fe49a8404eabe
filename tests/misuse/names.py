"""The names that the calls in ``calls.txt`` use."""

from __future__ import annotations

import contextlib
import os
import tempfile
from importlib import import_module as import_module
from typing import Any

import numpy as np

import minispore as ms
import minispore.dataset as ds
from minispore import Model, Parameter, Tensor, nn, ops
from minispore.dataset import transforms, vision
from minispore.train import (
    CheckpointConfig,
    DynamicLossScaleManager,
    EarlyStopping,
    FixedLossScaleManager,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ReduceLROnPlateau,
    SummaryCollector,
    TimeMonitor,
    data_sink,
    export,
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
    serialization,
)

_folder = tempfile.TemporaryDirectory()


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x: Any) -> Any:
        return self.fc(x)


class Small(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.flat = nn.Flatten()
        self.fc = nn.Dense(4 * 8 * 8, 2)

    def construct(self, x: Any) -> Any:
        return self.fc(self.flat(self.bn(self.conv1(x))))


class NoSuper(nn.Cell):
    def __init__(self) -> None:
        self.fc = nn.Dense(3, 2)


class NoInit(nn.Cell):
    def forward(self, x: Any) -> Any:
        return x


class Half:
    """Has items, and no length."""

    def __getitem__(self, i: int) -> Any:
        return (i,)


class OtherTensor:
    """A tensor of another framework."""

    shape, dtype = (2, 3), "other.float32"

    def numpy(self) -> np.ndarray:
        return np.ones(self.shape)


OtherTensor.__module__, OtherTensor.__qualname__ = "other_framework", "Tensor"


def net() -> Net:
    return Net()


def opt(network: Any) -> Any:
    return nn.SGD(network.trainable_params(), 0.1)


class InList(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(3, 2)
        self.layers = [nn.Dense(2, 2)]

    def construct(self, x: Any) -> Any:
        return self.layers[0](self.first(x))


def train_list_of_layers() -> None:
    network = InList()
    batches = slices(np.ones((4, 3), np.float32), np.ones((4, 2), np.float32))
    Model(network, nn.MSELoss(), opt(network)).train(1, batches)


def train_with_rates(rates: Any) -> None:
    network = nn.Dense(3, 1)
    optimizer = nn.SGD(network.trainable_params(), rates)
    batches = slices(np.ones((4, 3), np.float32), np.ones((4, 1), np.float32))
    with contextlib.suppress(RuntimeError):  # at the step without a rate
        Model(network, nn.MSELoss(), optimizer).train(1, batches)


def rows(count: int = 4, width: int = 3) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((count, width), np.float32), np.zeros(count, np.int32)


def unbatched() -> Any:
    return ds.NumpySlicesDataset(rows(), ["x", "y"])


def data() -> Any:
    return unbatched().batch(2)


def slices(*columns: Any, batch: int = 2) -> Any:
    names = [f"c{i}" for i in range(len(columns))]
    return ds.NumpySlicesDataset(columns, names, shuffle=False).batch(batch)


def images() -> Any:
    return ds.NumpySlicesDataset({"image": np.ones((4, 8, 8, 3), np.uint8)}, shuffle=False)


def mapped(operation: Any) -> list[Any]:
    return list(images().map(operation, ["image"]).create_tuple_iterator(num_epochs=1))


def model(**options: Any) -> Model:
    network = net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, opt(network), **options)


def mse(width: int = 1) -> Model:
    network = nn.Dense(3, width)
    return Model(network, nn.MSELoss(), opt(network))


def f32(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def f64(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float64))


def i32(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.int32))


def path(name: str, content: bytes | None = None) -> str:
    """A file of this name in a folder of its own."""
    text = os.path.join(_folder.name, name)
    if content is not None:
        with open(text, "wb") as file:
            file.write(content)
    return text


__all__ = [name for name in globals() if name[0] != "_"]
_ = (
    ms, Parameter, ops, transforms, vision, CheckpointConfig, DynamicLossScaleManager,
    EarlyStopping, FixedLossScaleManager, LambdaCallback, LearningRateScheduler, LossMonitor,
    ModelCheckpoint, ReduceLROnPlateau, SummaryCollector, TimeMonitor, data_sink, export,
    load_checkpoint, load_param_into_net, save_checkpoint, serialization,
)  # fmt: skip
