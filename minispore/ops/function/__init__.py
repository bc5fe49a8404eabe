"""Door: the ops as functions, at ``mindspore.ops.function``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
