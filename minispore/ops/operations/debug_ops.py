"""Alias module: the primitives of debugging, at ``mindspore.ops.operations.debug_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
