# Written by python -m tests.typing.stubs
from minispore.nn.optim import ada_grad as ada_grad
from minispore.nn.optim import adadelta as adadelta
from minispore.nn.optim import adafactor as adafactor
from minispore.nn.optim import adam as adam
from minispore.nn.optim import adamax as adamax
from minispore.nn.optim import asgd as asgd
from minispore.nn.optim import ftrl as ftrl
from minispore.nn.optim import lamb as lamb
from minispore.nn.optim import lars as lars
from minispore.nn.optim import momentum as momentum
from minispore.nn.optim import optimizer as optimizer
from minispore.nn.optim import rmsprop as rmsprop
from minispore.nn.optim import rprop as rprop
from minispore.nn.optim import sgd as sgd
from minispore.nn.optim.ada_grad import Adagrad as Adagrad
from minispore.nn.optim.ada_grad import ProximalAdagrad as ProximalAdagrad
from minispore.nn.optim.adadelta import Adadelta as Adadelta
from minispore.nn.optim.adafactor import AdaFactor as AdaFactor
from minispore.nn.optim.adam import Adam as Adam
from minispore.nn.optim.adam import AdamOffload as AdamOffload
from minispore.nn.optim.adam import AdamWeightDecay as AdamWeightDecay
from minispore.nn.optim.adam import LazyAdam as LazyAdam
from minispore.nn.optim.adamax import AdaMax as AdaMax
from minispore.nn.optim.asgd import ASGD as ASGD
from minispore.nn.optim.ftrl import FTRL as FTRL
from minispore.nn.optim.lamb import Lamb as Lamb
from minispore.nn.optim.lars import LARS as LARS
from minispore.nn.optim.momentum import Momentum as Momentum
from minispore.nn.optim.optimizer import Optimizer as Optimizer
from minispore.nn.optim.optimizer import opt_init_args_register as opt_init_args_register
from minispore.nn.optim.rmsprop import RMSProp as RMSProp
from minispore.nn.optim.rprop import Rprop as Rprop
from minispore.nn.optim.sgd import SGD as SGD
from minispore.nn.optim.thor import thor as thor

__all__ = [
    "ASGD",
    "AdaFactor",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "FTRL",
    "LARS",
    "Lamb",
    "LazyAdam",
    "Momentum",
    "Optimizer",
    "ProximalAdagrad",
    "RMSProp",
    "Rprop",
    "SGD",
    "opt_init_args_register",
    "thor",
]
