"""Alias module: bounds of numbers, at ``mindspore.dataset.core.validator_helpers``."""

from minispore.foundation.checks import INT32_MAX as INT32_MAX
