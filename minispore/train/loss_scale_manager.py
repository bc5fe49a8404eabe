"""Alias module: the loss scale managers under their older path in MindSpore."""

from minispore.train.loss_scale import DynamicLossScaleManager as DynamicLossScaleManager
from minispore.train.loss_scale import FixedLossScaleManager as FixedLossScaleManager
from minispore.train.loss_scale import LossScaleManager as LossScaleManager

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]
