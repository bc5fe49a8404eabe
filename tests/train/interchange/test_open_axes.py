"""Model files with an axis of open length, written once and run with several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.train.interchange.onnx_proto import ModelProto


class Images(nn.Cell):
    """A convolution, a pooling, a reshape by the length, a slice of all and a matrix product."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid")
        self.bn = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.dense = nn.Dense(36, 5)

    def construct(self, x: Tensor) -> Tensor:
        y = self.pool(ops.relu(self.bn(self.conv(x))))
        y = ops.reshape(y, (y.shape[0], -1))
        return ops.softmax(self.dense(y)[:, 1:], -1)


class Words(nn.Cell):
    """Attention over a fixed number of positions."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.norm = nn.LayerNorm((8,))
        self.dense = nn.Dense(8, 24)

    def construct(self, ids: Tensor) -> Tensor:
        x = self.norm(self.embedding(ids))
        q, k, v = ops.split(self.dense(x), 8, -1)
        scores = ops.softmax(ops.BatchMatMul(transpose_b=True)(q, k) / 3.0, -1)
        return ops.BatchMatMul()(scores, v).mean(1)


def images(n: int) -> Tensor:
    return Tensor(np.random.default_rng(n).standard_normal((n, 1, 8, 8)).astype(np.float32))


def words(n: int) -> Tensor:
    return Tensor(np.random.default_rng(n).integers(0, 20, (n, 6)).astype(np.int32))


CASES = [
    pytest.param(Images, images, Tensor(shape=[None, 1, 8, 8], dtype=ms.float32), id="images"),
    pytest.param(Words, words, Tensor(shape=[None, 6], dtype=ms.int32), id="words"),
]


@pytest.mark.parametrize("make, batch, declared", CASES)
def test_onnxruntime_runs_batches_of_any_length(
    make: Any, batch: Any, declared: Tensor, tmp_path: Path
) -> None:
    runtime = pytest.importorskip("onnxruntime")
    net, file = make().set_train(False), str(tmp_path / "net.onnx")
    ms.export(net, declared, file_name=file, file_format="ONNX")
    session = runtime.InferenceSession(file, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    assert entry.shape[0] == "N"
    for n in (1, 3, 11, 32):
        (got,) = session.run(None, {entry.name: batch(n).asnumpy()})
        np.testing.assert_allclose(got, net(batch(n)).asnumpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("make, batch, declared", CASES)
def test_a_loaded_mindir_file_runs_batches_of_any_length(
    make: Any, batch: Any, declared: Tensor, tmp_path: Path
) -> None:
    net, file = make().set_train(False), str(tmp_path / "net.mindir")
    ms.export(net, declared, file_name=file, file_format="MINDIR")
    assert ms.load_mindir(file).graph.input[0].tensor[0].dims[0] == -1
    second = nn.GraphCell(ms.load(file))
    for n in (1, 3, 11, 32):
        np.testing.assert_allclose(second(batch(n)).asnumpy(), net(batch(n)).asnumpy(), atol=1e-6)


def test_a_graph_of_open_length_takes_no_other_fixed_ones(tmp_path: Path) -> None:
    file = str(tmp_path / "net.mindir")
    ms.export(Words(), CASES[1].values[2], file_name=file, file_format="MINDIR")
    with pytest.raises(ValueError, match=r"must be int32\[-1, 6\]"):
        ms.load(file)(Tensor(np.zeros((2, 7), np.int32)))


class Counts(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x * x.shape[0]


@pytest.mark.parametrize("file_format", ["ONNX", "MINDIR"])
def test_a_network_that_counts_with_the_length_is_refused(file_format: str, tmp_path: Path) -> None:
    declared = Tensor(shape=[None, 2], dtype=ms.float32)
    with pytest.raises(ValueError, match="must do the same for each length"):
        ms.export(Counts(), declared, file_name=str(tmp_path / "f"), file_format=file_format)
    assert not list(tmp_path.iterdir())


def test_a_fixed_shape_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "net.onnx"
    ms.export(Images(), images(2), file_name=str(file), file_format="ONNX")
    (x,) = ModelProto.FromString(file.read_bytes()).graph.input
    assert [d.dim_value for d in x.type.tensor_type.shape.dim] == [2, 1, 8, 8]
