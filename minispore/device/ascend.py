"""Ascend: data sink, graph sink and loop sink."""

from __future__ import annotations

from minispore.device.runtime import Device

MBUF_BATCHES, MBUF_BYTES = 100, 2 << 30  # the sender stops at either (MindSpore, data_queue_op)


class Ascend(Device):
    """A simulated Ascend: a graph that takes its data from a queue is sunk. The host launches it
    once per sink, the device runs GetNext and the program ``sink_size`` times, and one result comes
    back. The kernels of any other graph are sent by the host.
    """

    target = "Ascend"
    sinks = loops = numbered = True
    queue_batches, queue_bytes = MBUF_BATCHES, MBUF_BYTES
