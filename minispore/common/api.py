"""Alias module: compiling functions at ``mindspore.common.api``."""

from minispore.core.autograd import no_grad as _no_grad
from minispore.graph.executors import (
    _cell_graph_executor,
    _function_forbid_reuse,
    _pynative_executor,
)
from minispore.graph.staging import jit, jit_class, ms_function
from minispore.graph.staging import jit_class as ms_class

__all__ = [
    "_cell_graph_executor",
    "_function_forbid_reuse",
    "_no_grad",
    "_pynative_executor",
    "jit",
    "jit_class",
    "ms_class",
    "ms_function",
]
