"""Alias module: functions with derivatives of their own, at ``mindspore.common._grad_function``."""

from minispore.nn.function import _Function as _Function

__all__ = ["_Function"]
