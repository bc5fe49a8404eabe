"""Door: the ops as functions, at ``mindspore.ops.functional``."""
# ruff: noqa: F403

from minispore.ops.python_values import *
from minispore.ops.vocabulary import *
