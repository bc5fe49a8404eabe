"""Alias module: a GPU's ops, at ``mindspore.ops.operations._rl_inner_ops``."""

from minispore.ops.control.elsewhere import CudnnGRU as CudnnGRU

__all__ = ["CudnnGRU"]
