"""Alias module: the primitives that MindSpore generates, at ``mindspore.ops.auto_generate``."""
# ruff: noqa: F401, F403

from minispore.ops.auto_generate.gen_ops_prim import *
from minispore.ops.extended import look_generated as __getattr__
from minispore.ops.extended import names_generated as __dir__
from minispore.ops.vocabulary import *
