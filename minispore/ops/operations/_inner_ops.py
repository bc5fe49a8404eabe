"""Alias module: internal primitives, at ``mindspore.ops.operations._inner_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_inner as __getattr__
from minispore.ops.rare import names_inner as __dir__
from minispore.ops.shape.cast_fill import ConvertToDynamic as ConvertToDynamic
from minispore.ops.vocabulary import *
