"""Alias module: datasets, at ``mindspore.dataset.engine.datasets_user_defined``."""

from minispore.dataset import *  # noqa: F403
