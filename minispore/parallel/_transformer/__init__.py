"""Alias module: the Transformer where MindSpore 2.0 has it, ``mindspore.parallel._transformer``."""
# ruff: noqa: F403

from minispore.nn.transformer import *
from minispore.parallel._transformer import layers as layers
from minispore.parallel._transformer import loss as loss
from minispore.parallel._transformer import moe as moe
from minispore.parallel._transformer import op_parallel_config as op_parallel_config
from minispore.parallel._transformer import transformer as transformer
