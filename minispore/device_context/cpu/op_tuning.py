"""Alias module: how ops compute on a CPU, at ``mindspore.device_context.cpu.op_tuning``."""

from minispore.context.device_ops import threads_num as threads_num

__all__ = ["threads_num"]
