"""Alias module: the same, at ``mindspore.parallel._transformer.loss``."""
# ruff: noqa: F403

from minispore.nn.transformer.loss import *
