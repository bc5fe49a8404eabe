"""Door: settings of datasets, at ``mindspore.dataset.core``."""

from minispore.dataset.core import config as config
from minispore.dataset.core import datatypes as datatypes

__all__ = ["config", "datatypes"]
