"""Door: the functions of the rest, at ``mindspore.ops.function.other_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
