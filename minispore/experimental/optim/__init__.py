"""Alias module for ``mindspore.experimental.optim``: optimizers with PyTorch's arguments."""

from minispore.experimental.optim import lr_scheduler as lr_scheduler
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.nn.optim.experimental import ASGD as ASGD
from minispore.nn.optim.experimental import SGD as SGD
from minispore.nn.optim.experimental import Adadelta as Adadelta
from minispore.nn.optim.experimental import Adagrad as Adagrad
from minispore.nn.optim.experimental import Adam as Adam
from minispore.nn.optim.experimental import Adamax as Adamax
from minispore.nn.optim.experimental import AdamW as AdamW
from minispore.nn.optim.experimental import NAdam as NAdam
from minispore.nn.optim.experimental import Optimizer as Optimizer
from minispore.nn.optim.experimental import RAdam as RAdam
from minispore.nn.optim.experimental import RMSprop as RMSprop
from minispore.nn.optim.experimental import Rprop as Rprop

_describe(__name__)
