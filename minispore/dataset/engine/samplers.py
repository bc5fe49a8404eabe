"""Alias module: samplers, at ``mindspore.dataset.engine.samplers``."""

from minispore.dataset import *  # noqa: F403
