"""Alias module for ``mindspore.experimental.optim.lr_scheduler``: learning rate schedulers."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.nn.optim.experimental.lr_cycles import (
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
)
from minispore.nn.optim.experimental.lr_cycles import CyclicLR as CyclicLR
from minispore.nn.optim.experimental.lr_cycles import ReduceLROnPlateau as ReduceLROnPlateau
from minispore.nn.optim.experimental.lr_cycles import SequentialLR as SequentialLR
from minispore.nn.optim.experimental.lr_scheduler import ConstantLR as ConstantLR
from minispore.nn.optim.experimental.lr_scheduler import CosineAnnealingLR as CosineAnnealingLR
from minispore.nn.optim.experimental.lr_scheduler import ExponentialLR as ExponentialLR
from minispore.nn.optim.experimental.lr_scheduler import LambdaLR as LambdaLR
from minispore.nn.optim.experimental.lr_scheduler import LinearLR as LinearLR
from minispore.nn.optim.experimental.lr_scheduler import LRScheduler as LRScheduler
from minispore.nn.optim.experimental.lr_scheduler import MultiplicativeLR as MultiplicativeLR
from minispore.nn.optim.experimental.lr_scheduler import MultiStepLR as MultiStepLR
from minispore.nn.optim.experimental.lr_scheduler import PolynomialLR as PolynomialLR
from minispore.nn.optim.experimental.lr_scheduler import StepLR as StepLR

_describe(__name__)
