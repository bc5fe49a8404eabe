"""Alias module: datasets, at ``mindspore.dataset.engine.datasets``."""

from minispore.dataset import *  # noqa: F403
from minispore.dataset.dataset import _set_training_dataset as _set_training_dataset
