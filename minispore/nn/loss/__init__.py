"""The losses."""

from minispore.nn.loss.base import LossBase as LossBase
from minispore.nn.loss.classification import (
    SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits,
)
from minispore.nn.loss.regression import L1Loss as L1Loss
from minispore.nn.loss.regression import MAELoss as MAELoss
from minispore.nn.loss.regression import MSELoss as MSELoss
