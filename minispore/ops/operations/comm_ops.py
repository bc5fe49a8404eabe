"""Door: the collectives, at ``mindspore.ops.operations.comm_ops``."""
# ruff: noqa: F403

from minispore.ops.collective import *
