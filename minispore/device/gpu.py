"""GPU: data sink; the host triggers each step."""

from __future__ import annotations

from minispore.device.runtime import Device

QUEUE_BATCHES, QUEUE_BYTES = 8, 1 << 30  # capacity of MindSpore's GPU queue and its pinned memory


class GPU(Device):
    """A simulated GPU: data comes through a channel, and graphs take it from there by GetNext, but
    the host starts every step of a sink and sends its kernels.
    """

    target = "GPU"
    sinks = True
    queue_batches, queue_bytes = QUEUE_BATCHES, QUEUE_BYTES
