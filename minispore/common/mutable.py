"""Alias module: inputs whose values may change, at ``mindspore.common.mutable``."""

from minispore.core.tree import mutable as mutable

__all__ = ["mutable"]
