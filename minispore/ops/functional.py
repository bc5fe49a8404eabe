"""Alias module for ``mindspore.ops.functional``: the operators as functions."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_functional as __getattr__
from minispore.ops.extended import names_functional as __dir__
from minispore.ops.python_values import *
from minispore.ops.vocabulary import *
