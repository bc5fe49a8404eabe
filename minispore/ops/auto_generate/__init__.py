"""Door: the primitives that MindSpore generates, at ``mindspore.ops.auto_generate``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
