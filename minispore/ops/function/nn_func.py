"""Alias module: the functions of networks, at ``mindspore.ops.function.nn_func``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_nn as __getattr__
from minispore.ops.extended import names_nn as __dir__
from minispore.ops.vocabulary import *
