"""minispore: MindSpore training code on NumPy.

The same names, the same ``Model.train``, the same sink semantics, on any machine that has Python::

    import minispore as ms
    from minispore import nn, ops, train

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    model = ms.Model(network, loss, optimizer)
    model.train(10, dataset, callbacks=[ms.LossMonitor()], dataset_sink_mode=True, sink_size=1000)

``python -m minispore script.py`` runs a script that imports ``mindspore``, unmodified.
"""
# ruff: noqa: E402, F403  BLAS reads its threads once; each package lists public names in __all__

from minispore.foundation import process as _process
from minispore.foundation.alias_modules import install_alias_finder as _install_alias_finder

_process.limit_blas_threads()  # before anything imports NumPy
_process.keep_freed_memory()
_install_alias_finder()

# isort: split
from minispore import communication as communication
from minispore import context as context
from minispore import dataset as dataset
from minispore import device as device
from minispore import graph as graph
from minispore import log as log
from minispore import nn as nn
from minispore import ops as ops
from minispore import parallel as parallel
from minispore import profiler as profiler
from minispore import train as train
from minispore.check import check as check
from minispore.context import COMPATIBLE as COMPATIBLE
from minispore.context import GRAPH_MODE as GRAPH_MODE
from minispore.context import LAX as LAX
from minispore.context import PYNATIVE_MODE as PYNATIVE_MODE
from minispore.context import STRICT as STRICT
from minispore.context import ParallelMode as ParallelMode
from minispore.context import get_auto_parallel_context as get_auto_parallel_context
from minispore.context import get_context as get_context
from minispore.context import get_ps_context as get_ps_context
from minispore.context import reset_auto_parallel_context as reset_auto_parallel_context
from minispore.context import reset_ps_context as reset_ps_context
from minispore.context import set_auto_parallel_context as set_auto_parallel_context
from minispore.context import set_context as set_context
from minispore.context import set_deterministic as set_deterministic
from minispore.context import set_device as set_device
from minispore.context import set_ps_context as set_ps_context
from minispore.context import set_recursion_limit as set_recursion_limit
from minispore.core.autograd import GradOperation as GradOperation
from minispore.core.autograd import grad as grad
from minispore.core.autograd import no_grad as _no_grad  # noqa: F401  MindSpore's spelling
from minispore.core.autograd import no_grad as no_grad
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.core.parameter import Parameter as Parameter
from minispore.core.parameter import ParameterTuple as ParameterTuple
from minispore.core.tensor import Tensor as Tensor
from minispore.core.tensor import from_numpy as from_numpy
from minispore.core.tensor import tensor as tensor
from minispore.core.tree import mutable as mutable
from minispore.execution.random import get_seed as get_seed
from minispore.execution.random import set_seed as manual_seed  # noqa: F401
from minispore.execution.random import set_seed as set_seed
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.foundation.version import __version__ as __version__
from minispore.graph import JitConfig as JitConfig
from minispore.graph import enable_dynamic as enable_dynamic
from minispore.graph import jit as jit
from minispore.graph import jit_class as jit_class
from minispore.graph import jit_class as ms_class  # noqa: F401  MindSpore's older name
from minispore.graph import lazy_inline as lazy_inline
from minispore.graph import ms_function as ms_function
from minispore.graph import no_inline as no_inline
from minispore.ir.dtype import *
from minispore.ir.dtype import bool_ as bool  # noqa: F401
from minispore.ir.dtype import float32 as float  # noqa: F401
from minispore.ir.dtype import int32 as int  # noqa: F401
from minispore.ir.value import Symbol as Symbol
from minispore.log import get_level as get_level
from minispore.log import get_log_config as get_log_config
from minispore.nn.dump import set_dump as set_dump
from minispore.nn.function import _Function as _Function
from minispore.nn.recompute import recompute as recompute
from minispore.nn.saved_tensors import saved_tensors_hooks as saved_tensors_hooks
from minispore.ops.control.derivatives import get_grad as get_grad
from minispore.ops.control.derivatives import jacfwd as jacfwd
from minispore.ops.control.derivatives import jacrev as jacrev
from minispore.ops.control.derivatives import jvp as jvp
from minispore.ops.control.derivatives import vjp as vjp
from minispore.ops.control.hyper_map import constexpr as constexpr
from minispore.ops.control.vmap import vmap as vmap
from minispore.ops.index.rows import RowTensor as RowTensor
from minispore.ops.methods.sparse_tensors import COOTensor as COOTensor
from minispore.ops.methods.sparse_tensors import CSRTensor as CSRTensor
from minispore.ops.random.generators import Generator as Generator
from minispore.ops.random.generators import default_generator as default_generator
from minispore.ops.random.generators import get_rng_state as get_rng_state
from minispore.ops.random.generators import initial_seed as initial_seed
from minispore.ops.random.generators import seed as seed
from minispore.ops.random.generators import set_rng_state as set_rng_state
from minispore.ops.shape.convert import is_tensor as is_tensor
from minispore.parallel import Layout as Layout
from minispore.parallel import get_algo_parameters as get_algo_parameters
from minispore.parallel import reset_algo_parameters as reset_algo_parameters
from minispore.parallel import set_algo_parameters as set_algo_parameters
from minispore.parallel import shard as shard
from minispore.profiler import Profiler as Profiler
from minispore.run_check import run_check as run_check
from minispore.train import *
from minispore.train.interchange.exporting import load_mindir as load_mindir
from minispore.train.interchange.exporting import save_mindir as save_mindir

_LAZY_MODULES = {
    "_checkparam": "minispore._checkparam",
    "amp": "minispore.amp",
    "boost": "minispore.boost",
    "common": "minispore.common",
    "device_context": "minispore.device_context",
    "dtype": "minispore.common",
    "experimental": "minispore.experimental",
    "from_dlpack": "minispore.utils.dlpack",
    "frombuffer": "minispore.ops.shape.buffers",
    "get_current_device": "minispore.device.limits",
    "hal": "minispore.hal",
    "mindrecord": "minispore.mindrecord",
    "mint": "minispore.mint",
    "numpy": "minispore.numpy",
    "runtime": "minispore.runtime",
    "scipy": "minispore.scipy",
    "summary": "minispore.profiler.network",
    "to_dlpack": "minispore.utils.dlpack",
    "tools": "minispore.tools",
    "utils": "minispore.utils",
    "version": "minispore.version",
}
_SHARDED = (
    "build_searched_strategy", "load_distributed_checkpoint", "load_segmented_checkpoints",
    "merge_pipeline_strategys", "merge_sliced_parameter", "rank_list_for_transform",
    "restore_group_info_list", "transform_checkpoint_by_rank", "transform_checkpoints",
    "ckpt_to_safetensors", "load_checkpoint_async", "safetensors_to_ckpt",
)  # fmt: skip
_RUNTIME = (
    "Event", "MemPool", "PluggableAllocator", "Stream", "StreamCtx", "StreamLimitCtx",
    "communication_stream", "get_device_limit", "get_stream_limit", "reset_stream_limit",
    "set_device_limit", "set_stream_limit",
    "current_stream", "default_stream", "dispatch_threads_num", "empty_cache", "launch_blocking",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "set_cpu_affinity", "set_cur_stream", "set_kernel_launch_group",
    "set_memory", "synchronize",
)  # fmt: skip
_TYPES = ("TensorType", "get_py_obj_dtype", "tensor_type")
_LAZY_MODULES |= dict.fromkeys(_TYPES, "minispore.ops.methods.object_types")
_LAZY_MODULES |= {"SparseTensor": "minispore.ops.methods.old_sparse"}
_LAZY_MODULES |= dict.fromkeys(_SHARDED, "minispore.train.sharded")
_LAZY_MODULES |= dict.fromkeys(
    ("ConvertModelUtils", "ConvertNetUtils"), "minispore.train.train_thor"
)
_LAZY_MODULES |= dict.fromkeys(_RUNTIME, "minispore.runtime")
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
