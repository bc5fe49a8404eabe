"""Alias module: the same, at ``mindspore.parallel._transformer.moe``."""
# ruff: noqa: F403

from minispore.nn.transformer.moe import *
from minispore.nn.transformer.moe import MoE as MoE
from minispore.nn.transformer.moe import _check_moe_config as _check_moe_config
from minispore.nn.transformer.moe import default_moe_config as default_moe_config
