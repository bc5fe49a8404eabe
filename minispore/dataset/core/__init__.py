"""Door: settings of datasets, at ``mindspore.dataset.core``."""

from minispore.dataset.core import config as config

__all__ = ["config"]
