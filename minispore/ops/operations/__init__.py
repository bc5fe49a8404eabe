"""Door: the primitives, at ``mindspore.ops.operations``."""
# ruff: noqa: F403

from minispore.ops.operations import comm_ops as comm_ops
from minispore.ops.vocabulary import *
