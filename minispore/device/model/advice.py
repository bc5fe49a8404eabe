"""Diagnosis of a training: what limits it, and which changes would help."""

from __future__ import annotations

import math
from typing import NamedTuple

from minispore.device.model.cost import ProgramCost

#: If no kernel runs in more than this share of a step, a run is host bound (hiascend, msprof).
HOST_BOUND_SHARE = 0.1
#: A sink that speeds up a step by less is not recommended.
MIN_SPEED_UP = 1.05


class StepTimes(NamedTuple):
    """The times of one step in the parts of a run, in microseconds, and the number of sinks per
    epoch.
    """

    best: str  # the best way that the target supports
    none_us: float  # the step without any sink
    best_us: float
    bare_us: float  # the best way if data were always available
    data_us: float  # the pipeline, for one batch
    copy_us: float  # host to device, for one batch
    sinks: int  # in an epoch
    dataset_size: int
    workers_help: bool = True  # more workers make the pipeline faster


def copy_us(cost: ProgramCost) -> float:
    """Return the microseconds of copying one batch to the device."""
    return cost.spec.copy_us * cost.input_columns + cost.input_bytes / (cost.spec.h2d_gbs * 1e3)


def format_ms(us: float) -> str:
    """Format microseconds as milliseconds.

    >>> format_ms(1071)
    '1.071 ms'
    """
    return f"{us / 1e3:.3f} ms"


def diagnose(cost: ProgramCost, step_times: StepTimes) -> tuple[str, list[str]]:
    """Return the bottleneck of a run as text, such as "host", and lines of advice on workers, batch
    and sink_size.
    """
    advice: list[str] = []
    if step_times.best != "none" and step_times.none_us > MIN_SPEED_UP * step_times.best_us:
        advice.append(
            f"sinking ({step_times.best}) takes {step_times.best_us / step_times.none_us:.0%} "
            "of the time of no sink: Model.train(dataset_sink_mode=True)"
        )
    if step_times.data_us > max(step_times.bare_us, step_times.copy_us):
        factor = math.ceil(step_times.data_us / max(step_times.bare_us, 1e-9))
        times = (
            f"the pipeline needs {format_ms(step_times.data_us)} a batch, the step "
            f"{format_ms(step_times.bare_us)}; "
        )
        advice += [
            f"workers: {times}about {factor} times as many (num_parallel_workers) hide it"
            if step_times.workers_help
            else f"augmentation: {times}its Python functions run one at a time, and more workers "
            "do not help (python_multiprocessing)",
            "batch and sink_size: no change, a row costs the pipeline the same in any batch",
        ]
        return "data pipeline", advice
    if step_times.copy_us > step_times.bare_us:
        advice.append(
            f"batch: one takes {format_ms(step_times.copy_us)} to copy "
            f"({cost.input_bytes / 1e6:.1f} MB); send uint8 or float16 instead of float32 and "
            "convert on the device"
        )
        return "host to device copy", advice
    bottleneck, more_advice = _diagnose_device_or_host(cost, step_times)
    return bottleneck, advice + more_advice


def _diagnose_device_or_host(cost: ProgramCost, step_times: StepTimes) -> tuple[str, list[str]]:
    """Return the bottleneck and advice of a run that is not limited by data: the bottleneck is the
    host, or the device with small kernels, compute or memory.
    """
    spec, advice = cost.spec, []
    host_us = step_times.best_us - cost.device_us
    if host_us > HOST_BOUND_SHARE * step_times.best_us and spec.target != "CPU":
        if step_times.best == "loop" and step_times.sinks > 1:
            advice.append(
                f"sink_size: {step_times.sinks} sinks an epoch; "
                f"{step_times.dataset_size} leaves one"
            )
        advice.append(
            f"batch: {format_ms(host_us)} of each step are no kernels; a larger batch shares them"
        )
        return "host", advice
    fixed_us = max(spec.kernel_us, spec.kernel_floor_us)
    small_us = sum(k.us for k in cost.kernels if max(k.compute_us, k.memory_us) <= fixed_us)
    if small_us > cost.device_us / 2:
        advice.append(
            f"batch: {small_us / cost.device_us:.0%} of the device's time are kernels too small to "
            "fill it; a larger batch costs little more"
        )
        return "device, by small kernels", advice
    compute_bound_us = sum(k.us for k in cost.kernels if k.compute_us >= k.memory_us)
    if compute_bound_us >= cost.device_us / 2:
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
