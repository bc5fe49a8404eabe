"""Alias module: the functions of arrays, at ``mindspore.ops.function.array_func``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_array as __getattr__
from minispore.ops.extended import names_array as __dir__
from minispore.ops.vocabulary import *
