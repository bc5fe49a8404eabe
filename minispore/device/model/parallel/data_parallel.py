"""Time of the gradients' all_reduce, and the part of it that computation does not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from minispore.device.model.collective import all_reduce_us, check_devices
from minispore.device.model.cost import ProgramCost
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.timeline import round_to_grid


class Parallel(NamedTuple):
    """The communication time that data parallelism adds to a step."""

    devices: int
    all_reduce_us: float  # time of all buckets
    exposed_us: float  # the part not overlapped by the backward pass


def estimate_data_parallel(
    cost: ProgramCost, devices: int, fusion: Sequence[int] | None = None
) -> Parallel:
    """Return the time of the gradients' all_reduce in one step, and the part that is exposed.

    All gradients are reduced at once when the last one is computed, unless they are cut into
    buckets: these are reduced on the HCCL lane while the gradients of earlier layers are still
    being computed. The optimizer waits for the last bucket.

    Args:
        cost: the program of one device.
        devices: the number of devices, 1 to 4096.
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
    gradients = cost.gradients  # in reverse order of the parameters: parameter i is item n - 1 - i
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
