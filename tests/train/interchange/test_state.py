"""Networks that change their Parameters: their files go on from call to call, as they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.train.interchange.mindir_proto import ModelProto
from tests.conftest import ROOT
from tests.golden.changing_nets import CALLS, changing
from tests.golden.mindir_nets import flat

FILES = ROOT / "tests" / "golden" / "mindir"
NAMES = ("counter", "ring", "written", "norm", "momentum", "adam", "rmsprop")
MODES = (ms.GRAPH_MODE, ms.PYNATIVE_MODE)
X = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))


@pytest.fixture(scope="module")
def answers() -> Any:
    return np.load(FILES / "changed.npz")


def close(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=2e-5)
    assert got.dtype == expected.dtype


def runs(net: Any, inputs: list[Tensor]) -> list[np.ndarray]:
    return [array for _ in range(CALLS) for array in flat(net(*inputs))]


def written(net: Any, *inputs: Any, folder: Path) -> Any:
    file = str(folder / "net.mindir")
    ms.export(net, *inputs, file_name=file, file_format="MINDIR")
    return ms.load(file)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_mindspore_goes_on_as_its_network_did(name: str, mode: int, answers: Any) -> None:
    ms.set_context(mode=mode)
    _, arrays = changing(ms)[name]
    cell = nn.GraphCell(ms.load(str(FILES / f"{name}.mindir")))
    inputs = [Tensor(x) for x in arrays]
    for call in range(CALLS):
        for i, got in enumerate(flat(cell(*inputs))):
            close(got, answers[f"{name}/{call}/{i}"])
    for p in cell.get_parameters():
        close(p.asnumpy(), answers[f"{name}/{p.name}"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_goes_on_as_its_network_does(
    name: str, mode: int, answers: Any, tmp_path: Path
) -> None:
    ms.set_context(mode=mode)
    net, arrays = changing(ms)[name]
    inputs = [Tensor(x) for x in arrays]
    before = {p.name: p.asnumpy() for p in net.get_parameters()}
    graph = written(net, *inputs, folder=tmp_path)
    for p in net.get_parameters():
        np.testing.assert_array_equal(p.asnumpy(), before[p.name])
    cell = nn.GraphCell(graph)
    for got, expected in zip(runs(cell, inputs), runs(net, inputs), strict=True):
        close(got, expected)
    values_by_name = {p.name: p for p in net.get_parameters()}
    for p in cell.get_parameters():
        close(p.asnumpy(), values_by_name[p.name].asnumpy())
        close(p.asnumpy(), answers[f"{name}/{p.name}"])


@pytest.mark.parametrize("name", NAMES)
def test_both_modes_leave_the_same_bits(name: str) -> None:
    outputs = []
    for mode in MODES:
        ms.set_context(mode=mode)
        _, arrays = changing(ms)[name]
        cell = nn.GraphCell(ms.load(str(FILES / f"{name}.mindir")))
        outs = runs(cell, [Tensor(x) for x in arrays])
        outputs.append([*outs, *[p.asnumpy() for p in cell.get_parameters()]])
    for graph, pynative in zip(*outputs, strict=True):
        np.testing.assert_array_equal(graph, pynative)


def test_a_file_is_written_of_what_was_reached_and_a_checkpoint_goes_both_ways(
    tmp_path: Path,
) -> None:
    net, arrays = changing(ms)["rmsprop"]
    inputs = [Tensor(x) for x in arrays]
    net(*inputs)
    cell = nn.GraphCell(written(net, *inputs, folder=tmp_path))
    close(cell(*inputs).asnumpy(), net(*inputs).asnumpy())
    file = str(tmp_path / "net.ckpt")
    ms.save_checkpoint(cell, file)
    fresh, _ = changing(ms)["rmsprop"]
    missing, _ = ms.load_param_into_net(fresh, ms.load_checkpoint(file), strict_load=True)
    assert not missing
    close(fresh(*inputs).asnumpy(), cell(*inputs).asnumpy())
    graph = ms.load(str(tmp_path / "net.mindir"))
    second = nn.GraphCell(graph, {p.name: p for p in fresh.get_parameters()})
    close(second(*inputs).asnumpy(), fresh(*inputs).asnumpy())


def test_a_network_in_training_is_written_as_it_is_and_for_onnx_in_inference(
    tmp_path: Path,
) -> None:
    net = nn.SequentialCell(nn.BatchNorm1d(2), nn.Dropout(p=0.5))
    for training in (True, False):
        net.set_train(training)
        graph = written(net, X, folder=tmp_path)
        ops_of = [node.prim.name for node in graph.graph.nodes]
        assert ("Dropout" in ops_of, "MovingAverage" in ops_of) == (training, training)
        ms.export(net, X, file_name=str(tmp_path / "net.onnx"), file_format="ONNX")
        assert net.training is training


def test_dropout_of_a_file_drops_anew_at_each_call(tmp_path: Path) -> None:
    net = nn.Dropout(p=0.5).set_train()
    cell = nn.GraphCell(written(net, ops.ones((100,)), folder=tmp_path))
    one, other = (cell(ops.ones((100,))).asnumpy() for _ in range(2))
    assert set(one) == {0.0, 2.0}
    assert (one != other).any()


class Swap(nn.Cell):
    """Old contents are asked for after both Parameters have changed."""

    def __init__(self) -> None:
        super().__init__()
        self.a = ms.Parameter(Tensor([1.0, 2.0]), name="a")
        self.b = ms.Parameter(Tensor([3.0, 4.0]), name="b")

    def construct(self, x: Tensor) -> Any:
        a, b = self.a * 1, self.b * 1
        ops.assign(self.a, b + x)
        ops.assign(self.b, a - x)
        return (a, b), self.a * self.b


def test_old_contents_outlive_the_change_in_whatever_is_returned(tmp_path: Path) -> None:
    x = Tensor([1.0, 1.0])
    cell = nn.GraphCell(written(Swap(), x, folder=tmp_path))
    for got, expected in zip(runs(cell, [x]), runs(Swap(), [x]), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_changes_of_every_kind_follow_each_other(tmp_path: Path) -> None:
    class Mixed(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.p = ms.Parameter(Tensor([1.0, 2.0]), name="p")

        def construct(self, x: Tensor) -> Any:
            self.p.add_(x)
            old = self.p * 1
            ops.assign_add(self.p, x)
            self.p[0] = 7.0
            ops.ScatterAdd()(self.p, Tensor([1]), x[:1])
            self.p.mul_(2)
            self.p += 1
            return old + self.p

    x = Tensor([1.0, 3.0])
    net = Mixed()
    cell = nn.GraphCell(written(net, x, folder=tmp_path))
    for got, expected in zip(runs(cell, [x]), runs(net, [x]), strict=True):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(cell.parameters_dict()["p"].asnumpy(), net.p.asnumpy())


def test_a_returned_old_parameter_value_survives_a_later_assign(tmp_path: Path) -> None:
    class Old(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.p = ms.Parameter(Tensor([1.0]), name="p")

        def construct(self, x: Tensor) -> Any:
            old = ops.reshape(self.p, (1, 1))
            ops.assign_add(self.p, x)
            return old, self.p + 0

    cell = nn.GraphCell(written(Old(), Tensor([2.0]), folder=tmp_path))
    assert [a.item() for a in runs(cell, [Tensor([2.0])])] == [1, 3, 3, 5, 5, 7]


def test_a_file_without_changes_says_nothing_of_their_order(tmp_path: Path) -> None:
    written(nn.Dense(2, 1), X, folder=tmp_path)
    model = ModelProto.FromString((tmp_path / "net.mindir").read_bytes())
    messages = {p.op_type for p in model.primitives}
    assert not messages & {"UpdateState", "Load", "Depend"}


def test_onnx_refuses_what_changes_and_says_where_it_can_go(tmp_path: Path) -> None:
    net, arrays = changing(ms)["counter"]
    with pytest.raises(ValueError, match=r"changes its parameters \(n\).*MINDIR"):
        ms.export(net, Tensor(arrays[0]), file_name=str(tmp_path / "n"), file_format="ONNX")
    assert not [*tmp_path.iterdir()]
