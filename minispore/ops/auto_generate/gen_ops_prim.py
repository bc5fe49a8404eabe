"""Door: what MindSpore generates, at ``mindspore.ops.auto_generate.gen_ops_prim``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
