"""Alias module: datasets, at ``mindspore.dataset.engine.datasets_audio``."""

from minispore.dataset import *  # noqa: F403
