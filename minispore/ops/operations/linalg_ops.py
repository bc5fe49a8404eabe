"""Alias module: the primitives of linear algebra, at ``mindspore.ops.operations.linalg_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
