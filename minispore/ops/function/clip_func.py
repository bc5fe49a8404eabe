"""Alias module: the functions of clipping, at ``mindspore.ops.function.clip_func``."""
# ruff: noqa: F401, F403

from minispore.ops.extended import look_clip as __getattr__
from minispore.ops.extended import names_clip as __dir__
from minispore.ops.vocabulary import *
