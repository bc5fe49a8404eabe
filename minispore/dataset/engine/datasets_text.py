"""Alias module: datasets, at ``mindspore.dataset.engine.datasets_text``."""

from minispore.dataset import *  # noqa: F403
