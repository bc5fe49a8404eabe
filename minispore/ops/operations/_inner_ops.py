"""Door: primitives that MindSpore keeps to itself, at ``mindspore.ops.operations._inner_ops``."""
# ruff: noqa: F403

from minispore.ops.shape.whole import ConvertToDynamic as ConvertToDynamic
from minispore.ops.vocabulary import *
