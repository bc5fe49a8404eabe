"""Alias module: tensors, parameters, data types and the seed at ``mindspore.common``."""

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
from minispore.context import set_recursion_limit as set_recursion_limit
from minispore.core.parameter import Parameter as Parameter
from minispore.core.parameter import ParameterTuple as ParameterTuple
from minispore.core.tensor import Tensor as Tensor
from minispore.core.tensor import from_numpy as from_numpy
from minispore.execution.random import get_seed as get_seed
from minispore.execution.random import set_seed as manual_seed  # noqa: F401  PyTorch's spelling
from minispore.execution.random import set_seed as set_seed
from minispore.graph import enable_dynamic as enable_dynamic
from minispore.graph import lazy_inline as lazy_inline
from minispore.graph import no_inline as no_inline
from minispore.graph.staging import JitConfig as JitConfig
from minispore.graph.staging import jit as jit
from minispore.graph.staging import jit_class as jit_class
from minispore.graph.staging import ms_function as ms_function
from minispore.ir.value import Symbol as Symbol
from minispore.nn.dump import set_dump as set_dump
from minispore.nn.function import _Function as _Function
from minispore.nn.recompute import recompute as recompute
from minispore.nn.saved_tensors import saved_tensors_hooks as saved_tensors_hooks
from minispore.ops.index.rows import RowTensor as RowTensor
from minispore.ops.methods.sparse_tensors import COOTensor as COOTensor
from minispore.ops.methods.sparse_tensors import CSRTensor as CSRTensor
from minispore.ops.random.generators import Generator as Generator
from minispore.ops.random.generators import default_generator as default_generator
from minispore.ops.random.generators import get_rng_state as get_rng_state
from minispore.ops.random.generators import initial_seed as initial_seed
from minispore.ops.random.generators import set_rng_state as set_rng_state
from minispore.ops.rare import look_common as __getattr__  # noqa: F401
from minispore.ops.rare import names_common as __dir__  # noqa: F401
from minispore.ops.shape.convert import is_tensor as is_tensor
