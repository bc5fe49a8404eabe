"""Alias module: other primitives, at ``mindspore.ops.operations.other_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_others as __getattr__
from minispore.ops.rare import names_others as __dir__
from minispore.ops.vocabulary import *
