"""Alias module: the functions of printing, at ``mindspore.ops.function.debug_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
