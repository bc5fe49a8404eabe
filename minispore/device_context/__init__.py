"""Alias module: settings of a device's ops, at ``mindspore.device_context``."""

from minispore.device_context import ascend as ascend
from minispore.device_context import cpu as cpu
from minispore.device_context import gpu as gpu

__all__ = ["ascend", "cpu", "gpu"]
