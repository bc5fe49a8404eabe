"""Alias module: arrays from and to other frameworks, at ``mindspore.utils.dlpack``."""

from minispore.ops.methods.spelled_methods import from_dlpack as from_dlpack
from minispore.ops.methods.spelled_methods import to_dlpack as to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
