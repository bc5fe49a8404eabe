"""Door: the primitives of sparse tensors, at ``mindspore.ops.operations.sparse_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
