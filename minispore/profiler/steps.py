"""Write the step trace: each step from the end of the one before, in virtual time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from minispore.device.model.cost import ProgramCost
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.schedule import StepMark
from minispore.device.model.timeline import Record
from minispore.errors import warn
from minispore.profiler.options import Options
from minispore.profiler.replay import Replay
from minispore.profiler.writing import write_csv, write_json

TICKS = 100  # units of 10 ns, as in the step trace, per microsecond
HEADER = (
    "step_num",
    "start_point",
    "end_point",
    "total",
    "fp_point",
    "bp_point",
    "iteration_interval",
    "fp_and_bp",
    "tail",
)


class StepPoints:
    """The points of one step, in virtual microseconds."""

    def __init__(self, mark: StepMark, start_us: float, fp_us: float, bp_us: float) -> None:
        self.number, self.start_us, self.end_us = mark.step, start_us, mark.end_us
        self.fp_us, self.bp_us = fp_us, bp_us

    def get_row(self) -> list[int]:
        """Return the columns of ``HEADER`` after the step's number, in units of 10 ns: start, end,
        total, begin of the forward pass, end of the backward pass, and the times between these.
        """
        points = (self.start_us, self.end_us, self.fp_us, self.bp_us)
        start, end, fp, bp = (round(us * TICKS) for us in points)
        return [start, end, end - start, fp, bp, fp - start, bp - fp, end - bp]


def compute_step_points(run: Replay, options: Options) -> list[StepPoints]:
    """Return the points of each step, which begins at the end of the previous one; ``fp_us`` and
    ``bp_us`` are within it.
    """
    offsets = compute_point_offsets(run.main.cost, options) if run.main is not None else (0.0, None)
    points: list[StepPoints] = []
    start = 0.0
    for mark in run.marks:
        fp = min(mark.end_us, mark.fp_start_us + offsets[0])
        bp = mark.bp_end_us if offsets[1] is None else mark.fp_start_us + offsets[1]
        points.append(StepPoints(mark, start, fp, max(fp, min(bp, mark.end_us))))
        start = mark.end_us
    return points


def iterate_steps(run: Replay) -> Iterator[tuple[int, float, float, list[Record]]]:
    """Yield number, begin, end and tasks of each step that has tasks in the timeline.

    Times are in microseconds; tasks without duration are left out.
    """
    begin = 0.0
    for mark in run.marks:
        tasks = [r for r in run.timeline if r.step == mark.step and r.duration_us > 0]
        if tasks:
            yield mark.step, begin, mark.end_us, tasks
        begin = mark.end_us


def compute_point_offsets(cost: ProgramCost, options: Options) -> tuple[float, float | None]:
    """Return the offsets of the start of ``fp_point`` and the end of ``bp_point``, in microseconds
    from the first kernel.

    They are 0 and None if the option does not name a kernel.
    """
    ends = list(accumulate((k.us for k in cost.kernels), initial=0.0))
    fp = _find_kernel(cost, options.fp_point)
    bp = _find_kernel(cost, options.bp_point)
    return (0.0 if fp is None else ends[fp]), (None if bp is None else ends[bp + 1])


def _find_kernel(cost: ProgramCost, name: str) -> int | None:
    """Return the index of the first kernel whose full name, op or op type is ``name``, or None."""
    for i, k in enumerate(cost.kernels):
        if name and (name == k.name or name in k.ops or name == k.op_type):
            return i
    return None


def write_step_trace(path: Path, run: Replay, options: Options) -> None:
    """Write one row per step and one with the averages, in units of 10 ns."""
    points = compute_step_points(run, options)
    rows: list[list[Any]] = [[p.number, *p.get_row()] for p in points]
    if rows:
        means = [round(sum(r[i] for r in rows) / len(rows)) for i in range(1, len(HEADER))]
        rows.append(["-", *means])
    write_csv(path, HEADER, rows)


def write_points(path: Path, cost: ProgramCost, options: Options) -> None:
    """Write the names of the kernels at the forward pass's start and the backward pass's end as
    JSON.

    Warns of an option that does not name a kernel.
    """
    fp, bp = _find_kernel(cost, options.fp_point), _find_kernel(cost, options.bp_point)
    for name, point, index in (("fp", options.fp_point, fp), ("bp", options.bp_point, bp)):
        if point and index is None:
            warn(
                f"Profiler: {name}_point must name a kernel of the step, got {point!r}, which is "
                "left out. Take a name of the kernel files."
            )
    last = [i for i, k in enumerate(cost.kernels) if k.kind != OPTIMIZER]
    names = [k.name for k in cost.kernels] or [""]
    write_json(
        path,
        {
            "fp_start": names[0 if fp is None else fp],
            "bp_end": names[bp if bp is not None else last[-1] if last else 0],
        },
    )
