"""Alias module: names of MindSpore's compiled part, ``mindspore._c_expression``."""

from minispore._c_expression import amp as amp
from minispore._c_expression import security as security
from minispore._c_expression import typing as typing
from minispore.foundation.process import disable_multi_thread as disable_multi_thread

__all__ = ["amp", "disable_multi_thread", "security", "typing"]
