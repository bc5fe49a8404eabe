"""The optimizers, one family per file."""
# ruff: noqa: F403  the __all__ of each module lists what is public

from minispore.nn.optim import (
    ada_grad,
    adadelta,
    adafactor,
    adam,
    adamax,
    asgd,
    ftrl,
    lamb,
    lars,
    momentum,
    optimizer,
    rmsprop,
    rprop,
    sgd,
)
from minispore.nn.optim.ada_grad import *
from minispore.nn.optim.adadelta import *
from minispore.nn.optim.adafactor import *
from minispore.nn.optim.adam import *
from minispore.nn.optim.adamax import *
from minispore.nn.optim.asgd import *
from minispore.nn.optim.ftrl import *
from minispore.nn.optim.lamb import *
from minispore.nn.optim.lars import *
from minispore.nn.optim.momentum import *
from minispore.nn.optim.optimizer import *
from minispore.nn.optim.rates import *
from minispore.nn.optim.rmsprop import *
from minispore.nn.optim.rprop import *
from minispore.nn.optim.sgd import *
from minispore.nn.optim.thor import thor as thor

__all__ = [
    *ada_grad.__all__,
    *adafactor.__all__,
    *adadelta.__all__,
    *adam.__all__,
    *adamax.__all__,
    *asgd.__all__,
    *ftrl.__all__,
    *lamb.__all__,
    *lars.__all__,
    *momentum.__all__,
    *optimizer.__all__,
    *rmsprop.__all__,
    *rprop.__all__,
    *sgd.__all__,
    "thor",
]
