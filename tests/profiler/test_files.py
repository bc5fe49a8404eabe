"""The files of a profile have MindSpore's names and columns, and numbers that add up."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from minispore import context
from minispore.device.model.cost import Kernel, ProgramCost
from minispore.device.model.spec import device_spec
from minispore.profiler import kernels, memory, steps
from minispore.profiler.options import METRICS, Options
from tests.profiler.conftest import EPOCHS, STEPS

NAMES = {
    "step_trace_raw_0_detail_time.csv",
    "step_trace_point_info_0.json",
    "aicore_intermediate_0_detail.csv",
    "framework_raw_0.csv",
    "aicore_intermediate_0_type.csv",
    "aicore_intermediate_0_pmu.csv",
    "aicpu_intermediate_0.csv",
    "output_timeline_data_0.txt",
    "ascend_timeline_display_0.json",
    "ascend_timeline_summary_0.json",
    "flops_0.txt",
    "flops_summary_0.json",
    "flops_scope_0.json",
    "operator_memory_0.csv",
    "cpu_ms_memory_record_0.txt",
    "profiler_info_0.json",
    "memory_usage_summary_0.json",
    "memory_usage_details_0.json",
    "pipeline_profiling_0.json",
    "minddata_pipeline_raw_0.csv",
    "minddata_pipeline_summary_0.csv",
    "minddata_pipeline_summary_0.json",
    "wall_kernels_0.csv",
    "wall_steps_0.csv",
    "report.html",
}


@pytest.fixture
def folder(profiled) -> Path:
    profiler = profiled()
    profiler.analyse()
    return profiler.folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_profile_folder_has_exactly_the_expected_files(folder: Path) -> None:
    assert {p.name for p in folder.iterdir()} == NAMES


def test_analyse_returns_the_paths_with_the_page_last(profiled) -> None:
    paths = profiled().analyse()
    assert {p.name for p in paths} == NAMES
    assert paths[-1].name == "report.html"


def test_the_step_trace_has_a_row_a_step_and_one_with_averages(folder: Path) -> None:
    actual = rows(folder / "step_trace_raw_0_detail_time.csv")
    assert list(actual[0]) == list(steps.HEADER)
    assert [r["step_num"] for r in actual] == [*map(str, range(1, EPOCHS * STEPS + 1)), "-"]
    mean_total = sum(int(r["total"]) for r in actual[:-1]) / (EPOCHS * STEPS)
    assert int(actual[-1]["total"]) == round(mean_total)


def test_the_parts_of_a_step_add_up_to_it(folder: Path) -> None:
    for r in rows(folder / "step_trace_raw_0_detail_time.csv")[:-1]:
        n = {k: int(v) for k, v in r.items()}
        assert n["total"] == n["end_point"] - n["start_point"]
        parts = n["iteration_interval"] + n["fp_and_bp"] + n["tail"]
        assert parts == n["total"]


def test_each_step_begins_where_the_one_before_has_ended(folder: Path) -> None:
    actual = rows(folder / "step_trace_raw_0_detail_time.csv")[:-1]
    assert actual[0]["start_point"] == "0"
    assert [r["start_point"] for r in actual[1:]] == [r["end_point"] for r in actual[:-1]]


def test_the_points_are_the_first_kernel_and_the_last_gradient(folder: Path) -> None:
    points = json.loads((folder / "step_trace_point_info_0.json").read_text())
    assert points["fp_start"].endswith("-op0")
    assert points["bp_end"].startswith("Gradients.")


def test_fp_and_bp_points_replace_the_detected_ones() -> None:
    cost = ProgramCost(
        device_spec(),
        tuple(
            Kernel(f"k{i}", kind, us) for i, (kind, us) in enumerate([("A", 2), ("B", 3), ("C", 4)])
        ),
    )
    assert steps.compute_point_offsets(cost, Options(Path("."), fp_point="B", bp_point="k1")) == (
        2,
        5,
    )
    assert steps.compute_point_offsets(cost, Options(Path("."))) == (0, None)


def test_a_named_point_that_is_no_kernel_is_warned_of(tmp_path: Path) -> None:
    cost = ProgramCost(device_spec(), (Kernel("k0", "A", 2),))
    with pytest.warns(UserWarning, match="bp_point must name a kernel of the step, got 'C'"):
        steps.write_points(tmp_path / "points", cost, Options(tmp_path, fp_point="A", bp_point="C"))


def test_kernel_files_agree_with_each_other(folder: Path) -> None:
    detail = rows(folder / "aicore_intermediate_0_detail.csv")
    types = rows(folder / "aicore_intermediate_0_type.csv")
    assert list(detail[0]) == [
        "full_kernel_name",
        "task_duration",
        "execution_frequency",
        "task_type",
    ]
    assert list(types[0]) == ["kernel_type", "total_time", "execution_frequency", "percent"]
    in_detail = sum(float(r["task_duration"]) * int(r["execution_frequency"]) for r in detail)
    assert in_detail == pytest.approx(sum(float(r["total_time"]) for r in types), rel=1e-12)
    assert sum(float(r["percent"]) for r in types) == pytest.approx(1, abs=1e-3)
    framework = rows(folder / "framework_raw_0.csv")
    assert [r["full_kernel_name"] for r in framework] == [r["full_kernel_name"] for r in detail]
    assert all(r["execution_frequency"] == str(EPOCHS * STEPS) for r in detail)


def test_getnext_is_in_the_file_of_the_ai_cpu(folder: Path) -> None:
    actual = rows(folder / "aicpu_intermediate_0.csv")
    assert [r["kernel_type"] for r in actual] == ["GetNext"] * EPOCHS * STEPS
    assert [r["serial_num"] for r in actual] == [*map(str, range(1, EPOCHS * STEPS + 1))]
    for r in actual:
        took = (float(r["run_end"]) - float(r["run_start"])) / 1e3
        assert took == pytest.approx(float(r["execution_time"]))


def test_flops_are_those_of_the_program(folder: Path) -> None:
    lines = (folder / "flops_0.txt").read_text().splitlines()
    assert lines[0].startswith("full_kernel_name, MFLOPs(10^6 cube), GFLOPS(10^9 cube)")
    summary = json.loads((folder / "flops_summary_0.json").read_text())
    cube = sum(float(line.split(", ")[1]) for line in lines[1:])
    # Five products of padded tiles: 8 x 6 x 5 and 8 x 5 x 3 are one tile each, as are their
    # gradients.
    assert cube == pytest.approx(5 * 2 * 16**3 / 1e6, rel=1e-4)
    assert summary["cube_FLOPs"] == pytest.approx(cube, rel=1e-4)
    scope = json.loads((folder / "flops_scope_0.json").read_text())
    assert scope["MFLOPs"] == pytest.approx(summary["cube_FLOPs"] + summary["vec_FLOPs"])


def test_the_timeline_is_a_chrome_trace(folder: Path) -> None:
    events = json.loads((folder / "ascend_timeline_display_0.json").read_text())
    kinds = {e["ph"] for e in events}
    assert kinds == {"M", "X"}
    results = [e for e in events if e.get("tid") == 100000 and e["ph"] == "X"]
    assert [e["name"] for e in results] == [*map(str, range(1, EPOCHS * STEPS + 1))]
    summary = json.loads((folder / "ascend_timeline_summary_0.json").read_text())
    tasks = [e for e in events if e["ph"] == "X" and e["pid"] in (0, 9000) and e["tid"] != 100000]
    assert summary["op_exe_times"] == len(tasks)


def test_the_timeline_lists_the_same_tasks(folder: Path) -> None:
    lines = (folder / "output_timeline_data_0.txt").read_text().splitlines()
    assert lines[0] == "kernel_name, stream_id, start_time(us), duration(ms)"
    summary = json.loads((folder / "ascend_timeline_summary_0.json").read_text())
    assert len(lines) - 1 == summary["op_exe_times"]


def test_a_timeline_that_is_too_large_is_cut(profiled, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(kernels, "TIMELINE_BYTES", 5000)
    run = profiled().get_priced_run()
    kernels.write_trace(tmp_path / "trace.json", run)
    text = (tmp_path / "trace.json").read_text()
    assert len(text) <= 5000
    assert json.loads(text)


def test_memory_files_peak_where_the_plan_does(profiled) -> None:
    profiler = profiled()
    profiler.analyse()
    lines = (profiler.folder / "cpu_ms_memory_record_0.txt").read_text().splitlines()
    assert lines[0] == "Timestamp(ns), Total Allocated, Total Reserved, Total Active"
    peak = max(int(line.split(", ")[1]) for line in lines[1:])
    assert peak == profiler.get_priced_run().main.plan.peak
    arrays = rows(profiler.folder / "operator_memory_0.csv")
    assert all(float(r["Duration(us)"]) >= 0 for r in arrays)
    assert {"Name", "Size(KB)", "Allocation Time(us)", "Duration(us)"} <= set(arrays[0])


def test_mindinsight_finds_the_memory_of_each_op(profiled) -> None:
    """Its reader cuts the text at the breakdowns, and takes those of a node by its number."""
    profiler = profiled()
    profiler.analyse()
    plan = profiler.get_priced_run().main.plan
    summary = json.loads((profiler.folder / "memory_usage_summary_0.json").read_text())
    keys = ["capacity", "allocations", "deallocations", "peak_mem", "static_mem"]
    assert list(summary) == keys
    assert summary["peak_mem"] == plan.peak / 2**30
    text = (profiler.folder / "memory_usage_details_0.json").read_text()
    cut = json.loads(text[: text.find(', "breakdowns"')] + text[-2:])
    graph = json.loads(text)["0"]
    assert cut["0"] == {key: value for key, value in graph.items() if key != "breakdowns"}
    assert max(graph["lines"]) == summary["peak_mem"]
    assert len(graph["lines"]) == len(graph["nodes"]) == len(graph["breakdowns"])
    assert [node["node_id"] for node in graph["nodes"]] == [*range(len(graph["nodes"]))]
    assert 0 == graph["fp_start"] < graph["bp_end"] < len(graph["nodes"])
    changes = [node["allocated"] for node in graph["nodes"]]
    assert graph["static_mem"] + sum(changes) == pytest.approx(graph["lines"][-1])
    for number, arrays in enumerate(graph["breakdowns"]):
        assert all(a["life_start"] <= number <= a["life_end"] for a in arrays)
        assert {"tensor_name", "size", "type", "data_type", "shape", "format"} <= set(arrays[0])


def test_a_large_graph_is_thinned_out(profiled, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(memory, "MAX_NODES", 5)
    main = profiled().get_priced_run().main
    memory.write_details(tmp_path / "details.json", main)
    graph = json.loads((tmp_path / "details.json").read_text())["0"]
    assert len(graph["nodes"]) == len(graph["breakdowns"]) <= 5 < len(main.plan.totals)
    assert all(array["life_end"] < 5 for arrays in graph["breakdowns"] for array in arrays)


def test_mindinsight_finds_the_workers_of_each_operation(folder: Path) -> None:
    profiling = json.loads((folder / "pipeline_profiling_0.json").read_text())
    ops = profiling["op_info"]
    assert profiling["sampling_interval"] == 1000
    assert [(op["op_id"], op["num_workers"], op.get("children")) for op in ops] == [
        (0, 1, [1]),
        (1, 1, None),
    ]
    assert set(ops[0]["metrics"]["output_queue"]) == {"length", "size"}


def test_the_pipeline_files_have_every_operation(folder: Path) -> None:
    raw = rows(folder / "minddata_pipeline_raw_0.csv")
    assert [r["op_type"].split("(")[0] for r in raw] == ["batch", "NumpySlicesDataset"]
    assert [(r["parent_id"], r["children_id"]) for r in raw] == [("", "[1]"), ("0", "[]")]
    assert {r["sample_interval"] for r in raw} == {"1000"}
    summary = json.loads((folder / "minddata_pipeline_summary_0.json").read_text())
    assert summary["pipeline_ops"] == ["batch", "NumpySlicesDataset"]
    assert summary["rows"][0] == EPOCHS * STEPS
    assert summary["per_pipeline_time"] == pytest.approx(
        sum(summary["time_ms_per_batch"]), abs=1e-5
    )


def test_wall_files_say_what_was_measured(folder: Path) -> None:
    actual = rows(folder / "wall_kernels_0.csv")
    assert sum(float(r["percent"]) for r in actual) == pytest.approx(100, abs=0.1)
    turns = rows(folder / "wall_steps_0.csv")
    assert [r["steps"] for r in turns] == [str(STEPS)] * EPOCHS


@pytest.mark.parametrize("number", range(len(METRICS)))
def test_each_group_of_metrics_has_its_columns(profiled, number: int) -> None:
    profiler = profiled(aicore_metrics=number)
    profiler.analyse()
    actual = rows(profiler.folder / "aicore_intermediate_0_pmu.csv")
    assert list(actual[0]) == ["full_kernel_name", *kernels.METRIC_COLUMNS[METRICS[number]]]


def test_files_of_disabled_options_are_not_written(profiled) -> None:
    profiler = profiled(op_time=False, profile_memory=False, data_process=False)
    names = {p.name for p in profiler.analyse()}
    assert names == {
        "step_trace_raw_0_detail_time.csv",
        "step_trace_point_info_0.json",
        "profiler_info_0.json",
        "wall_kernels_0.csv",
        "wall_steps_0.csv",
        "report.html",
    }


def test_a_profile_in_which_nothing_ran_is_written_all_the_same(tmp_path: Path) -> None:
    from minispore.profiler import Profiler

    paths = Profiler(output_path=str(tmp_path)).analyse()
    assert "wall_kernels_0.csv" in {p.name for p in paths}


def test_files_carry_the_id_of_the_device(profiled) -> None:
    context.set_context(device_target="Ascend", device_id=7)
    names = {p.name for p in profiled().analyse()}
    assert "step_trace_raw_7_detail_time.csv" in names
