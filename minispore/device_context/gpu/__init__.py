"""Alias module: how ops compute on a GPU, at ``mindspore.device_context.gpu``."""

from minispore.device.presence import gpu_available as is_available
from minispore.device.presence import gpu_count as device_count
from minispore.device_context.gpu import op_precision as op_precision
from minispore.device_context.gpu import op_tuning as op_tuning
from minispore.device_context.gpu.op_precision import conv_allow_tf32 as conv_allow_tf32
from minispore.device_context.gpu.op_precision import matmul_allow_tf32 as matmul_allow_tf32
from minispore.device_context.gpu.op_tuning import conv_dgrad_algo as conv_dgrad_algo
from minispore.device_context.gpu.op_tuning import conv_fprop_algo as conv_fprop_algo
from minispore.device_context.gpu.op_tuning import conv_wgrad_algo as conv_wgrad_algo

__all__ = [
    "conv_allow_tf32",
    "conv_dgrad_algo",
    "conv_fprop_algo",
    "conv_wgrad_algo",
    "device_count",
    "is_available",
    "matmul_allow_tf32",
    "op_precision",
    "op_tuning",
]
