"""Alias module: the functions of assignments, at ``mindspore.ops.function.parameter_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
