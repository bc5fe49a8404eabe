"""Door: the functions of clipping, at ``mindspore.ops.function.clip_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
