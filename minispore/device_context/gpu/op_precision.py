"""Alias module: how ops compute on a GPU, at ``mindspore.device_context.gpu.op_precision``."""

from minispore.context.device_ops import conv_allow_tf32 as conv_allow_tf32
from minispore.context.device_ops import matmul_allow_tf32 as matmul_allow_tf32

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]
