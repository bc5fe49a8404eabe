"""Alias module: the primitives of random numbers, at ``mindspore.ops.operations.random_ops``."""
# ruff: noqa: F403

from minispore.ops.random.distributions import Uniform as Uniform
from minispore.ops.vocabulary import *
