"""Time of an all_reduce over N devices, and the part of it that computation does not overlap.

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
from minispore.device.model.timeline import round_to_grid

#: Published: (bytes, microseconds) of a float32 sum over 8 devices, hccl_test (hiascend,
#: HCCLpertest_16_0006). Large sums agree with the profile. In trainings those from 256 KB to 32 MB
#: do not all take 1.75 ms.
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
    """Return the microseconds of one all_reduce of ``nbytes`` over ``devices``; 0.0 for one device
    or no bytes.

    Raises:
        ValueError: ``devices`` is not from 1 to 4096.
    """
    check_devices(spec, devices)
    if devices == 1 or nbytes <= 0:
        return 0.0
    server_size = int(spec.server_devices)
    ring_size = min(devices, server_size)
    # A ring moves (n - 1) / n of the data twice; the rate is that of n = 8.
    share = ((ring_size - 1) / ring_size) / ((server_size - 1) / server_size)
    us = spec.hccl_latency_us + spec.hccl_us_per_mb * nbytes / 1e6 * share
    servers = math.ceil(devices / server_size)
    if servers > 1:
        us += spec.hccl_hop_us * math.ceil(math.log2(servers))
        us += 2 * (servers - 1) / servers * nbytes / ring_size / (spec.roce_gbs * 1e3)
    return us


def check_devices(spec: DeviceSpec, devices: int) -> None:
    """Raise TypeError or ValueError unless a cluster can have this number of devices."""
    if isinstance(devices, bool) or not isinstance(devices, int):
        raise TypeError(f"estimate: devices must be an int, got {type(devices).__name__}.")
    if not 1 <= devices <= spec.max_devices:
        raise ValueError(
            f"estimate: devices must be from 1 to {spec.max_devices:.0f}, got {devices}."
        )


class Parallel(NamedTuple):
    """The communication time that data parallelism adds to a step."""

    devices: int
    all_reduce_us: float  # of all buckets
    exposed_us: float  # the part that does not overlap with the backward pass


def estimate_data_parallel(
    cost: ProgramCost, devices: int, fusion: Sequence[int] | None = None
) -> Parallel:
    """Return the time of the gradients' all_reduce in one step, and the part that is exposed.

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
    backward_ends = [end for k, end in zip(cost.kernels, ends, strict=True) if k.kind != OPTIMIZER]
    backward_end = max(backward_ends, default=0.0)
    network_free_us = total_us = 0.0
    for ready_us, nbytes in _make_gradient_buckets(cost, fusion):
        us = round_to_grid(all_reduce_us(cost.spec, nbytes, devices))
        network_free_us = max(network_free_us, ready_us) + us
        total_us += us
    return Parallel(
        devices, total_us, max(0.0, network_free_us - backward_end) if total_us else 0.0
    )


def _make_gradient_buckets(
    cost: ProgramCost, fusion: Sequence[int] | None
) -> list[tuple[float, int]]:
    """Return (ready time, bytes) of each all_reduce bucket of gradients, in order of readiness."""
    gradients = cost.gradients  # in reverse order of the parameters: parameter i is at n - 1 - i
    bucket_ends = {len(gradients) - 1 - int(i) for i in fusion or ()}
    buckets: list[tuple[float, int]] = []
    ready_us, bucket_bytes = 0.0, 0
    for position, (gradient_us, nbytes) in enumerate(gradients):
        ready_us, bucket_bytes = max(ready_us, gradient_us), bucket_bytes + nbytes
        if position + 1 in bucket_ends:
            buckets.append((ready_us, bucket_bytes))
            ready_us, bucket_bytes = 0.0, 0
    if bucket_bytes:
        buckets.append((ready_us, bucket_bytes))
    return buckets
