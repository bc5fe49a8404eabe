"""Alias module: gradients of several steps, at ``mindspore.boost``."""

from minispore.boost import grad_accumulation as grad_accumulation
from minispore.train.accumulation import AdaSum as AdaSum
from minispore.train.accumulation import AutoBoost as AutoBoost
from minispore.train.accumulation import DimReduce as DimReduce
from minispore.train.accumulation import GradientAccumulation as GradientAccumulation
from minispore.train.accumulation import GradientFreeze as GradientFreeze
from minispore.train.accumulation import LessBN as LessBN

__all__ = ["AdaSum", "AutoBoost", "DimReduce", "GradientAccumulation", "GradientFreeze", "LessBN"]
