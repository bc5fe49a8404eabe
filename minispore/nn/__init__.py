"""Networks: cells, layers, losses, optimizers, metrics, schedules, wrappers."""
# ruff: noqa: F403  each room says in its __all__ what is public

from minispore.nn.cell import Cell as Cell
from minispore.nn.dynamic_lr import *
from minispore.nn.layer import *
from minispore.nn.learning_rate_schedule import *
from minispore.nn.loss import *
from minispore.nn.optim import *
from minispore.nn.wrap import *
