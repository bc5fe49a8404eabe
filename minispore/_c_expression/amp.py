"""Alias module: strategies of mixed precision, at ``mindspore._c_expression.amp``."""

from minispore.nn.strategy import AmpLevel as AmpLevel
from minispore.nn.strategy import create_amp_strategy as create_amp_strategy

__all__ = ["AmpLevel", "create_amp_strategy"]
