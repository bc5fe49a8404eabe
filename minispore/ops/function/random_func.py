"""Door: the functions of random numbers, at ``mindspore.ops.function.random_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
