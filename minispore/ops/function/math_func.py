"""Alias module: the functions of mathematics, at ``mindspore.ops.function.math_func``."""
# ruff: noqa: F401, F403

from minispore.ops import functional as F
from minispore.ops.extended import look_math as __getattr__
from minispore.ops.extended import names_math as __dir__
from minispore.ops.vocabulary import *
