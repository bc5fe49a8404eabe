"""Alias module: mixed precision and loss scaling, at ``mindspore.amp``."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.train.amp import auto_mixed_precision as auto_mixed_precision
from minispore.train.amp import build_train_network as build_train_network
from minispore.train.amp import custom_mixed_precision as custom_mixed_precision
from minispore.train.amp import get_black_list as get_black_list
from minispore.train.amp import get_white_list as get_white_list
from minispore.train.loss_scale import DynamicLossScaleManager as DynamicLossScaleManager
from minispore.train.loss_scale import DynamicLossScaler as DynamicLossScaler
from minispore.train.loss_scale import FixedLossScaleManager as FixedLossScaleManager
from minispore.train.loss_scale import LossScaleManager as LossScaleManager
from minispore.train.loss_scale import LossScaler as LossScaler
from minispore.train.loss_scale import StaticLossScaler as StaticLossScaler
from minispore.train.loss_scale import all_finite as all_finite
from minispore.train.loss_scale import init_status as init_status
from minispore.train.loss_scale import is_finite as is_finite

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
    "is_finite",
]

_describe(__name__)
