"""The files of MindSpore 2.x in ``ASCEND_PROFILER_OUTPUT``, which MindStudio's tools read.

All times are virtual microseconds since the start of the recording. The steps are those of the
timeline, which contains the kernels of a run's first steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

from minispore.device.model.timeline import Record
from minispore.profiler import files, kernels, transfers
from minispore.profiler.memory import memory_over_time
from minispore.profiler.options import Options
from minispore.profiler.replay import PricedProgram, Replay
from minispore.profiler.steps import iterate_steps
from minispore.profiler.writing import FileList, write_csv, write_json

Interval = tuple[float, float]

_CORES = {"AI Core": "AI_CORE", "AI CPU": "AI_CPU", "HCCL": "COMMUNICATION"}  # by lane
_LINKS = ("HCCS", "PCIE", "RDMA", "SDMA", "SIO")
_POINT_TO_POINT = ("Send", "Receive")


def write_all(run: Replay, options: Options, folder: Path) -> list[Path]:
    """Write every file of a ``profile`` recording that ``options`` request, and return the paths;
    files about programs only if one ran.
    """
    written = FileList(folder)
    if options.training_trace and run.main is not None:
        _write_step_times(written.add("step_trace_time.csv"), run)
    if options.task_trace and run.main is not None:
        _write_kernel_details(written.add("kernel_details.csv"), run)
        _write_op_statistic(written.add("op_statistic.csv"), run)
        kernels.write_trace(written.add("trace_view.json"), run)
        if any(r.lane == "HCCL" for r in run.timeline):
            _write_communication(written.add("communication.json"), run)
    if options.memory and run.main is not None:
        _write_operator_memory(written.add("operator_memory.csv"), run.main, run.machine.device_id)
        _write_memory_record(written.add("memory_record.csv"), run.main, run.machine.device_id)
    return written + files.write_common(run, options, folder)


# -- steps -----------------------------------------------------------------------------------------


def _write_step_times(path: Path, run: Replay) -> None:
    """Write a CSV file with the computing, communication and idle time of each step."""
    rows = []
    for number, begin, end, tasks in iterate_steps(run):
        computing = _merge_intervals(r for r in tasks if r.lane == "AI Core")
        transfers = [r for r in tasks if r.lane == "HCCL"]
        communication = _merge_intervals(transfers)
        overlapped = _sum_lengths(computing) + _sum_lengths(communication)
        overlapped -= _sum_lengths(
            _merge_intervals(r for r in tasks if r.lane in ("AI Core", "HCCL"))
        )
        # The time in Receive, that is, waiting for another pipeline stage, counts as bubble.
        bubble = sum((r.duration_us for r in transfers if r.op_type == "Receive"), 0.0)
        exposed = _sum_lengths(communication) - overlapped
        span = communication[-1][1] - communication[0][0] if communication else 0.0
        first_us = min((start for start, _ in computing[:1] + communication[:1]), default=begin)
        rows.append(
            [
                number,
                _sum_lengths(computing),
                exposed,
                overlapped,
                _sum_lengths(communication),
                end - begin - _sum_lengths(computing) - exposed,
                span - bubble,
                bubble,
                exposed - bubble,
                first_us - begin,
            ]
        )
    header = ["Step", "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication",
              "Free", "Stage", "Bubble", "Communication(Not Overlapped and Exclude Receive)",
              "Preparing"]  # fmt: skip
    write_csv(path, header, rows)


def _merge_intervals(tasks: Iterable[Record]) -> list[Interval]:
    """Return the times at which at least one task ran, as ordered intervals."""
    intervals: list[Interval] = []
    for task in sorted(tasks, key=lambda task: task.start_us):
        if intervals and task.start_us <= intervals[-1][1]:
            start, end = intervals[-1]
            intervals[-1] = (start, max(end, task.end_us))
        else:
            intervals.append((task.start_us, task.end_us))
    return intervals


def _sum_lengths(intervals: Iterable[Interval]) -> float:
    """Return the total length of intervals."""
    return sum((end - start for start, end in intervals), 0.0)


# -- kernels ---------------------------------------------------------------------------------------


def _write_kernel_details(path: Path, run: Replay) -> None:
    """Write each task of the device as CSV, with the time since the last task of its stream."""
    previous_ends: dict[tuple[str, int], float] = {}
    rows = []
    for task_id, r in enumerate(r for r in run.timeline if r.lane in _CORES):
        stream = (r.lane, r.stream)
        wait_us = max(0.0, r.start_us - previous_ends.get(stream, 0.0))
        previous_ends[stream] = r.end_us
        core = _CORES[r.lane]
        rows.append(
            [r.step, run.machine.device_id, 0, task_id, r.stream, r.name, r.op_type or r.name, core,
             r.start_us, r.duration_us, wait_us]
        )  # fmt: skip
    header = ["Step ID", "Device_id", "Model ID", "Task ID", "Stream ID", "Name", "Type",
              "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)"]  # fmt: skip
    write_csv(path, header, rows)


def _write_op_statistic(path: Path, run: Replay) -> None:
    """Write the count and times of each kernel type over all steps as CSV, longest first."""
    durations: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for program in run.programs:
        for k in program.cost.kernels:
            durations.setdefault((k.op_type, _CORES[k.lane]), []).append((k.us, program.steps))
    totals = {key: sum(us * n for us, n in times) for key, times in durations.items()}
    all_us = sum(totals.values()) or 1.0
    rows = []
    for op_type, core in sorted(totals, key=lambda key: (-totals[key], key)):
        times, total = durations[op_type, core], totals[op_type, core]
        count = sum(n for _, n in times)
        each = [us for us, _ in times]
        rows.append(
            [run.machine.device_id, op_type, core, count, total, min(each), total / count,
             max(each), 100 * total / all_us]
        )  # fmt: skip
    header = ["Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)",
              "Avg Time(us)", "Max Time(us)", "Ratio(%)"]  # fmt: skip
    write_csv(path, header, rows)


def _write_communication(path: Path, run: Replay) -> None:
    """Write the collectives and the messages of each step as JSON: times, sizes, bandwidths."""
    steps = {}
    for number, _, _, tasks in iterate_steps(run):
        ops: dict[str, dict[str, Any]] = {"p2p": {}, "collective": {}}
        for i, r in enumerate(r for r in tasks if r.lane == "HCCL"):
            kind = "p2p" if r.op_type in _POINT_TO_POINT else "collective"
            ops[kind][transfers.get_transfer_name(r, i)] = _describe_transfer(r)
        steps[f"step{number}"] = ops
    write_json(path, steps)


def _describe_transfer(r: Record) -> dict[str, Any]:
    """Return the times, size and bandwidth of a transfer; the model has one kind of link."""
    ms, megabytes = r.duration_us / 1e3, r.nbytes / 1e6
    times = {
        "Start Timestamp(us)": r.start_us,
        "Elapse Time(ms)": ms,
        "Transit Time(ms)": ms,
        "Wait Time(ms)": 0.0,
        "Synchronization Time(ms)": 0.0,
        "Idle Time(ms)": 0.0,
        "Wait Time Ratio": 0.0,
        "Synchronization Time Ratio": 0.0,
    }
    links = {
        link: {
            "Transit Size(MB)": megabytes if link == "HCCS" else 0.0,
            "Transit Time(ms)": ms if link == "HCCS" else 0.0,
            "Bandwidth(GB/s)": megabytes / ms if link == "HCCS" else 0.0,
            "Large Packet Ratio": 0.0,
            "Size Distribution": {},
        }
        for link in _LINKS
    }
    return {"Communication Time Info": times, "Communication Bandwidth Info": links}


# -- memory ----------------------------------------------------------------------------------------


def _write_operator_memory(path: Path, priced: PricedProgram, device_id: int) -> None:
    """Write each array of a step as CSV: its size, its live range, and the memory in use at both
    ends.
    """
    kernel_ends = list(accumulate((k.us for k in priced.cost.kernels), initial=0.0))
    # kernel_ends[k] is when kernel k begins, and op_kernels[i] is the kernel of op i; an array
    # lives from the op life.first to the op life.last.
    op_kernels, plan = priced.cost.op_kernels, priced.plan
    totals = [nbytes / 2**20 for nbytes in plan.totals]
    reserved = plan.capacity / 2**20
    rows = []
    for life in plan.lifetimes if op_kernels else ():
        begin = kernel_ends[op_kernels[life.first]]
        end = kernel_ends[min(len(kernel_ends) - 1, op_kernels[life.last] + 1)]
        first, last = totals[life.first], totals[life.last]
        rows.append(
            [life.label or life.kind, life.nbytes / 1024, begin, end, end, end - begin, end - begin,
             first, reserved, first, last, reserved, last, 0, f"NPU:{device_id}"]
        )  # fmt: skip
    header = ["Name", "Size(KB)", "Allocation Time(us)", "Release Time(us)",
              "Active Release Time(us)", "Duration(us)", "Active Duration(us)",
              "Allocation Total Allocated(MB)", "Allocation Total Reserved(MB)",
              "Allocation Total Active(MB)", "Release Total Allocated(MB)",
              "Release Total Reserved(MB)", "Release Total Active(MB)", "Stream Ptr",
              "Device Type"]  # fmt: skip
    write_csv(path, header, rows)


def _write_memory_record(path: Path, priced: PricedProgram, device_id: int) -> None:
    """Write the memory in use at the start of each op of a step as CSV."""
    reserved = priced.plan.capacity / 2**20
    rows = []
    for us, kinds in memory_over_time(priced):
        used = sum(kinds.values()) / 2**20
        rows.append(["MindSpore", us, used, reserved, used, f"NPU:{device_id}"])
    header = ["Component", "Timestamp(us)", "Total Allocated(MB)", "Total Reserved(MB)",
              "Total Active(MB)", "Device Type"]  # fmt: skip
    write_csv(path, header, rows)
