"""The losses."""
# ruff: noqa: F403  each family says in its __all__ what is public

from minispore.nn.loss import base, classification, regression
from minispore.nn.loss.base import *
from minispore.nn.loss.classification import *
from minispore.nn.loss.regression import *

__all__ = [*base.__all__, *classification.__all__, *regression.__all__]
