"""Alias module: the metrics, under the path that MindSpore 2 has for them."""
# ruff: noqa: F403  the room says in its __all__ what is public

from minispore.nn import metrics as _metrics
from minispore.nn.metrics import *

__all__ = [*_metrics.__all__]
