"""Time of an all_reduce over N devices.

Within a server the time is a latency plus bytes over a rate, from a profile of a training on 8
devices. Between servers each device sends its share over its own RoCE port, in a number of rounds
that grows with the logarithm of the number of servers.

>>> from minispore.device.model.spec import device_spec
>>> spec = device_spec("Ascend910")
>>> all_reduce_us(spec, 10**6, 1), all_reduce_us(spec, 10**6, 8)
(0.0, 489.4)
"""

from __future__ import annotations

import math

from minispore.device.model.records import OpRecord
from minispore.device.model.spec import DeviceSpec

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
        TypeError: ``devices`` is not an int.
        ValueError: ``devices`` is not from 1 to 4096.
    """
    check_devices(spec, devices)
    if devices == 1 or nbytes <= 0:
        return 0.0
    server_size = int(spec.server_devices)
    ring_size = min(devices, server_size)
    # A ring moves (n - 1) / n of the data twice; the rate is that of a full server (n = 8).
    share = ((ring_size - 1) / ring_size) / ((server_size - 1) / server_size)
    us = spec.hccl_latency_us + spec.hccl_us_per_mb * nbytes / 1e6 * share
    servers = math.ceil(devices / server_size)
    if servers > 1:
        us += spec.hccl_hop_us * math.ceil(math.log2(servers))
        us += 2 * (servers - 1) / servers * nbytes / ring_size / (spec.roce_gbs * 1e3)
    return us


def exchange_us(spec: DeviceSpec, record: OpRecord, devices: int) -> float:
    """Return the microseconds of a collective op over ``devices`` ranks.

    An AllReduce is a ReduceScatter and an AllGather, so each of the other ops takes half of its
    time.
    """
    nbytes = max(sum(o.nbytes for o in operands) for operands in (record.inputs, record.outputs))
    us = all_reduce_us(spec, nbytes, devices)
    return us if record.name.startswith("AllReduce") else us / 2


def check_devices(spec: DeviceSpec, devices: int) -> None:
    """Raise TypeError or ValueError unless a cluster can have this number of devices."""
    if isinstance(devices, bool) or not isinstance(devices, int):
        raise TypeError(f"estimate: devices must be an int, got {type(devices).__name__}.")
    if not 1 <= devices <= spec.max_devices:
        raise ValueError(
            f"estimate: devices must be from 1 to {spec.max_devices:.0f}, got {devices}."
        )
