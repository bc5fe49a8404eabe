"""Door: functions over functions and trees, at ``mindspore.ops.composite``."""
# ruff: noqa: F403

from minispore.core.autograd import GradOperation as GradOperation
from minispore.ops.assemble import sequence_mask as sequence_mask
from minispore.ops.clip import *
from minispore.ops.multitype import *
