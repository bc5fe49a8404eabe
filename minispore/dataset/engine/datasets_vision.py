"""Alias module: datasets, at ``mindspore.dataset.engine.datasets_vision``."""

from minispore.dataset import *  # noqa: F403
