"""Alias module: the same, at ``mindspore.parallel._transformer.transformer``."""
# ruff: noqa: F403

from minispore.nn.transformer.moe import default_moe_config as default_moe_config
from minispore.nn.transformer.op_parallel_config import default_dpmp_config as default_dpmp_config
from minispore.nn.transformer.op_parallel_config import (
    default_transformer_config as default_transformer_config,
)
from minispore.nn.transformer.transformer import *
from minispore.nn.transformer.transformer import _get_lambda_func as _get_lambda_func
