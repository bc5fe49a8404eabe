"""Ascend: data sink, graph sink and loop sink."""

from __future__ import annotations

from minispore.device.runtime import Device

MBUF_BATCHES, MBUF_BYTES = 100, 2 << 30  # the sender stops at either (MindSpore, data_queue_op)


class Ascend(Device):
    """A simulated Ascend: the host launches once per sink, the device runs GetNext and the program
    ``sink_size`` times, and one result comes back.
    """

    target = "Ascend"
    sinks = True
    queue_batches, queue_bytes = MBUF_BATCHES, MBUF_BYTES

    def _host_triggers(self, loop: int) -> None:
        """Nothing: the loop over the steps runs on the device."""
