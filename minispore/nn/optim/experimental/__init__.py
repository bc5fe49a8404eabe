"""Optimizers with PyTorch's arguments: groups are dicts, and schedulers change their learning
rates.
"""

from __future__ import annotations

from minispore.nn.optim.experimental import lr_scheduler as lr_scheduler
from minispore.nn.optim.experimental.adadelta import Adadelta as Adadelta
from minispore.nn.optim.experimental.adagrad import Adagrad as Adagrad
from minispore.nn.optim.experimental.adam import Adam as Adam
from minispore.nn.optim.experimental.adam import AdamW as AdamW
from minispore.nn.optim.experimental.adamax import Adamax as Adamax
from minispore.nn.optim.experimental.asgd import ASGD as ASGD
from minispore.nn.optim.experimental.nadam import NAdam as NAdam
from minispore.nn.optim.experimental.optimizer import Optimizer as Optimizer
from minispore.nn.optim.experimental.radam import RAdam as RAdam
from minispore.nn.optim.experimental.rmsprop import RMSprop as RMSprop
from minispore.nn.optim.experimental.rprop import Rprop as Rprop
from minispore.nn.optim.experimental.sgd import SGD as SGD

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]
