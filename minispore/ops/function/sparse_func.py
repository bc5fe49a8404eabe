"""Door: the functions of sparse tensors, at ``mindspore.ops.function.sparse_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
