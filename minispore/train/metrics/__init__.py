"""Alias module: the metrics under their path in MindSpore 2."""
# ruff: noqa: F403  the module lists its public names in __all__

from minispore.nn import metrics as _metrics
from minispore.nn.metrics import *
from minispore.train.metrics import metric as metric

__all__ = [*_metrics.__all__]
