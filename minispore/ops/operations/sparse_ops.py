"""Alias module: the primitives of sparse tensors, at ``mindspore.ops.operations.sparse_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_sparse as __getattr__
from minispore.ops.rare import names_sparse as __dir__
from minispore.ops.vocabulary import *
