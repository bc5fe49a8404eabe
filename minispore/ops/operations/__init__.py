"""Alias module: the primitives, at ``mindspore.ops.operations``."""
# ruff: noqa: F401, F403

from minispore.ops.operations import array_ops as array_ops
from minispore.ops.operations import comm_ops as comm_ops
from minispore.ops.operations import math_ops as math_ops
from minispore.ops.operations import nn_ops as nn_ops
from minispore.ops.operations import random_ops as random_ops
from minispore.ops.rare import look_operations as __getattr__
from minispore.ops.rare import names_operations as __dir__
from minispore.ops.vocabulary import *
