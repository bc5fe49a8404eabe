"""Loss functions, one family per module."""
# ruff: noqa: F403  the __all__ of each module lists what is public

from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.nn.loss import base, classification, ctc, regression, sampled, similarity
from minispore.nn.loss.base import *
from minispore.nn.loss.base import _Loss as _Loss
from minispore.nn.loss.classification import *
from minispore.nn.loss.ctc import *
from minispore.nn.loss.regression import *
from minispore.nn.loss.sampled import *
from minispore.nn.loss.similarity import *

__all__ = [
    *base.__all__,
    *classification.__all__,
    *ctc.__all__,
    *regression.__all__,
    *sampled.__all__,
    *similarity.__all__,
]

__getattr__, __dir__ = _later(__name__, {})  # submodules are attributes
