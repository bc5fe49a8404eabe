"""Door: the functions of arrays, at ``mindspore.ops.function.array_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
