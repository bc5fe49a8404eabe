"""Door: what projects take from MindSpore's compiled part, at ``mindspore._c_expression``."""

from minispore._c_expression import amp as amp
from minispore._c_expression import security as security
from minispore._c_expression import typing as typing

__all__ = ["amp", "security", "typing"]
