"""Alias module: what MindSpore generates, at ``mindspore.ops.auto_generate.gen_ops_prim``."""
# ruff: noqa: F401, F403

from minispore.ops.methods.inplace import InplaceAddExt as InplaceAddExt
from minispore.ops.operations._grad_ops import *
from minispore.ops.rare import look_primitives as __getattr__
from minispore.ops.rare import names_primitives as __dir__
from minispore.ops.vocabulary import *
