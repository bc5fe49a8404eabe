"""The files about this computer: wall time of NumPy kernels and of interactions, measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from minispore.profiler.record import WallTime
from minispore.profiler.replay import Replay
from minispore.profiler.writing import table


def write_wall_kernels(path: Path, times: Sequence[WallTime]) -> None:
    """Write which NumPy kernel ran, how often, for how long: measured on this computer."""
    total = sum(t.total_ns for t in times) or 1
    table(
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
    """Write each interaction of host and device: when it began, its steps, its milliseconds."""
    began = run.recorder.began_ns
    table(
        path,
        ["interaction", "began_ms", "steps", "total_ms", "ms_per_step"],
        (
            [
                i + 1,
                (la.began_ns - began) / 1e6,
                la.steps,
                (la.ended_ns - la.began_ns) / 1e6,
                (la.ended_ns - la.began_ns) / 1e6 / max(1, la.steps),
            ]
            for i, la in enumerate(run.recorder.launches)
            if la.ended_ns
        ),
    )
