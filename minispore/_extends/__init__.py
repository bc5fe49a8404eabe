"""Alias module: the decorator of constructors at ``mindspore._extends``."""

from minispore.graph import lazy_inline as cell_attr_register

__all__ = ["cell_attr_register"]
