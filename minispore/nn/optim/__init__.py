"""The optimizers."""
# ruff: noqa: F403  each family says in its __all__ what is public

from minispore.nn.optim import adam, momentum, optimizer, sgd
from minispore.nn.optim.adam import *
from minispore.nn.optim.momentum import *
from minispore.nn.optim.optimizer import *
from minispore.nn.optim.sgd import *

__all__ = [*adam.__all__, *momentum.__all__, *optimizer.__all__, *sgd.__all__]
