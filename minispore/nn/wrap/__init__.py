"""Wrappers around networks."""

from minispore.nn.wrap.cell_wrapper import *  # noqa: F403
