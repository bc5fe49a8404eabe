"""GPU: data sink; the host triggers each step."""

from __future__ import annotations

from minispore.device.runtime import Device

QUEUE_BATCHES, QUEUE_BYTES = 8, 1 << 30  # capacity of MindSpore's GPU queue and its pinned memory


class GPU(Device):
    """A simulated GPU: graphs take batches from a channel, and the host starts each step.

    The host launches the kernels of a sink one by one.
    """

    target = "GPU"
    sinks = True
    queue_batches, queue_bytes = QUEUE_BATCHES, QUEUE_BYTES
