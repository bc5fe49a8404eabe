"""Time of an all_reduce over N devices, and of a data-parallel step that overlaps it
with the gradients.

Within a server it is a latency and a rate, from a profile of a training on 8 devices. Between
servers each device sends its share over its own RoCE port, in a number of rounds that grows with
the logarithm of the number of servers.

>>> from minispore.device.model.spec import device_spec
>>> spec = device_spec("Ascend910")
>>> all_reduce_us(spec, 10**6, 1), all_reduce_us(spec, 10**6, 8)
(0.0, 489.4)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from minispore.device.model.cost import ProgramCost
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.timeline import on_grid

#: Published: (bytes, microseconds) of a float32 sum over 8 devices, hccl_test (hiascend,
#: HCCLpertest_16_0006). Large ones agree with the profile; that all from 256 KB to 32 MB take
#: 1.75 ms is not seen in trainings.
PUBLISHED_ALL_REDUCE = (
    (8 << 10, 765),
    (64 << 10, 900),
    (128 << 10, 929),
    (256 << 10, 1573),
    (512 << 10, 1831),
    (1 << 20, 1778),
    (4 << 20, 1802),
    (8 << 20, 1768),
    (16 << 20, 1941),
    (32 << 20, 1715),
    (64 << 20, 2630),
)


def all_reduce_us(spec: DeviceSpec, nbytes: float, devices: int) -> float:
    """Microseconds of one all_reduce of ``nbytes`` over ``devices``.

    Raises:
        ValueError: for a number of devices outside of 1 to 4096.
    """
    check_devices(spec, devices)
    if devices == 1 or nbytes <= 0:
        return 0.0
    server = int(spec.server_devices)
    inside = min(devices, server)
    # A ring moves (n - 1) / n of the data twice; the rate is that of n = 8.
    share = ((inside - 1) / inside) / ((server - 1) / server)
    us = spec.hccl_latency_us + spec.hccl_us_per_mb * nbytes / 1e6 * share
    servers = math.ceil(devices / server)
    if servers > 1:
        us += spec.hccl_hop_us * math.ceil(math.log2(servers))
        us += 2 * (servers - 1) / servers * nbytes / inside / (spec.roce_gbs * 1e3)
    return us


def check_devices(spec: DeviceSpec, devices: int) -> None:
    """Raise ValueError unless ``devices`` is a number of devices that a cluster can have."""
    if isinstance(devices, bool) or not isinstance(devices, int):
        raise TypeError(f"estimate: devices must be an int, got {type(devices).__name__}.")
    if not 1 <= devices <= spec.max_devices:
        raise ValueError(
            f"estimate: devices must be from 1 to {spec.max_devices:.0f}, got {devices}."
        )


class Parallel(NamedTuple):
    """What training on N devices adds to the step of one."""

    devices: int
    all_reduce_us: float  # all of it
    exposed_us: float  # what the computation of the gradients does not hide


def data_parallel(cost: ProgramCost, devices: int, fusion: Sequence[int] | None = None) -> Parallel:
    """The all_reduce of the gradients of one step, and how much of it shows.

    All gradients are reduced at once when the last is there, unless they are cut into buckets:
    these are reduced on the HCCL lane while earlier layers' gradients are still being computed. The
    optimizer waits for the last bucket.

    Args:
        cost: the program of one device.
        devices: how many, 1 to 4096.
        fusion: MindSpore's ``all_reduce_fusion_config``: indices of the last parameter
            of each bucket.
    """
    check_devices(cost.spec, devices)
    ends = accumulate(k.us for k in cost.kernels)
    behind = [end for k, end in zip(cost.kernels, ends, strict=True) if k.kind != OPTIMIZER]
    backward_end = max(behind, default=0.0)
    free = total = 0.0
    for ready, nbytes in _buckets(cost, fusion):
        us = on_grid(all_reduce_us(cost.spec, nbytes, devices))
        free = max(free, ready) + us
        total += us
    return Parallel(devices, total, max(0.0, free - backward_end) if total else 0.0)


def _buckets(cost: ProgramCost, fusion: Sequence[int] | None) -> list[tuple[float, int]]:
    """(when its last gradient is ready, bytes) of each bucket, in the order in which
    they become ready."""
    gradients = cost.gradients  # the last parameter's comes first: parameter i is at n - 1 - i
    starts = {len(gradients) - 1 - int(i) for i in fusion or ()}
    buckets: list[tuple[float, int]] = []
    ready, size = 0.0, 0
    for position, (when, nbytes) in enumerate(gradients):
        ready, size = max(ready, when), size + nbytes
        if position + 1 in starts:
            buckets.append((ready, size))
            ready, size = 0.0, 0
    if size:
        buckets.append((ready, size))
    return buckets
