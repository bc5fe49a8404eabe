"""Door: tensors at ``mindspore.common.tensor``."""

from minispore.core.tensor import Tensor

__all__ = ["Tensor"]
