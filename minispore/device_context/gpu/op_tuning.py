"""Alias module: how ops compute on a GPU, at ``mindspore.device_context.gpu.op_tuning``."""

from minispore.context.device_ops import conv_dgrad_algo as conv_dgrad_algo
from minispore.context.device_ops import conv_fprop_algo as conv_fprop_algo
from minispore.context.device_ops import conv_wgrad_algo as conv_wgrad_algo

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]
