"""Alias module: tensors at ``mindspore.common.tensor``."""

from minispore.core.tensor import Tensor, tensor

__all__ = ["Tensor", "tensor"]
