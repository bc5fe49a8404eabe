"""Data dump: MindSpore's configuration, folders and names, and the numbers that ops had."""

from __future__ import annotations

import csv
import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, context, nn, ops
from minispore.device.dump import record

NAME = re.compile(r"(\w+)\.([\w-]+)\.(\d+)\.0\.(\d{16})\.(input|output)\.(\d+)\.DefaultFormat\.npy")


class Net(nn.Cell):
    """relu(dense(x) - 10)."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        self.relu = ops.ReLU()
        self.ten = Tensor([10.0])

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(self.dense(x) - self.ten)


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a configuration, and return the folder of the graphs of rank 0."""
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    monkeypatch.setattr(record, "_graph_numbers", itertools.count())

    def write(synchronous: bool = True, **common: Any) -> Path:
        settings = {"path": str(tmp_path / "out"), "net_name": "Net", **common}
        options: dict[str, Any] = {"common_dump_settings": settings}
        if synchronous:
            options["e2e_dump_settings"] = {"enable": True, "trans_flag": True}
        file = tmp_path / "dump.json"
        file.write_text(json.dumps(options))
        monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(file))
        return tmp_path / "out" / "rank_0"

    return write


def x(rows: int = 2) -> Tensor:
    return Tensor(np.arange(3 * rows, dtype=np.float32).reshape(rows, 3))


def files(folder: Path, iteration: int = 0, graph: int = 0) -> dict[tuple[str, str, str], Any]:
    """What was dumped of one run: (type, input or output, slot) -> the array."""
    actual = {}
    for path in sorted((folder / "Net" / str(graph) / str(iteration)).glob("*.npy")):
        kind, _, _, _, side, slot = NAME.fullmatch(path.name).groups()
        actual[kind, side, slot] = np.load(path)
    return actual


def iterations(folder: Path) -> list[int]:
    return sorted(int(p.name) for p in (folder / "Net" / "0").iterdir() if p.name.isdigit())


def train(epochs: int = 1, size: int = 3, sink: bool = True, net: Any = None) -> None:
    net = net or Net()
    columns = {"x": np.ones((2 * size, 3), np.float32), "y": np.zeros((2 * size, 2), np.float32)}
    data = ds.NumpySlicesDataset(columns, shuffle=False).batch(2)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(epochs, data, dataset_sink_mode=sink)


# -- what is in the files --------------------------------------------------------------------------


def test_inputs_and_outputs_are_those_of_the_op(configure) -> None:
    folder = configure()
    Net()(x())
    actual = files(folder)
    before = np.array([[-7, -7], [2, 2]], np.float32)
    np.testing.assert_array_equal(actual["ReLU", "input", "0"], before)
    np.testing.assert_array_equal(actual["ReLU", "output", "0"], np.maximum(before, 0))


def test_a_name_holds_the_microseconds_of_its_writing(configure) -> None:
    folder = configure()
    before = time.time_ns() // 1000
    Net()(x())
    after = time.time_ns() // 1000
    names = [NAME.fullmatch(path.name) for path in (folder / "Net/0/0").glob("*.npy")]
    assert names
    assert all(before <= int(name[4]) <= after for name in names if name)


def test_a_dumped_training_ends_in_the_same_weights(configure) -> None:
    ends = []
    for dumped in (False, True):
        if dumped:
            configure()
        net = Net()
        train(net=net)
        ends.append(net.dense.weight.asnumpy().tobytes())
    assert ends[0] == ends[1]


def test_an_update_s_input_is_the_weight_before_it(configure) -> None:
    folder = configure(dump_mode=1, kernels=["SGD"], iteration="0")
    train()
    (weight,) = (a for (_, side, s), a in files(folder).items() if (side, s) == ("input", "0"))
    assert weight.shape in ((2, 3), (2,))
    assert (weight == weight.flat[0]).all()  # ones or zeros, as they were made


@pytest.mark.parametrize(
    ("sides", "seen"), [(0, {"input", "output"}), (1, {"input"}), (2, {"output"})]
)
def test_inputs_or_outputs_can_be_chosen(configure, sides, seen) -> None:
    folder = configure(input_output=sides)
    Net()(x())
    assert {side for _, side, _ in files(folder)} == seen


# -- when ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("synchronous", [True, False])
@pytest.mark.parametrize("sink", [True, False])
def test_every_step_has_a_folder_in_a_sink_too(configure, synchronous, sink) -> None:
    folder = configure(synchronous)
    train(epochs=2, size=3, sink=sink)
    assert iterations(folder) == [0, 1, 2, 3, 4, 5]


def test_only_the_configured_iterations_are_dumped(configure) -> None:
    folder = configure(iteration="0|2-3|9")
    train(epochs=2)
    assert iterations(folder) == [0, 2, 3]


def test_a_synchronous_dump_leaves_nothing_of_a_run_that_failed(configure) -> None:
    folder = configure()
    with pytest.raises(ms.errors.GetNextError), ms.device.faults.producer_raises(2):
        train()
    assert iterations(folder) == [0]


def test_an_asynchronous_dump_has_what_ran_before_the_failure(configure) -> None:
    class Fails(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return ops.gather(ops.relu(x), Tensor([0]), 0) + self.broken(x)

        def broken(self, x: Tensor) -> Tensor:
            return ops.Print()(x).astype(ms.float32)

    def fail(args: Any) -> None:
        raise RuntimeError("no screen")

    folder = configure(synchronous=False)
    from minispore.ops.support import printing

    printing.install(fail)
    try:
        with pytest.raises(RuntimeError, match="no screen"):
            Fails()(x())
    finally:
        printing.install(printing.print_to_screen)
    names = {p.name.partition(".")[0] for p in (folder / "Net/0/0").iterdir()}
    assert "ReLU" in names and "Add" not in names


def test_a_training_op_by_op_says_that_it_dumps_nothing(configure) -> None:
    folder = configure()
    context.set_context(mode=context.PYNATIVE_MODE)
    with pytest.warns(UserWarning, match="a data dump follows graphs"):
        train()
    assert not folder.exists()


# -- of what ---------------------------------------------------------------------------------------


def test_a_part_of_a_type_chooses_its_ops(configure) -> None:
    folder = configure(dump_mode=1, kernels=["relu"])
    Net()(x())
    assert {kind for kind, _, _ in files(folder)} == {"ReLU"}


def test_a_name_of_the_execution_order_chooses_one_op(configure) -> None:
    folder = configure(iteration="7")
    Net()(x())
    order = (folder / "execution_order/ms_execution_order_graph_0.csv").read_text().splitlines()
    (name,) = [line for line in order if "ReLU" in line]
    folder = configure(dump_mode=1, kernels=[name])
    Net()(x())
    assert {kind for kind, _, _ in files(folder, graph=1)} == {"ReLU"}


def test_set_dump_marks_a_cell_forward_and_backward(configure) -> None:
    folder = configure(dump_mode=2, iteration="0")
    net = Net()
    ms.set_dump(net.dense)
    train(net=net)
    kinds = [kind for kind, side, _ in files(folder) if side == "output"]
    assert "MatMul" in kinds and "ReLU" not in kinds and "SGD" not in kinds
    assert any("Grad" in kind or kind == "MatMul" for kind in kinds)


def test_set_dump_marks_an_op(configure) -> None:
    folder = configure(dump_mode=2)
    net = Net()
    ms.set_dump(net.relu)
    net(x())
    ms.set_dump(net.relu, False)
    assert {kind for kind, _, _ in files(folder)} == {"ReLU"}


def test_set_dump_false_removes_the_mark(configure) -> None:
    folder = configure(dump_mode=2)
    net = Net()
    ms.set_dump(net)
    ms.set_dump(net, False)
    net(x())
    assert files(folder) == {}


def test_an_overflow_is_all_that_op_debug_mode_dumps(configure) -> None:
    folder = configure(op_debug_mode=3)
    jit = ms.jit(lambda x: ops.exp(x * 1000.0) + 1.0)
    jit(x())
    assert {kind for kind, _, _ in files(folder)} == {"Exp"}


def test_only_the_configured_devices_dump(configure) -> None:
    folder = configure(support_device=[3])
    Net()(x())
    assert not folder.exists()
    context.set_context(device_id=3)
    Net()(x())
    assert files(folder)


@pytest.mark.parametrize(("device", "dumps"), [(0, True), (7, True), (8, False)])
def test_the_first_eight_devices_dump_by_default(device, dumps, configure) -> None:
    folder = configure()
    context.set_context(device_id=device)
    Net()(x())
    assert (folder / "Net").exists() == dumps


# -- folders and names -----------------------------------------------------------------------------


def test_the_folders_are_those_of_mindspore(configure) -> None:
    folder = configure()
    Net()(x())
    for name in (
        ".dump_metadata/data_dump.json",
        "graphs/ms_output_trace_code_graph_0.ir",
        "execution_order/ms_execution_order_graph_0.csv",
        "execution_order/ms_global_execution_order_graph_0.csv",
        "Net/0/0",
        "Net/0/constants",
    ):
        assert (folder / name).exists(), name


def test_the_runs_of_a_graph_are_listed_in_order(configure) -> None:
    folder = configure()
    train(size=3)
    listed = folder / "execution_order/ms_global_execution_order_graph_0.csv"
    assert listed.read_text().split() == ["0", "1", "2"]


def test_a_synchronous_dump_names_the_op_an_asynchronous_one_its_cells_too(configure) -> None:
    folder = configure(dump_mode=1, kernels=["matmul"], input_output=2)
    Net()(x())
    (path,) = (folder / "Net/0/0").iterdir()
    assert re.fullmatch(r"MatMul\.MatMul-op\d+\..*\.output\.0\.DefaultFormat\.npy", path.name)
    folder = configure(synchronous=False, dump_mode=1, kernels=["matmul"], input_output=2)
    Net()(x())
    (path,) = (folder / "Net/1/0").iterdir()
    assert path.name.startswith("MatMul.Default_Net_dense_MatMul-op")


def test_constants_are_dumped_to_a_separate_folder(configure) -> None:
    folder = configure()
    Net()(x())
    values = [np.load(p) for p in (folder / "Net/0/constants").iterdir()]
    assert any((v == 10).all() for v in values)


@pytest.mark.parametrize("saved", ["statistic", "full"])
def test_statistics_stand_in_one_table(configure, saved) -> None:
    folder = configure(saved_data=saved, dump_mode=1, kernels=["relu"], input_output=1)
    Net()(x())
    with (folder / "Net/0/0/statistic.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["Max Value"], row["Min Value"], row["Avg Value"]) == ("2.0", "-7.0", "-2.5")
    assert (row["Count"], row["Negative Zero Count"], row["Shape"]) == ("4", "2", "(2,2)")
    assert bool(files(folder)) is (saved == "full")


def test_without_a_path_the_environment_says_the_folder(configure, monkeypatch, tmp_path) -> None:
    configure(path="")
    monkeypatch.setenv("MS_DIAGNOSTIC_DATA_PATH", str(tmp_path / "env"))
    Net()(x())
    assert (tmp_path / "env/debug_dump/rank_0/Net/0/0").is_dir()


def test_enable_dump_dumps_into_save_dump_path(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(record, "_graph_numbers", itertools.count())
    context.set_context(
        mode=context.GRAPH_MODE,
        device_target="Ascend",
        enable_dump=True,
        save_dump_path=str(tmp_path),
    )
    Net()(x())
    assert list((tmp_path / "rank_0/Net/0/0").glob("ReLU.Default_Net_ReLU-op*.npy"))


def test_nothing_is_dumped_by_default(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    Net()(x())
    assert list(tmp_path.iterdir()) == []


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"dump_mode": 3}, "dump_mode must be one of 0, 1, 2"),
        ({"saved_data": "all"}, "saved_data must be one of"),
        ({"input_output": 5}, "input_output must be one of"),
        ({"iteration": "a-b"}, "iteration must be 'all' or like"),
        ({"path": "relative"}, "path must be absolute"),
        ({"path": ""}, "path must not be empty"),
        ({"file_format": "bin"}, "file_format must be 'npy'"),
        ({"op_debug_mode": 9}, "op_debug_mode must be one of"),
        ({"kernel": []}, "has no 'kernel'.*'kernels'"),
    ],
)
def test_a_bad_configuration_is_refused_before_anything_runs(configure, settings, text) -> None:
    configure(**settings)
    with pytest.raises(ValueError, match=text):
        Net()(x())


def test_a_missing_dump_configuration_is_an_error(monkeypatch) -> None:
    context.set_context(mode=context.GRAPH_MODE)
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", "/no/such/file.json")
    with pytest.raises(ValueError, match="must be a JSON file"):
        Net()(x())


@pytest.mark.parametrize(("target", "enabled"), [("conv", True), (nn.ReLU(), 1)])
def test_set_dump_takes_cells_and_primitives_and_a_bool(target, enabled) -> None:
    with pytest.raises(ValueError):
        ms.set_dump(target, enabled)


def test_a_mark_off_an_ascend_warns() -> None:
    with pytest.warns(UserWarning, match="device_target should be 'Ascend'"):
        ms.set_dump(nn.ReLU())
