"""Alias module: the primitives of arrays, at ``mindspore.ops.operations.array_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_arrays as __getattr__
from minispore.ops.rare import names_arrays as __dir__
from minispore.ops.vocabulary import *
