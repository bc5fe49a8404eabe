"""Alias module: the functions of the rest, at ``mindspore.ops.function.other_func``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_other as __getattr__
from minispore.ops.extended import names_other as __dir__
from minispore.ops.vocabulary import *
