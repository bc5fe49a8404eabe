"""Write the files about kernels: durations, types, operations, metrics, AI CPU and timeline."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from minispore.device.model.cost import Kernel, ProgramCost
from minispore.device.model.timeline import Timeline, trace_events
from minispore.foundation.files import write_text
from minispore.profiler.replay import PricedProgram, Replay
from minispore.profiler.writing import MODEL_NOTE, write_csv, write_json

TIMELINE_BYTES = 20 * 2**20  # the size limit of MindSpore's timeline file
AICPU_HEADER = (
    "serial_num",
    "kernel_type",
    "total_time",
    "dispatch_time",
    "execution_time",
    "run_start",
    "run_end",
)


def _select_kernels(programs: Iterable[PricedProgram], lane: str) -> list[tuple[Kernel, int]]:
    """Return the kernels of one lane in these programs, each with the number of times it ran."""
    return [(k, p.steps) for p in programs for k in p.cost.kernels if k.lane == lane]


def write_detail(path: Path, programs: Sequence[PricedProgram]) -> None:
    """Write each AI Core kernel with its milliseconds and its number of runs as CSV."""
    write_csv(
        path,
        ["full_kernel_name", "task_duration", "execution_frequency", "task_type"],
        (
            [k.name, k.us / 1e3, times, "AI_CORE"]
            for k, times in _select_kernels(programs, "AI Core")
        ),
    )


def write_framework(path: Path, programs: Sequence[PricedProgram]) -> None:
    """Write the op, scope and type of each AI Core kernel as CSV, to complement the durations that
    :func:`write_detail` writes.
    """
    rows = []
    for i, (k, _) in enumerate(_select_kernels(programs, "AI Core")):
        operator = k.name.rpartition("/")[2]
        rows.append([i, 0, k.cores, k.name, operator, k.op_type, k.op_type, k.scope, "{}"])
    header = ["task_id", "stream_id", "block_dim", "full_kernel_name", "op_name", "kernel_name",
              "kernel_type", "subgraph", "op_info"]  # fmt: skip
    write_csv(path, header, rows)


def write_types(path: Path, programs: Sequence[PricedProgram]) -> None:
    """Write the milliseconds of each kernel type over all steps and its share from 0 to 1 as CSV,
    longest first.
    """
    us: dict[str, float] = {}
    count: dict[str, int] = {}
    for k, times in _select_kernels(programs, "AI Core"):
        us[k.op_type] = us.get(k.op_type, 0.0) + k.us * times
        count[k.op_type] = count.get(k.op_type, 0) + times
    total = sum(us.values()) or 1.0
    write_csv(
        path,
        ["kernel_type", "total_time", "execution_frequency", "percent"],
        (
            [t, us[t] / 1e3, count[t], round(us[t] / total, 6)]
            for t in sorted(us, key=lambda t: (-us[t], t))
        ),
    )


def write_flops(path: Path, programs: Sequence[PricedProgram]) -> None:
    """Write the floating-point operations of each AI Core kernel and their rate, one kernel per
    line: matrix products first, then vector ops.
    """
    lines = [
        "full_kernel_name, MFLOPs(10^6 cube), GFLOPS(10^9 cube), "
        "MFLOPs(10^6 vector), GFLOPS(10^9 vector)"
    ]
    for k, _ in _select_kernels(programs, "AI Core"):
        rates = [f"{n / 1e6:.6g}, {n / k.us / 1e3:.6g}" for n in (k.cube_flops, k.vector_flops)]
        lines.append(f"{k.name}, {rates[0]}, {rates[1]}")
    write_text(path, "\n".join(lines) + "\n")


def write_flops_summary(path: Path, run: Replay) -> None:
    """Write the floating-point operations of one step of the main program, their rate, and its
    percentage of the device's peak, as JSON.
    """
    assert run.main is not None
    cost, spec = run.main.cost, run.machine.spec
    us = cost.device_us or 1.0
    cube, vector = cost.cube_flops, sum(k.vector_flops for k in cost.kernels)
    write_json(
        path,
        {
            "cube_FLOPs": cube / 1e6,
            "cube_FLOPS": cube / us / 1e3,
            "cube_FLOPS_Utilization": 100 * cube / us * 1e6 / spec.peak_cube_flops,
            "vec_FLOPs": vector / 1e6,
            "vec_FLOPS": vector / us / 1e3,
            "vec_FLOPS_Utilization": 100 * vector / us * 1e6 / spec.peak_vector_flops,
            "note": MODEL_NOTE,
        },
    )


def write_flops_scope(path: Path, cost: ProgramCost) -> None:
    """Write the floating-point operations of one step as a tree of Cells, in JSON."""
    root: dict[str, Any] = {"name": "Default", "FLOPs": 0.0, "children": {}}
    for k in cost.kernels:
        node = root
        node["FLOPs"] += k.cube_flops + k.vector_flops
        for component in k.scope.split(".") if k.scope else []:
            node = node["children"].setdefault(
                component, {"name": component, "FLOPs": 0.0, "children": {}}
            )
            node["FLOPs"] += k.cube_flops + k.vector_flops
    write_json(path, _convert_scope_tree(root))


def _convert_scope_tree(node: dict[str, Any]) -> dict[str, Any]:
    """Return the node of a scope, with its children as a list and its operations in MFLOPs."""
    return {
        "name": node["name"],
        "MFLOPs": node["FLOPs"] / 1e6,
        "children": [_convert_scope_tree(child) for child in node["children"].values()],
    }


def write_metrics(path: Path, cost: ProgramCost, metrics: str) -> None:
    """Write one group of AI Core metrics of each kernel as CSV; 0 for values that the model does
    not have.
    """
    columns = METRIC_COLUMNS[metrics]
    rows = []
    for kernel in cost.kernels:
        busy = max(kernel.us, 1e-9)
        model_values = {
            "mac_ratio": kernel.compute_us / busy if kernel.cube_flops else 0.0,
            "vec_ratio": 0.0 if kernel.cube_flops else kernel.compute_us / busy,
            "mem_ratio": kernel.memory_us / busy,
            "gbs": kernel.nbytes / busy / 1e3,
            "l0": kernel.cube_flops / 2 / 16**3 * 2 * 512 / busy / 1e3,  # 2 tiles of 512 B per step
            "none": 0.0,
        }
        values = [
            min(model_values[c], 1.0) if c.endswith("ratio") else model_values[c]
            for c in columns.values()
        ]
        rows.append([kernel.name, *(round(v, 6) for v in values)])
    write_csv(path, ["full_kernel_name", *columns], rows)


#: ai_core_metrics -> the columns of MindSpore's file, and the model's value for each.
METRIC_COLUMNS: dict[str, dict[str, str]] = {
    "ArithmeticUtilization": {"mac_fp16_ratio": "mac_ratio", "vec_fp16_ratio": "vec_ratio"},
    "PipeUtilization": {
        "vec_ratio": "vec_ratio",
        "mac_ratio": "mac_ratio",
        "mte2_ratio": "mem_ratio",
        "mte3_ratio": "mem_ratio",
    },
    "Memory": {"main_mem_bw(GB/s)": "gbs"},
    "MemoryL0": {"l0a_l0b_read_bw(GB/s)": "l0"},
    "ResourceConflictRatio": {"vec_bankgroup_cflt_ratio": "none", "vec_bank_cflt_ratio": "none"},
}


def write_aicpu(path: Path, timeline: Timeline) -> None:
    """Write the AI CPU's tasks (GetNext) of the first steps as CSV.

    Durations are in milliseconds, start and end in microseconds; ``dispatch_time`` is the time
    since the last task, and part of ``total_time``.
    """
    rows: list[list[Any]] = []
    idle_since = 0.0
    for record in timeline:
        if record.lane == "AI CPU":
            dispatch = max(0.0, record.start_us - idle_since)
            duration = record.duration_us
            total = (dispatch + duration) / 1e3
            rows.append(
                [
                    len(rows) + 1,
                    record.op_type,
                    total,
                    dispatch / 1e3,
                    duration / 1e3,
                    record.start_us,
                    record.end_us,
                ]
            )
            idle_since = record.end_us
    write_csv(path, AICPU_HEADER, rows)


def write_tasks(path: Path, timeline: Timeline) -> None:
    """Write the name, stream, start in us and duration in ms of each task of the first steps."""
    lines = ["kernel_name, stream_id, start_time(us), duration(ms)"]
    for r in timeline:
        if r.lane in ("AI Core", "AI CPU", "HCCL"):
            lines.append(f"{r.name}, {r.stream}, {r.start_us}, {r.duration_us / 1e3}")
    write_text(path, "\n".join(lines) + "\n")


def write_trace(path: Path, run: Replay) -> None:
    """Write the first steps as Chrome trace events, for Perfetto; events beyond 20 MB are
    omitted.
    """
    device = run.machine.device_id
    events = trace_events(run.timeline, device)
    previous = 0.0
    for mark in run.marks:
        if mark.step <= run.timeline.last_step:
            events.append({"name": str(mark.step), "ph": "X", "pid": device, "tid": 100000,
                           "ts": previous, "dur": mark.end_us - previous, "cat": "step",
                           "args": {}})  # fmt: skip
            previous = mark.end_us
    name_event = {"name": "thread_name", "ph": "M", "pid": device, "tid": 100000}
    events.append({**name_event, "args": {"name": "Steps"}})
    text = json.dumps(events, separators=(",", ":"))
    while len(text) > TIMELINE_BYTES:
        events = events[: len(events) * 3 // 4]
        text = json.dumps(events, separators=(",", ":"))
    write_text(path, text)


def write_trace_summary(path: Path, run: Replay) -> None:
    """Write totals of the timeline's device tasks as JSON: milliseconds, streams, names, tasks."""
    tasks = [r for r in run.timeline if r.lane in ("AI Core", "AI CPU", "HCCL")]
    write_json(
        path,
        {
            "total_time": sum(r.duration_us for r in tasks) / 1e3,
            "num_of_streams": len({r.stream for r in tasks}),
            "num_of_ops": len({r.name for r in tasks}),
            "op_exe_times": len(tasks),
            "max_scope_name_num": max((r.scope.count(".") + 1 for r in tasks), default=0),
            "note": MODEL_NOTE,
        },
    )
