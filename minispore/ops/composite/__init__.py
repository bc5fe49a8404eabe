"""Alias module: functions over functions and trees, at ``mindspore.ops.composite``."""
# ruff: noqa: F403

from minispore.core.autograd import GradOperation as GradOperation
from minispore.ops.composite import base as base
from minispore.ops.control.hyper_map import *
from minispore.ops.elementwise.clip import *
from minispore.ops.linalg.contraction import batch_dot as batch_dot
from minispore.ops.linalg.contraction import dot as dot
from minispore.ops.linalg.contraction import tensor_dot as tensor_dot
from minispore.ops.linalg.products import matmul as matmul
from minispore.ops.linalg.products import mm as mm
from minispore.ops.linalg.vector_products import vecdot as vecdot
from minispore.ops.random.distributions import gamma as gamma
from minispore.ops.random.distributions import poisson as poisson
from minispore.ops.random.draws import laplace as laplace
from minispore.ops.random.draws import normal as normal
from minispore.ops.random.draws import uniform as uniform
from minispore.ops.random.sampling import multinomial as multinomial
from minispore.ops.shape.cast_fill import ones_like as ones_like
from minispore.ops.shape.cast_fill import zeros_like as zeros_like
from minispore.ops.shape.reordering import repeat_elements as repeat_elements
from minispore.ops.shape.stacking import sequence_mask as sequence_mask
from minispore.ops.statistics.deviations import count_nonzero as count_nonzero
