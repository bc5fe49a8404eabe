"""Alias module: how ops compute on a CPU, at ``mindspore.device_context.cpu``."""

from minispore.device.presence import cpu_available as is_available
from minispore.device.presence import cpu_count as device_count
from minispore.device_context.cpu import op_tuning as op_tuning
from minispore.device_context.cpu.op_tuning import threads_num as threads_num

__all__ = [
    "device_count",
    "is_available",
    "op_tuning",
    "threads_num",
]
