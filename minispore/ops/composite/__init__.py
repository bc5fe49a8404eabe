"""Door: functions over functions and trees, at ``mindspore.ops.composite``."""
# ruff: noqa: F403

from minispore.core.autograd import GradOperation as GradOperation
from minispore.ops.control.hyper_map import *
from minispore.ops.elementwise.clip import *
from minispore.ops.shape.stacking import sequence_mask as sequence_mask
