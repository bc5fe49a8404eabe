"""Alias module: datasets, at ``mindspore.dataset.engine.datasets_standard_format``."""

from minispore.dataset import *  # noqa: F403
