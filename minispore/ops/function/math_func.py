"""Door: the functions of mathematics, at ``mindspore.ops.function.math_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
