"""Alias module: the primitives of networks, at ``mindspore.ops.operations.nn_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_networks as __getattr__
from minispore.ops.rare import names_networks as __dir__
from minispore.ops.vocabulary import *
