"""Alias module for ``mindspore.numpy.utils``: conversion of anything array-like to tensors."""

from minispore.ops.mnp.scripts import _to_tensor as _to_tensor
