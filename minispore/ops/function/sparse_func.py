"""Alias module: the functions of sparse tensors, at ``mindspore.ops.function.sparse_func``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_sparse as __getattr__
from minispore.ops.extended import names_sparse as __dir__
from minispore.ops.vocabulary import *
