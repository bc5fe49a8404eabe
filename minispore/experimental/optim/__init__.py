"""Door: optimizers with PyTorch's arguments, at ``mindspore.experimental.optim``."""

from minispore.described import describe as _describe
from minispore.experimental.optim import lr_scheduler as lr_scheduler
from minispore.nn.optim.experimental import SGD as SGD
from minispore.nn.optim.experimental import Adam as Adam
from minispore.nn.optim.experimental import AdamW as AdamW
from minispore.nn.optim.experimental import Optimizer as Optimizer

_describe(__name__)
