"""Alias module: the same, at ``mindspore.parallel._transformer.op_parallel_config``."""
# ruff: noqa: F403

from minispore.nn.transformer.op_parallel_config import *
from minispore.nn.transformer.op_parallel_config import MoEParallelConfig as MoEParallelConfig
from minispore.nn.transformer.op_parallel_config import _check_config as _check_config
from minispore.nn.transformer.op_parallel_config import _CheckedConfig as _CheckedConfig
from minispore.nn.transformer.op_parallel_config import default_dpmp_config as default_dpmp_config
