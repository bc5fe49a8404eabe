"""Door: the primitives of mathematics, at ``mindspore.ops.operations.math_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
