"""Alias module: names of MindSpore's compiled part, ``mindspore._c_expression``."""

from minispore._c_expression import amp as amp
from minispore._c_expression import security as security
from minispore._c_expression import typing as typing
from minispore.core.tensor import Tensor as TensorPy
from minispore.foundation.placeholders import AutoParallelContext as AutoParallelContext
from minispore.foundation.placeholders import Cell_ as Cell_
from minispore.foundation.placeholders import CollectiveManager as CollectiveManager
from minispore.foundation.placeholders import GradOperation_ as GradOperation_
from minispore.foundation.placeholders import GraphExecutor_ as GraphExecutor_
from minispore.foundation.placeholders import JitExecutor_ as JitExecutor_
from minispore.foundation.placeholders import MetaFuncGraph_ as MetaFuncGraph_
from minispore.foundation.placeholders import MSContext as MSContext
from minispore.foundation.placeholders import Oplib as Oplib
from minispore.foundation.placeholders import ParamInfo as ParamInfo
from minispore.foundation.placeholders import Primitive_ as Primitive_
from minispore.foundation.placeholders import PrimitiveFunction_ as PrimitiveFunction_
from minispore.foundation.placeholders import PyNativeExecutor_ as PyNativeExecutor_
from minispore.foundation.placeholders import RuntimeConf as RuntimeConf
from minispore.foundation.placeholders import (
    _framework_profiler_step_end as _framework_profiler_step_end,
)
from minispore.foundation.placeholders import (
    _framework_profiler_step_start as _framework_profiler_step_start,
)
from minispore.foundation.placeholders import collect_host_info as collect_host_info
from minispore.foundation.placeholders import get_code_extra as get_code_extra
from minispore.foundation.placeholders import init_exec_dataset as init_exec_dataset
from minispore.foundation.placeholders import jit_mode_pi_disable as jit_mode_pi_disable
from minispore.foundation.placeholders import jit_mode_pi_enable as jit_mode_pi_enable
from minispore.foundation.placeholders import load_mindir as load_mindir
from minispore.foundation.placeholders import ms_ctx_param as ms_ctx_param
from minispore.foundation.placeholders import swap_cache as swap_cache
from minispore.foundation.process import disable_multi_thread as disable_multi_thread

__all__ = ["TensorPy", "amp", "disable_multi_thread", "security", "typing"]
