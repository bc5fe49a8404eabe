"""Alias module: all losses under ``mindspore.nn.loss.loss``."""
# ruff: noqa: F403  an alias module

from minispore.nn.loss.base import *
from minispore.nn.loss.base import _check_label_dtype as _check_label_dtype
from minispore.nn.loss.base import _Loss as _Loss
from minispore.nn.loss.classification import *
from minispore.nn.loss.ctc import *
from minispore.nn.loss.regression import *
from minispore.nn.loss.sampled import *
from minispore.nn.loss.similarity import *
