"""Alias module: the primitives of mathematics, at ``mindspore.ops.operations.math_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_maths as __getattr__
from minispore.ops.rare import names_maths as __dir__
from minispore.ops.vocabulary import *
