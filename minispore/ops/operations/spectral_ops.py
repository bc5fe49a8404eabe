"""Alias module: window primitives, at ``mindspore.ops.operations.spectral_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
