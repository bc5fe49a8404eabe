"""Networks: cells, layers, losses, optimizers, metrics, schedules, wrappers."""
# ruff: noqa: F403  the __all__ of each module lists what is public

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.nn import (
    dynamic_lr,
    grad,
    layer,
    learning_rate_schedule,
    loss,
    metrics,
    optim,
    utils,
    wrap,
)
from minispore.nn.cell import Cell as Cell
from minispore.nn.dynamic_lr import *
from minispore.nn.grad import *
from minispore.nn.graph_cell import GraphCell as GraphCell
from minispore.nn.layer import *
from minispore.nn.learning_rate_schedule import *
from minispore.nn.loss import *
from minispore.nn.loss.base import _Loss as _Loss
from minispore.nn.metrics import *
from minispore.nn.optim import *
from minispore.nn.utils import *
from minispore.nn.wrap import *

__all__ = [
    "Cell",
    "GraphCell",
    *dynamic_lr.__all__,
    *grad.__all__,
    *layer.__all__,
    *learning_rate_schedule.__all__,
    *loss.__all__,
    *metrics.__all__,
    *optim.__all__,
    *utils.__all__,
    *wrap.__all__,
]

_LAZY_MODULES = {
    "probability": "minispore.nn.probability",
    "transformer": "minispore.nn.transformer",
}
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
