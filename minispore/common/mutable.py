"""Door: inputs whose values may change, at ``mindspore.common.mutable``."""

from minispore.core.tensor import mutable as mutable

__all__ = ["mutable"]
