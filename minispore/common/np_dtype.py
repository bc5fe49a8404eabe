"""Alias module: NumPy's types of what NumPy itself lacks, at ``mindspore.common.np_dtype``."""

from minispore.ir.dtype import bfloat16 as _bfloat16

bfloat16 = _bfloat16.np.type
__all__ = ["bfloat16"]
