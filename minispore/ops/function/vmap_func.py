"""Alias module: the functions of vmap, at ``mindspore.ops.function.vmap_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
