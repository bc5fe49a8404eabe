"""Data dump: each number of its table, each choice of its configuration."""

from __future__ import annotations

import csv
import gc
import itertools
import json
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.device.dump import record
from minispore.device.dump.config import KERNELS, DumpConfig, read_dump_config
from minispore.device.dump.files import DumpedArray, DumpWriter


def saved(array: Any, slot: int = 0) -> DumpedArray:
    return DumpedArray("Add", "Default/net/Add-op3", 3, "output", slot, np.asarray(array))


def table(tmp_path: Path, array: Any) -> dict[str, str]:
    """The row of an array in the table."""
    files = DumpWriter(DumpConfig(tmp_path, "Net", saved_data="statistic"), 0, 0)
    files.write_array(0, saved(array))
    with (tmp_path / "rank_0/Net/0/0/statistic.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert None not in row  # as many values as the head has names
    return row


NAN, INF = float("nan"), float("inf")


def test_the_numbers_are_counted_by_what_they_are(tmp_path: Path) -> None:
    row = table(
        tmp_path, np.array([NAN, INF, INF, -INF, 0, -0.0, 0, 0.25, 2, 3, -5, -0.25], np.float32)
    )
    assert {name: row[name] for name in list(row)[7:]} == {
        "Data Size": "48",
        "Data Type": "float32",
        "Shape": "(12)",
        "Max Value": "3.0",
        "Min Value": "-5.0",
        "Avg Value": "0.0",
        "Count": "12",
        "Negative Zero Count": "2",
        "Positive Zero Count": "3",
        "NaN Count": "1",
        "Negative Inf Count": "1",
        "Positive Inf Count": "2",
        "Zero Count": "3",
    }


def test_the_dump_table_names_op_slot_shape_and_dtype(tmp_path: Path) -> None:
    row = table(tmp_path, np.ones((2, 3), np.int8))
    messages = [row[name] for name in ("Op Type", "Op Name", "Task ID", "Stream ID", "IO", "Slot")]
    assert messages == ["Add", "Default_net_Add-op3", "3", "0", "output", "0"]
    assert (row["Shape"], row["Data Type"], row["Avg Value"]) == ("(2,3)", "int8", "1.0")


@pytest.mark.parametrize("array", [np.zeros(0), np.array([NAN, INF])])
def test_without_a_number_the_extremes_are_none(tmp_path: Path, array: np.ndarray) -> None:
    row = table(tmp_path, array)
    assert {row[f"{what} Value"] for what in ("Max", "Min", "Avg")} == {"nan"}


def test_complex_numbers_are_summarised_by_their_magnitude(tmp_path: Path) -> None:
    row = table(tmp_path, np.array([3 + 4j, 0]))
    assert (row["Max Value"], row["Min Value"], row["Zero Count"]) == ("5.0", "0.0", "1")


def test_rows_stand_below_one_head(tmp_path: Path) -> None:
    files = DumpWriter(DumpConfig(tmp_path, "Net", saved_data="full"), 2, 5)
    for slot in range(3):
        files.write_array(7, saved([1.0], slot))
    folder = tmp_path / "rank_2/Net/5/7"
    with (folder / "statistic.csv").open() as file:
        assert [row["Slot"] for row in csv.DictReader(file)] == ["0", "1", "2"]
    assert len(list(folder.glob("*.npy"))) == 3


# -- the configuration -----------------------------------------------------------------------------


def configured(tmp_path: Path, end_to_end: Any = None, **common: Any) -> Path:
    file = tmp_path / "dump.json"
    options: dict[str, Any] = {"common_dump_settings": {"path": str(tmp_path), **common}}
    if end_to_end is not None:
        options["e2e_dump_settings"] = end_to_end
    file.write_text(json.dumps(options))
    return file


def test_dump_defaults_are_those_of_mindspore(tmp_path: Path) -> None:
    file = configured(tmp_path)
    assert read_dump_config(str(file)) == DumpConfig(
        tmp_path, "Net", 0, None, "tensor", 0, (), tuple(range(8)), False, False, file.read_text()
    )


@pytest.mark.parametrize(
    ("end_to_end", "asynchronous", "synchronous"),
    [
        (None, True, False),
        ({}, True, False),
        ({"enable": False}, True, False),
        ({"enable": True}, True, True),
        ({"trans_flag": True}, True, False),
        (None, False, True),
        ({"enable": False}, False, True),
    ],
)
def test_a_dump_is_asynchronous_by_default_where_the_device_can(
    tmp_path: Path, end_to_end: Any, asynchronous: bool, synchronous: bool
) -> None:
    file = str(configured(tmp_path, end_to_end))
    assert read_dump_config(file, asynchronous=asynchronous).synchronous is synchronous


@pytest.mark.parametrize(("mode", "overflow"), [(0, False), (1, True), (2, True), (3, True)])
def test_each_debug_mode_but_0_looks_for_overflows(tmp_path, mode, overflow) -> None:
    assert read_dump_config(str(configured(tmp_path, op_debug_mode=mode))).overflow is overflow


@pytest.mark.parametrize(
    ("message", "stretches"),
    [("all", None), (3, ((3, 3),)), ("0|5-8", ((0, 0), (5, 8))), ("7", ((7, 7),))],
)
def test_iterations_are_stretches_of_runs(tmp_path, message, stretches) -> None:
    assert read_dump_config(str(configured(tmp_path, iteration=message))).iterations == stretches


def test_a_stretch_has_both_its_ends() -> None:
    config = DumpConfig(Path(), "Net", iterations=((1, 1), (4, 6)))
    assert [n for n in range(9) if config.includes_iteration(n)] == [1, 4, 5, 6]


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("Default/net/Conv2D-op3", True),
        ("Default/net/Conv2D-op4", False),
        ("net/Conv2D-op3", False),
        ("Conv2D-op3", False),
        ("CONV", True),
        ("net", False),
    ],
)
def test_a_kernel_is_selected_by_its_full_name_or_a_part_of_its_type(kernel, expected) -> None:
    config = DumpConfig(Path(), "Net", mode=KERNELS, kernels=("other", kernel))
    assert config.includes_kernel("Default/net/Conv2D-op3") is expected


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"dump_mode": True}, "dump_mode must be one of 0, 1, 2, got True"),
        ({"op_debug_mode": False}, "op_debug_mode must be one of"),
        ({"iteration": "1-2-3"}, "iteration must be"),
        ({"iteration": ""}, "iteration must be"),
    ],
)
def test_a_value_that_looks_like_another_is_refused(tmp_path, settings, text) -> None:
    with pytest.raises(ValueError, match=text):
        read_dump_config(str(configured(tmp_path, **settings)))


@pytest.mark.parametrize("text", ["[]", "{}", "", "3", '{"common_dump_settings"}'])
def test_a_file_without_settings_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "dump.json"
    file.write_text(text)
    with pytest.raises(ValueError, match="must be a JSON file with common_dump_settings"):
        read_dump_config(str(file))


def test_a_name_that_only_one_part_knows_is_refused_in_the_other(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="e2e_dump_settings has no 'path'"):
        read_dump_config(str(configured(tmp_path, {"path": "/"})))
    with pytest.raises(ValueError, match="common_dump_settings has no 'enable'"):
        read_dump_config(str(configured(tmp_path, enable=True)))


def test_enable_dump_is_for_an_ascend(tmp_path: Path) -> None:
    settings = {"enable_dump": True, "save_dump_path": str(tmp_path)}
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", **settings)
    context.set_context(device_target="GPU")
    nn.ReLU()(Tensor([1.0]))
    assert list(tmp_path.iterdir()) == []


# -- a run -----------------------------------------------------------------------------------------


def test_constants_of_a_graph_are_no_parameters(tmp_path, monkeypatch) -> None:
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(configured(tmp_path)))
    monkeypatch.setattr(record, "_graph_numbers", itertools.count())
    weight = ms.Parameter(Tensor([5.0]), name="w")
    ms.jit(lambda x: x * weight + Tensor([7.0]))(Tensor([1.0]))
    values = [np.load(p).item() for p in tmp_path.glob("rank_0/Net/0/constants/*.npy")]
    assert values == [7.0]


def test_written_arrays_are_not_retained(tmp_path, monkeypatch) -> None:
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(configured(tmp_path, {"enable": True})))
    written: list[Any] = []
    save = DumpWriter.write_array

    def noted(self: DumpWriter, iteration: int, saved: DumpedArray) -> None:
        written.append(weakref.ref(saved))
        save(self, iteration, saved)

    monkeypatch.setattr(DumpWriter, "write_array", noted)
    net = nn.ReLU()
    net(Tensor([1.0]))
    gc.collect()
    assert written and not any(ref() for ref in written)


def test_arrays_of_a_failed_run_are_not_written_by_the_next(tmp_path, monkeypatch) -> None:
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    config = configured(tmp_path, {"enable": True})
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(config))
    monkeypatch.setattr(record, "_graph_numbers", itertools.count())
    from minispore.ops.support import printing

    messages: list[Any] = []

    def fail_at_first(args: Any) -> None:
        messages.append(args)
        if len(messages) == 1:
            raise RuntimeError("no screen")

    @ms.jit
    def printed(x: Tensor) -> Tensor:
        return ops.Print()(ops.relu(x))

    printing.install(fail_at_first)
    try:
        with pytest.raises(RuntimeError, match="no screen"):
            printed(Tensor([1.0]))
        printed(Tensor([2.0]))
    finally:
        printing.install(printing.print_to_screen)
    (path,) = tmp_path.glob("rank_0/Net/0/0/ReLU.*.input.0.*.npy")
    assert np.load(path).tolist() == [2.0]
