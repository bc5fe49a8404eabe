# Written by python -m tests.typing.stubs
from minispore import amp as amp  # type: ignore
from minispore import boost as boost  # type: ignore
from minispore import commands as commands
from minispore import common as common  # type: ignore
from minispore import communication as communication
from minispore import context as context
from minispore import core as core
from minispore import dataset as dataset
from minispore import device as device
from minispore import device_context as device_context  # type: ignore
from minispore import errors as errors
from minispore import execution as execution
from minispore import experimental as experimental  # type: ignore
from minispore import foundation as foundation
from minispore import graph as graph
from minispore import hal as hal  # type: ignore
from minispore import ir as ir
from minispore import log as log
from minispore import mindrecord as mindrecord  # type: ignore
from minispore import mint as mint
from minispore import multiprocessing as multiprocessing  # type: ignore
from minispore import nn as nn
from minispore import numpy as numpy  # type: ignore
from minispore import ops as ops
from minispore import parallel as parallel
from minispore import profiler as profiler
from minispore import rewrite as rewrite  # type: ignore
from minispore import runtime as runtime  # type: ignore
from minispore import scipy as scipy  # type: ignore
from minispore import tools as tools  # type: ignore
from minispore import train as train
from minispore import utils as utils  # type: ignore
from minispore import version as version  # type: ignore
from minispore.check.call import check as check
from minispore.common import dtype as dtype  # type: ignore
from minispore.context import GRAPH_MODE as GRAPH_MODE
from minispore.context import PYNATIVE_MODE as PYNATIVE_MODE
from minispore.context import STRICT as STRICT
from minispore.context import get_context as get_context
from minispore.context import set_context as set_context
from minispore.context import set_deterministic as set_deterministic
from minispore.context import set_device as set_device
from minispore.context import set_recursion_limit as set_recursion_limit
from minispore.context.parallel import ParallelMode as ParallelMode
from minispore.context.parallel import get_auto_parallel_context as get_auto_parallel_context
from minispore.context.parallel import reset_auto_parallel_context as reset_auto_parallel_context
from minispore.context.parallel import set_auto_parallel_context as set_auto_parallel_context
from minispore.context.parameter_servers import get_ps_context as get_ps_context
from minispore.context.parameter_servers import reset_ps_context as reset_ps_context
from minispore.context.parameter_servers import set_ps_context as set_ps_context
from minispore.core.autograd import GradOperation as GradOperation
from minispore.core.autograd import grad as grad
from minispore.core.autograd import no_grad as no_grad
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.core.callback import Callback as Callback
from minispore.core.callback import RunContext as RunContext
from minispore.core.parameter import Parameter as Parameter
from minispore.core.parameter import ParameterTuple as ParameterTuple
from minispore.core.tensor import Tensor as Tensor
from minispore.core.tensor import from_numpy as from_numpy
from minispore.core.tensor import tensor as tensor
from minispore.core.tree import mutable as mutable
from minispore.device.control import dispatch_threads_num as dispatch_threads_num
from minispore.device.control import empty_cache as empty_cache
from minispore.device.control import launch_blocking as launch_blocking
from minispore.device.control import max_memory_allocated as max_memory_allocated
from minispore.device.control import max_memory_reserved as max_memory_reserved
from minispore.device.control import memory_allocated as memory_allocated
from minispore.device.control import memory_reserved as memory_reserved
from minispore.device.control import memory_stats as memory_stats
from minispore.device.control import memory_summary as memory_summary
from minispore.device.control import reset_peak_memory_stats as reset_max_memory_allocated
from minispore.device.control import reset_peak_memory_stats as reset_max_memory_reserved
from minispore.device.control import reset_peak_memory_stats as reset_peak_memory_stats
from minispore.device.control import set_cpu_affinity as set_cpu_affinity
from minispore.device.control import set_kernel_launch_group as set_kernel_launch_group
from minispore.device.control import set_memory as set_memory
from minispore.device.control import synchronize as synchronize
from minispore.device.limits import StreamLimitCtx as StreamLimitCtx
from minispore.device.limits import get_current_device as get_current_device
from minispore.device.limits import get_device_limit as get_device_limit
from minispore.device.limits import get_stream_limit as get_stream_limit
from minispore.device.limits import reset_stream_limit as reset_stream_limit
from minispore.device.limits import set_device_limit as set_device_limit
from minispore.device.limits import set_stream_limit as set_stream_limit
from minispore.device.streams import Event as Event
from minispore.device.streams import MemPool as MemPool
from minispore.device.streams import PluggableAllocator as PluggableAllocator
from minispore.device.streams import Stream as Stream
from minispore.device.streams import StreamCtx as StreamCtx
from minispore.device.streams import communication_stream as communication_stream
from minispore.device.streams import current_stream as current_stream
from minispore.device.streams import default_stream as default_stream
from minispore.device.streams import set_cur_stream as set_cur_stream
from minispore.execution.random import get_seed as get_seed
from minispore.execution.random import set_seed as manual_seed
from minispore.execution.random import set_seed as set_seed
from minispore.graph.dynamic import enable_dynamic as enable_dynamic
from minispore.graph.staging import JitConfig as JitConfig
from minispore.graph.staging import jit as jit
from minispore.graph.staging import jit as ms_function
from minispore.graph.staging import jit_class as jit_class
from minispore.graph.staging import jit_class as ms_class
from minispore.graph.staging import lazy_inline as lazy_inline
from minispore.graph.staging import no_inline as no_inline
from minispore.ir.dtype import DType
from minispore.ir.dtype import Type as Type
from minispore.ir.dtype import bfloat16 as bfloat16
from minispore.ir.dtype import bool_ as bool_
from minispore.ir.dtype import byte as byte
from minispore.ir.dtype import complex128 as complex128
from minispore.ir.dtype import complex64 as complex64
from minispore.ir.dtype import dtype_to_nptype as dtype_to_nptype
from minispore.ir.dtype import dtype_to_pytype as dtype_to_pytype
from minispore.ir.dtype import float16 as float16
from minispore.ir.dtype import float32 as float32
from minispore.ir.dtype import float64 as float64
from minispore.ir.dtype import float_ as float_
from minispore.ir.dtype import half as half
from minispore.ir.dtype import int16 as int16
from minispore.ir.dtype import int32 as int32
from minispore.ir.dtype import int64 as int64
from minispore.ir.dtype import int8 as int8
from minispore.ir.dtype import int_ as int_
from minispore.ir.dtype import list_ as list_
from minispore.ir.dtype import number as number
from minispore.ir.dtype import pytype_to_dtype as pytype_to_dtype
from minispore.ir.dtype import string as string
from minispore.ir.dtype import tuple_ as tuple_
from minispore.ir.dtype import type_none as type_none
from minispore.ir.dtype import ubyte as ubyte
from minispore.ir.dtype import uint as uint
from minispore.ir.dtype import uint16 as uint16
from minispore.ir.dtype import uint32 as uint32
from minispore.ir.dtype import uint64 as uint64
from minispore.ir.dtype import uint8 as uint8
from minispore.ir.value import Symbol as Symbol
from minispore.log import get_level as get_level
from minispore.log import get_log_config as get_log_config
from minispore.nn.dump import set_dump as set_dump
from minispore.nn.metrics import get_metric_fn as get_metric_fn
from minispore.nn.metrics import get_metrics as get_metrics
from minispore.nn.metrics import names as names
from minispore.nn.metrics.classification import Accuracy as Accuracy
from minispore.nn.metrics.classification import F1 as F1
from minispore.nn.metrics.classification import Fbeta as Fbeta
from minispore.nn.metrics.classification import Precision as Precision
from minispore.nn.metrics.classification import Recall as Recall
from minispore.nn.metrics.classification import Top1CategoricalAccuracy as Top1CategoricalAccuracy
from minispore.nn.metrics.classification import Top5CategoricalAccuracy as Top5CategoricalAccuracy
from minispore.nn.metrics.classification import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from minispore.nn.metrics.confusion import ConfusionMatrix as ConfusionMatrix
from minispore.nn.metrics.confusion import ConfusionMatrixMetric as ConfusionMatrixMetric
from minispore.nn.metrics.curve import ROC as ROC
from minispore.nn.metrics.curve import auc as auc
from minispore.nn.metrics.error import CosineSimilarity as CosineSimilarity
from minispore.nn.metrics.error import Dice as Dice
from minispore.nn.metrics.error import Loss as Loss
from minispore.nn.metrics.error import MAE as MAE
from minispore.nn.metrics.error import MSE as MSE
from minispore.nn.metrics.error import Perplexity as Perplexity
from minispore.nn.metrics.metric import EvaluationBase as EvaluationBase
from minispore.nn.metrics.metric import Metric as Metric
from minispore.nn.metrics.metric import rearrange_inputs as rearrange_inputs
from minispore.nn.metrics.occlusion import OcclusionSensitivity as OcclusionSensitivity
from minispore.nn.metrics.surface import HausdorffDistance as HausdorffDistance
from minispore.nn.metrics.surface import MeanSurfaceDistance as MeanSurfaceDistance
from minispore.nn.metrics.surface import RootMeanSquareDistance as RootMeanSquareDistance
from minispore.nn.metrics.text import BleuScore as BleuScore
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
from minispore.ops.methods.object_types import TensorType as TensorType
from minispore.ops.methods.object_types import get_py_obj_dtype as get_py_obj_dtype
from minispore.ops.methods.object_types import tensor_type as tensor_type
from minispore.ops.methods.old_sparse import SparseTensor as SparseTensor
from minispore.ops.methods.sparse_tensors import COOTensor as COOTensor
from minispore.ops.methods.sparse_tensors import CSRTensor as CSRTensor
from minispore.ops.methods.spelled_methods import from_dlpack as from_dlpack
from minispore.ops.methods.spelled_methods import to_dlpack as to_dlpack
from minispore.ops.random.generators import Generator as Generator
from minispore.ops.random.generators import default_generator as default_generator
from minispore.ops.random.generators import get_rng_state as get_rng_state
from minispore.ops.random.generators import initial_seed as initial_seed
from minispore.ops.random.generators import seed as seed
from minispore.ops.random.generators import set_rng_state as set_rng_state
from minispore.ops.shape.buffers import frombuffer as frombuffer
from minispore.ops.shape.convert import is_tensor as is_tensor
from minispore.parallel._algo_parameters import get_algo_parameters as get_algo_parameters
from minispore.parallel._algo_parameters import reset_algo_parameters as reset_algo_parameters
from minispore.parallel._algo_parameters import set_algo_parameters as set_algo_parameters
from minispore.parallel.shard import Layout as Layout
from minispore.parallel.shard import shard as shard
from minispore.profiler.network import summary as summary
from minispore.profiler.profiler import Profiler as Profiler
from minispore.run_check import run_check as run_check
from minispore.train.amp import build_train_network as build_train_network
from minispore.train.callback.backup import BackupAndRestore as BackupAndRestore
from minispore.train.callback.backup import TrainFaultTolerance as TrainFaultTolerance
from minispore.train.callback.checkpoint import CheckpointConfig as CheckpointConfig
from minispore.train.callback.checkpoint import ModelCheckpoint as ModelCheckpoint
from minispore.train.callback.flops import FlopsUtilizationCollector as FlopsUtilizationCollector
from minispore.train.callback.history import History as History
from minispore.train.callback.lambda_callback import LambdaCallback as LambdaCallback
from minispore.train.callback.learning_rate import LearningRateScheduler as LearningRateScheduler
from minispore.train.callback.learning_rate import ReduceLROnPlateau as ReduceLROnPlateau
from minispore.train.callback.monitored import EarlyStopping as EarlyStopping
from minispore.train.callback.monitors import LossMonitor as LossMonitor
from minispore.train.callback.monitors import TimeMonitor as TimeMonitor
from minispore.train.callback.on_request_exit import OnRequestExit as OnRequestExit
from minispore.train.callback.progress import ProgressBar as ProgressBar
from minispore.train.callback.summary_collector import SummaryCollector as SummaryCollector
from minispore.train.data_sink import data_sink as data_sink
from minispore.train.dataset_helper import DatasetHelper as DatasetHelper
from minispore.train.dataset_helper import connect_network_with_dataset as connect_network_with_dataset
from minispore.train.files.async_saving import async_ckpt_thread_status as async_ckpt_thread_status
from minispore.train.interchange.exporting import export as export
from minispore.train.interchange.exporting import load as load
from minispore.train.interchange.exporting import load_mindir as load_mindir
from minispore.train.interchange.exporting import save_mindir as save_mindir
from minispore.train.loss_scale import DynamicLossScaleManager as DynamicLossScaleManager
from minispore.train.loss_scale import FixedLossScaleManager as FixedLossScaleManager
from minispore.train.loss_scale import LossScaleManager as LossScaleManager
from minispore.train.model import Model as Model
from minispore.train.print_file import parse_print as parse_print
from minispore.train.schedule import explain_schedule as explain_schedule
from minispore.train.serialization import load_checkpoint as load_checkpoint
from minispore.train.serialization import load_param_into_net as load_param_into_net
from minispore.train.serialization import save_checkpoint as save_checkpoint
from minispore.train.sharded.conversion import ckpt_to_safetensors as ckpt_to_safetensors
from minispore.train.sharded.conversion import load_checkpoint_async as load_checkpoint_async
from minispore.train.sharded.conversion import safetensors_to_ckpt as safetensors_to_ckpt
from minispore.train.sharded.transform import build_searched_strategy as build_searched_strategy
from minispore.train.sharded.transform import load_distributed_checkpoint as load_distributed_checkpoint
from minispore.train.sharded.transform import load_segmented_checkpoints as load_segmented_checkpoints
from minispore.train.sharded.transform import merge_pipeline_strategys as merge_pipeline_strategys
from minispore.train.sharded.transform import merge_sliced_parameter as merge_sliced_parameter
from minispore.train.sharded.transform import rank_list_for_transform as rank_list_for_transform
from minispore.train.sharded.transform import restore_group_info_list as restore_group_info_list
from minispore.train.sharded.transform import transform_checkpoint_by_rank as transform_checkpoint_by_rank
from minispore.train.sharded.transform import transform_checkpoints as transform_checkpoints
from minispore.train.summary.summary_record import SummaryRecord as SummaryRecord
from minispore.train.train_thor import ConvertModelUtils as ConvertModelUtils
from minispore.train.train_thor import ConvertNetUtils as ConvertNetUtils

COMPATIBLE: int
LAX: int
bool: DType
cdouble: DType
cfloat: DType
double: DType
float: DType
int: DType
intc: DType
intp: DType
long: DType
short: DType
single: DType
uintc: DType
uintp: DType
ushort: DType

__all__ = [
    "Accuracy",
    "BackupAndRestore",
    "BleuScore",
    "COMPATIBLE",
    "COOTensor",
    "CSRTensor",
    "Callback",
    "CheckpointConfig",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "ConvertModelUtils",
    "ConvertNetUtils",
    "CosineSimilarity",
    "DatasetHelper",
    "Dice",
    "DynamicLossScaleManager",
    "EarlyStopping",
    "EvaluationBase",
    "Event",
    "F1",
    "Fbeta",
    "FixedLossScaleManager",
    "FlopsUtilizationCollector",
    "GRAPH_MODE",
    "Generator",
    "GradOperation",
    "HausdorffDistance",
    "History",
    "JitConfig",
    "LAX",
    "LambdaCallback",
    "Layout",
    "LearningRateScheduler",
    "Loss",
    "LossMonitor",
    "LossScaleManager",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "MemPool",
    "Metric",
    "Model",
    "ModelCheckpoint",
    "OcclusionSensitivity",
    "OnRequestExit",
    "PYNATIVE_MODE",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "Perplexity",
    "PluggableAllocator",
    "Precision",
    "Profiler",
    "ProgressBar",
    "ROC",
    "Recall",
    "ReduceLROnPlateau",
    "RootMeanSquareDistance",
    "RowTensor",
    "RunContext",
    "STRICT",
    "SparseTensor",
    "Stream",
    "StreamCtx",
    "StreamLimitCtx",
    "SummaryCollector",
    "SummaryRecord",
    "Symbol",
    "Tensor",
    "TensorType",
    "TimeMonitor",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "TrainFaultTolerance",
    "Type",
    "async_ckpt_thread_status",
    "auc",
    "bfloat16",
    "bool",
    "bool_",
    "build_searched_strategy",
    "build_train_network",
    "byte",
    "cdouble",
    "cfloat",
    "check",
    "ckpt_to_safetensors",
    "communication_stream",
    "complex128",
    "complex64",
    "connect_network_with_dataset",
    "constexpr",
    "current_stream",
    "data_sink",
    "default_generator",
    "default_stream",
    "dispatch_threads_num",
    "double",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "empty_cache",
    "enable_dynamic",
    "explain_schedule",
    "export",
    "float",
    "float16",
    "float32",
    "float64",
    "float_",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "get_algo_parameters",
    "get_auto_parallel_context",
    "get_context",
    "get_current_device",
    "get_device_limit",
    "get_grad",
    "get_level",
    "get_log_config",
    "get_metric_fn",
    "get_metrics",
    "get_ps_context",
    "get_py_obj_dtype",
    "get_rng_state",
    "get_seed",
    "get_stream_limit",
    "grad",
    "half",
    "initial_seed",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intc",
    "intp",
    "is_tensor",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_class",
    "jvp",
    "launch_blocking",
    "lazy_inline",
    "list_",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_distributed_checkpoint",
    "load_mindir",
    "load_param_into_net",
    "load_segmented_checkpoints",
    "long",
    "manual_seed",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "ms_class",
    "ms_function",
    "mutable",
    "names",
    "no_grad",
    "no_inline",
    "number",
    "parse_print",
    "pytype_to_dtype",
    "rank_list_for_transform",
    "rearrange_inputs",
    "recompute",
    "reset_algo_parameters",
    "reset_auto_parallel_context",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "reset_ps_context",
    "reset_stream_limit",
    "restore_group_info_list",
    "run_check",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "save_mindir",
    "saved_tensors_hooks",
    "seed",
    "set_algo_parameters",
    "set_auto_parallel_context",
    "set_context",
    "set_cpu_affinity",
    "set_cur_stream",
    "set_deterministic",
    "set_device",
    "set_device_limit",
    "set_dump",
    "set_kernel_launch_group",
    "set_memory",
    "set_ps_context",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "set_stream_limit",
    "shard",
    "short",
    "single",
    "string",
    "summary",
    "synchronize",
    "tensor",
    "tensor_type",
    "to_dlpack",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "tuple_",
    "type_none",
    "ubyte",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintc",
    "uintp",
    "ushort",
    "value_and_grad",
    "vjp",
    "vmap",
]
