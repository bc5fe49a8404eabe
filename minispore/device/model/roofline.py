"""The roofline of a program: operations per second of its kernels over operations per byte
moved.

Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model".
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from minispore.device.model.cost import ProgramCost
from minispore.device.model.spec import DeviceSpec
from minispore.foundation import charts


class Point(NamedTuple):
    """One kernel in the roofline: its operations per byte and per second."""

    op_type: str
    engine: str  # cube or vector
    intensity: float  # operations per byte
    flops: float  # operations per second
    us: float


def make_points(cost: ProgramCost) -> list[Point]:
    """Return the points of all kernels that compute something, move bytes and take time."""
    points = []
    for k in cost.kernels:
        engine, work = ("cube", k.cube_flops) if k.cube_flops else ("vector", k.vector_flops)
        if work and k.nbytes and k.us:
            points.append(Point(k.op_type, engine, work / k.nbytes, work / k.us * 1e6, k.us))
    return points


def compute_roof(
    spec: DeviceSpec, engine: str, intensity: float, *, attainable: bool = False
) -> float:
    """Return the operations per second that ``engine`` allows at an intensity, limited by memory or
    by its peak; ``attainable`` applies the model's memory efficiency.

    >>> from minispore.device.model.spec import device_spec
    >>> spec = device_spec("Ascend910")
    >>> compute_roof(spec, "cube", 1.0), compute_roof(spec, "cube", 1e6)
    (1200000000000.0, 256000000000000.0)
    """
    memory = spec.memory_gbs * 1e9 * (spec.memory_efficiency if attainable else 1.0)
    peak = spec.peak_cube_flops if engine == "cube" else spec.peak_vector_flops
    return min(peak, memory * intensity)


def roofline(cost: ProgramCost, path: str | os.PathLike[str] | None = None) -> Any:
    """Plot the kernels of a program as dots, whose areas are their shares of the step.

    Args:
        cost: a priced program.
        path: a file to write, with the extension ``.png`` or ``.svg``.

    Returns:
        A matplotlib Figure.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: ``path`` has a different extension, or no kernel computes anything.
    """
    api_name = "Estimate.roofline"
    kernel_points = make_points(cost)
    if not kernel_points:
        raise ValueError(f"{api_name}: a kernel must compute something, got none that does.")
    drawing = charts.make_figure(api_name, height=4.2)
    axes = drawing.subplots()
    spec, total_us = cost.spec, sum(p.us for p in kernel_points)
    low = min(0.1, *(p.intensity for p in kernel_points)) / 1.5
    high = max(2e3, *(p.intensity for p in kernel_points)) * 1.5
    for engine, colour in (("cube", "#1f6fb4"), ("vector", "#e39c37")):
        engine_points = [p for p in kernel_points if p.engine == engine]
        _draw_roof(axes, spec, engine, (low, high), colour)
        axes.scatter(
            [p.intensity for p in engine_points],
            [p.flops / 1e12 for p in engine_points],
            s=[12 + 1500 * p.us / total_us for p in engine_points],
            color=colour,
            alpha=0.45,
            linewidth=0,
        )
    axes.text(
        0.985,
        0.03,
        "\n".join(f"{name} {us / total_us:.0%}" for name, us in _rank_kernel_types(kernel_points)),
        transform=axes.transAxes,
        ha="right",
        va="bottom",
        fontsize=8,
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(bottom=compute_roof(spec, "vector", low) / 1e12 / 100)  # lower: scalars only
    axes.set_xlabel("operations for each byte of memory")
    axes.set_ylabel("TFLOPS")
    axes.set_title(f"{spec.name}: kernels of a step, predicted", fontsize="medium")
    axes.legend(fontsize="small", loc="upper left")
    axes.grid(alpha=0.2)
    return charts.save_chart(api_name, drawing, path)


def _draw_roof(
    axes: Any, spec: DeviceSpec, engine: str, intensity_range: tuple[float, float], colour: str
) -> None:
    """Draw the roof of an engine into ``axes``: rising with the memory bandwidth, then flat at the
    peak.
    """
    peak = compute_roof(spec, engine, 1e30)
    ridge = peak / (spec.memory_gbs * 1e9)
    intensities = [intensity_range[0], ridge, intensity_range[1]]
    axes.plot(
        intensities, [compute_roof(spec, engine, x) / 1e12 for x in intensities],
        color=colour, linewidth=1.2,
        label=f"{engine}: {peak / 1e12:.4g} TFLOPS, {spec.memory_gbs:.4g} GB/s",
    )  # fmt: skip


def _rank_kernel_types(kernel_points: Sequence[Point], limit: int = 8) -> list[tuple[str, float]]:
    """Return the ``limit`` kernel types with the longest total time, with their microseconds."""
    us: defaultdict[str, float] = defaultdict(float)
    for p in kernel_points:
        us[p.op_type] += p.us
    return sorted(us.items(), key=lambda item: (-item[1], item[0]))[:limit]


__all__ = ["roofline"]
