"""Alias module: what MindSpore generates, at ``mindspore.ops.auto_generate.gen_ops_def``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_definitions as __getattr__
from minispore.ops.extended import names_definitions as __dir__
from minispore.ops.vocabulary import *
