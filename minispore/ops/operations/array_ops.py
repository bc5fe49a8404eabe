"""Door: the primitives of arrays, at ``mindspore.ops.operations.array_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
