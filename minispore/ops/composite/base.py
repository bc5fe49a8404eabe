"""Alias module: functions over functions, at ``mindspore.ops.composite.base``."""
# ruff: noqa: F403

from minispore.core.autograd import GradOperation as GradOperation
from minispore.ops.control.hyper_map import *
from minispore.ops.control.hyper_map import _get_cache_prim as _get_cache_prim
