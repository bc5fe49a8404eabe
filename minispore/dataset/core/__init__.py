"""Alias module: settings of datasets, at ``mindspore.dataset.core``."""

from minispore.dataset.core import config as config
from minispore.dataset.core import datatypes as datatypes
from minispore.dataset.core import validator_helpers as validator_helpers

__all__ = ["config", "datatypes", "validator_helpers"]
