"""Alias module: the Transformer where MindSpore 2.0 has it, ``mindspore.parallel._transformer``."""
# ruff: noqa: F403

from minispore.nn.transformer import *
