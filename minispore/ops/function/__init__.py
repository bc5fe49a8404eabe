"""Alias module: the ops as functions, at ``mindspore.ops.function``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_function as __getattr__
from minispore.ops.extended import names_function as __dir__
from minispore.ops.function import array_func as array_func
from minispore.ops.function import clip_func as clip_func
from minispore.ops.function import debug_func as debug_func
from minispore.ops.function import image_func as image_func
from minispore.ops.function import linalg_func as linalg_func
from minispore.ops.function import math_func as math_func
from minispore.ops.function import nn_func as nn_func
from minispore.ops.function import other_func as other_func
from minispore.ops.function import parameter_func as parameter_func
from minispore.ops.function import random_func as random_func
from minispore.ops.function import sparse_func as sparse_func
from minispore.ops.function import spectral_func as spectral_func
from minispore.ops.function import vmap_func as vmap_func
from minispore.ops.vocabulary import *
