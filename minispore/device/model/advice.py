"""Which side limits a training, and what would move it."""

from __future__ import annotations

import math
from typing import NamedTuple

from minispore.device.model.cost import ProgramCost

#: Beyond this share of a step without kernels a run counts as host bound (hiascend, msprof).
HOST_BOUND_SHARE = 0.1


class Sides(NamedTuple):
    """What the sides of a run take for one step, in microseconds."""

    best: str  # the best way that the target has
    none_us: float  # without any sink
    best_us: float
    bare_us: float  # the best way, if the data were always there
    data_us: float  # the pipeline, for one batch
    copy_us: float  # host to device, for one batch
    sinks: int  # an epoch
    dataset_size: int


def copy_us(cost: ProgramCost) -> float:
    """Microseconds of copying one batch to the device."""
    return cost.spec.copy_us * cost.input_columns + cost.input_bytes / (cost.spec.h2d_gbs * 1e3)


def ms(us: float) -> str:
    """Microseconds as text in milliseconds.

    >>> ms(1071)
    '1.071 ms'
    """
    return f"{us / 1e3:.3f} ms"


def diagnose(cost: ProgramCost, sides: Sides) -> tuple[str, list[str]]:
    """The bottleneck and what would move it: workers, batch, sink_size."""
    advice: list[str] = []
    if sides.best != "none" and sides.none_us > 1.05 * sides.best_us:
        advice.append(
            f"sinking ({sides.best}) takes {sides.best_us / sides.none_us:.0%} of the time of "
            "no sink: Model.train(dataset_sink_mode=True)"
        )
    if sides.data_us > max(sides.bare_us, sides.copy_us):
        times = math.ceil(sides.data_us / max(sides.bare_us, 1e-9))
        advice += [
            f"workers: the pipeline needs {ms(sides.data_us)} a batch, the step "
            f"{ms(sides.bare_us)}; about {times} times as many (num_parallel_workers) hide it",
            "batch and sink_size: no change, a row costs the pipeline the same in any batch",
        ]
        return "data pipeline", advice
    if sides.copy_us > sides.bare_us:
        advice.append(
            f"batch: one takes {ms(sides.copy_us)} to copy ({cost.input_bytes / 1e6:.1f} MB); send "
            "uint8 or float16 instead of float32 and convert on the device"
        )
        return "host to device copy", advice
    return _device_or_host(cost, sides, advice)


def _device_or_host(cost: ProgramCost, sides: Sides, advice: list[str]) -> tuple[str, list[str]]:
    spec = cost.spec
    host_us = sides.best_us - cost.device_us
    if host_us > HOST_BOUND_SHARE * sides.best_us and spec.target != "CPU":
        if sides.best == "loop" and sides.sinks > 1:
            advice.append(
                f"sink_size: {sides.sinks} sinks an epoch; {sides.dataset_size} leaves one"
            )
        advice.append(
            f"batch: {ms(host_us)} of each step are no kernels; a larger batch shares them"
        )
        return "host", advice
    fixed_us = max(spec.kernel_us, spec.kernel_floor_us)
    small = sum(k.us for k in cost.kernels if max(k.compute_us, k.memory_us) <= fixed_us)
    if small > cost.device_us / 2:
        advice.append(
            f"batch: {small / cost.device_us:.0%} of the device's time are kernels too small to "
            "fill it; a larger batch costs little more"
        )
        return "device, by small kernels", advice
    computing = sum(k.us for k in cost.kernels if k.compute_us >= k.memory_us)
    if computing >= cost.device_us / 2:
        advice.append(
            "batch: float16 (amp_level='O2' or 'O3') and dimensions that are multiples of 16 help "
            "the cube; workers and sink_size change nothing"
        )
        return "device, by compute", advice
    advice.append(
        "batch: float16 (amp_level='O2' or 'O3') halves what is moved; workers and sink_size "
        "change nothing"
    )
    return "device, by memory", advice
