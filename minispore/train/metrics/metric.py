"""Alias module: Metric under its path ``mindspore.train.metrics.metric``."""

from minispore.nn.metrics.metric import Metric as Metric
from minispore.nn.metrics.metric import rearrange_inputs as rearrange_inputs

__all__ = ["Metric", "rearrange_inputs"]
