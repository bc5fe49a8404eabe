"""Alias module: settings of datasets, at ``mindspore.dataset.core.config``."""

from minispore.dataset.config import *  # noqa: F403
