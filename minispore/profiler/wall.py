"""Write the files about this computer: wall time of NumPy kernels and of interactions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from minispore.profiler.record import WallTime
from minispore.profiler.replay import Replay
from minispore.profiler.writing import write_csv


def write_wall_kernels(path: Path, times: Sequence[WallTime]) -> None:
    """Write the number of calls and the wall time of each NumPy kernel as CSV."""
    total = sum(t.total_ns for t in times) or 1
    write_csv(
        path,
        ["op", "calls", "total_ms", "average_us", "percent", "output", "scope", "line"],
        (
            [
                t.name,
                t.calls,
                t.total_ns / 1e6,
                t.total_ns / 1e3 / t.calls,
                round(100 * t.total_ns / total, 3),
                t.shape,
                t.scope,
                t.line,
            ]
            for t in times
        ),
    )


def write_wall_steps(path: Path, run: Replay) -> None:
    """Write the start, the steps and the milliseconds of each finished interaction of host and
    device as CSV.
    """
    began_ns = run.recorder.began_ns
    write_csv(
        path,
        ["interaction", "began_ms", "steps", "total_ms", "ms_per_step"],
        (
            [
                i + 1,
                (launch.began_ns - began_ns) / 1e6,
                launch.steps,
                (launch.ended_ns - launch.began_ns) / 1e6,
                (launch.ended_ns - launch.began_ns) / 1e6 / max(1, launch.steps),
            ]
            for i, launch in enumerate(run.recorder.launches)
            if launch.ended_ns
        ),
    )
