"""Alias module: the collectives, at ``mindspore.ops.operations.comm_ops``."""
# ruff: noqa: F403

from minispore.ops.control.collective import *
