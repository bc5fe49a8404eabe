"""Alias module: the functions of linear algebra, at ``mindspore.ops.function.linalg_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
