"""Door: tensors, parameters, data types and the seed at ``mindspore.common``."""

from minispore.common import api as api
from minispore.common import dtype as dtype
from minispore.common import generator as generator
from minispore.common import initializer as initializer
from minispore.common import jit_config as jit_config
from minispore.common import parameter as parameter
from minispore.common import seed as seed
from minispore.common import sparse_tensor as sparse_tensor
from minispore.common import tensor as tensor
from minispore.common.dtype import *  # noqa: F403
from minispore.common.mutable import mutable as mutable
from minispore.core.parameter import Parameter as Parameter
from minispore.core.parameter import ParameterTuple as ParameterTuple
from minispore.core.random import get_seed as get_seed
from minispore.core.random import set_seed as set_seed
from minispore.core.tensor import Tensor as Tensor
from minispore.core.tensor import from_numpy as from_numpy
from minispore.graph.staging import JitConfig as JitConfig
from minispore.graph.staging import jit as jit
from minispore.graph.staging import jit_class as jit_class
from minispore.graph.staging import ms_function as ms_function
