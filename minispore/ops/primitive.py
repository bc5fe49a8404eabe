"""Alias module for ``mindspore.ops.primitive``: the base class of all operators."""

from minispore.core.primitive import Primitive as Primitive
from minispore.ops.control.hyper_map import _primexpr as _primexpr
from minispore.ops.control.hyper_map import constexpr as constexpr
from minispore.ops.support.described import *  # noqa: F403
