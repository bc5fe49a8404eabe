"""Door: the ops as functions, at ``mindspore.ops.functional``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
