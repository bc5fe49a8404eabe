"""Door: the primitives of assignments and the rest, at ``mindspore.ops.operations.other_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
