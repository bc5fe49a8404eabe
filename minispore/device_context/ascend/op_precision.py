"""Alias module: op precision, at ``mindspore.device_context.ascend.op_precision``."""

from minispore.context.device_ops import conv_allow_hf32 as conv_allow_hf32
from minispore.context.device_ops import matmul_allow_hf32 as matmul_allow_hf32
from minispore.context.device_ops import op_precision_mode as op_precision_mode
from minispore.context.device_ops import precision_mode as precision_mode

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]
