"""Door: the functions of networks, at ``mindspore.ops.function.nn_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
