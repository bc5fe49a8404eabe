"""Alias module: data types of columns, at ``mindspore.dataset.core.datatypes``."""

from minispore.ir.dtype import from_numpy as nptype_to_detype

__all__ = ["nptype_to_detype"]
