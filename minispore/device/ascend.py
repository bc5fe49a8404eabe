"""Ascend: data sink, graph sink and loop sink."""

from __future__ import annotations

from minispore.device.runtime import Device

MBUF_BATCHES, MBUF_BYTES = 100, 2 << 30  # the sender blocks at either (MindSpore, data_queue_op)


class Ascend(Device):
    """A simulated Ascend, which runs a graph that is fed by a queue as one data sink, without the
    host.

    The host launches such a graph once per sink, the device runs GetNext and the program
    ``sink_size`` times, and one result is copied back. The kernels of any other graph are launched
    by the host.
    """

    target = "Ascend"
    sinks = loops = numbered = True
    queue_batches, queue_bytes = MBUF_BATCHES, MBUF_BYTES
