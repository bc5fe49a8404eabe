"""Door: how ops compute on a CPU, at ``mindspore.device_context.cpu``."""

from minispore.device_context.cpu import op_tuning as op_tuning

__all__ = ["op_tuning"]
