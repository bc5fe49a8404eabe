"""Alias module: the functions of random numbers, at ``mindspore.ops.function.random_func``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_random as __getattr__
from minispore.ops.extended import names_random as __dir__
from minispore.ops.vocabulary import *
