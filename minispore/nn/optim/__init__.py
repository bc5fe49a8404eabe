"""The optimizers."""

from minispore.nn.optim.adam import Adam as Adam
from minispore.nn.optim.adam import AdamOffload as AdamOffload
from minispore.nn.optim.adam import AdamWeightDecay as AdamWeightDecay
from minispore.nn.optim.adam import LazyAdam as LazyAdam
from minispore.nn.optim.momentum import Momentum as Momentum
from minispore.nn.optim.optimizer import Optimizer as Optimizer
from minispore.nn.optim.optimizer import opt_init_args_register as opt_init_args_register
from minispore.nn.optim.sgd import SGD as SGD
