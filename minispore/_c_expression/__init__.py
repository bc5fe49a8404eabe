"""Door: what projects take from MindSpore's compiled part, at ``mindspore._c_expression``."""

from minispore._c_expression import amp as amp
from minispore._c_expression import security as security

__all__ = ["amp", "security"]
