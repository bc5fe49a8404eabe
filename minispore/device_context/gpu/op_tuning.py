"""Door: how ops compute on a GPU, at ``mindspore.device_context.gpu.op_tuning``."""

from minispore.context.device_ops import conv_fprop_algo as conv_fprop_algo

__all__ = ["conv_fprop_algo"]
