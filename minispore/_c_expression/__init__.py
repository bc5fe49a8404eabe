"""Door: what projects take from MindSpore's compiled part, at ``mindspore._c_expression``."""

from minispore._c_expression import amp as amp

__all__ = ["amp"]
