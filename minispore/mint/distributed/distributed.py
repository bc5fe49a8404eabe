"""Alias module: ranks and collectives, at ``mindspore.mint.distributed.distributed``."""

from minispore.mint.distributed import *  # noqa: F403
