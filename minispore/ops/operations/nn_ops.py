"""Door: the primitives of networks, at ``mindspore.ops.operations.nn_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
