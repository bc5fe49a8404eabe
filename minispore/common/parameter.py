"""Alias module: parameters at ``mindspore.common.parameter``."""

from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.parameter import _Buffer as _Buffer

__all__ = ["Parameter", "ParameterTuple"]
