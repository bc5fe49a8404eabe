"""Kernels under the roofs of a device: what they compute a second, by what they compute for each
byte that they move.

Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model".
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from minispore import chart
from minispore.device.model.cost import ProgramCost
from minispore.device.model.spec import DeviceSpec


class Point(NamedTuple):
    """One kernel: operations for each byte, and a second."""

    op_type: str
    engine: str  # cube or vector
    intensity: float  # operations a byte
    flops: float  # operations a second
    us: float


def points(cost: ProgramCost) -> list[Point]:
    """The kernels that compute and move anything."""
    found = []
    for k in cost.kernels:
        engine, work = ("cube", k.cube_flops) if k.cube_flops else ("vector", k.vector_flops)
        if work and k.nbytes and k.us:
            found.append(Point(k.op_type, engine, work / k.nbytes, work / k.us * 1e6, k.us))
    return found


def roof(spec: DeviceSpec, engine: str, intensity: float, *, reached: bool = False) -> float:
    """The operations a second that ``engine`` allows at an intensity: those of the memory, or its
    peak; ``reached`` has them as the model takes them, less what is never reached.

    >>> from minispore.device.model.spec import device_spec
    >>> spec = device_spec("Ascend910")
    >>> roof(spec, "cube", 1.0), roof(spec, "cube", 1e6)
    (1200000000000.0, 256000000000000.0)
    """
    memory = spec.memory_gbs * 1e9 * (spec.memory_efficiency if reached else 1.0)
    peak = spec.peak_cube_flops if engine == "cube" else spec.peak_vector_flops
    return min(peak, memory * intensity)


def roofline(cost: ProgramCost, path: str | os.PathLike[str] | None = None) -> Any:
    """Draw the kernels of a program; a larger dot takes a larger part of the step.

    Args:
        cost: a priced program.
        path: a file to write, ``.png`` or ``.svg`` by its ending.

    Returns:
        A matplotlib Figure.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: ``path`` has another ending, or no kernel computes anything.
    """
    who = "Estimate.roofline"
    found = points(cost)
    if not found:
        raise ValueError(f"{who}: a kernel must compute something, got none that does.")
    drawing = chart.figure(who, height=4.2)
    axes = drawing.subplots()
    spec, whole = cost.spec, sum(p.us for p in found)
    low = min(0.1, *(p.intensity for p in found)) / 1.5
    high = max(2e3, *(p.intensity for p in found)) * 1.5
    for engine, colour in (("cube", "#1f6fb4"), ("vector", "#e39c37")):
        mine = [p for p in found if p.engine == engine]
        _draw_roof(axes, spec, engine, (low, high), colour)
        axes.scatter(
            [p.intensity for p in mine],
            [p.flops / 1e12 for p in mine],
            s=[12 + 1500 * p.us / whole for p in mine],
            color=colour,
            alpha=0.45,
            linewidth=0,
        )
    axes.text(
        0.985,
        0.03,
        "\n".join(f"{name} {us / whole:.0%}" for name, us in _longest(found)),
        transform=axes.transAxes,
        ha="right",
        va="bottom",
        fontsize=8,
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(bottom=roof(spec, "vector", low) / 1e12 / 100)  # what is lower is a few numbers
    axes.set_xlabel("operations for each byte of memory")
    axes.set_ylabel("TFLOPS")
    axes.set_title(f"{spec.name}: kernels of a step, predicted", fontsize="medium")
    axes.legend(fontsize="small", loc="upper left")
    axes.grid(alpha=0.2)
    return chart.saved(who, drawing, path)


def _draw_roof(
    axes: Any, spec: DeviceSpec, engine: str, ends: tuple[float, float], colour: str
) -> None:
    peak = roof(spec, engine, 1e30)
    ridge = peak / (spec.memory_gbs * 1e9)
    at = [ends[0], ridge, ends[1]]
    axes.plot(
        at, [roof(spec, engine, x) / 1e12 for x in at], color=colour, linewidth=1.2,
        label=f"{engine}: {peak / 1e12:.4g} TFLOPS, {spec.memory_gbs:.4g} GB/s",
    )  # fmt: skip


def _longest(found: Sequence[Point], most: int = 8) -> list[tuple[str, float]]:
    """The types that take longest, and the microseconds of each."""
    us: defaultdict[str, float] = defaultdict(float)
    for p in found:
        us[p.op_type] += p.us
    return sorted(us.items(), key=lambda item: (-item[1], item[0]))[:most]


__all__ = ["roofline"]
