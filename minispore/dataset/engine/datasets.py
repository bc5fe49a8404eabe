"""Door: datasets, at ``mindspore.dataset.engine.datasets``."""

from minispore.dataset import *  # noqa: F403
