"""Alias module: anything array-like as tensors, at ``mindspore.numpy.utils``."""

from minispore.ops.mnp.scripts import _to_tensor as _to_tensor
