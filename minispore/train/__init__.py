"""Training: Model, callbacks, data sink, checkpoints, metrics."""
# ruff: noqa: F403  each module lists its public names in __all__

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.foundation.placeholders import SummaryLandscape as SummaryLandscape
from minispore.nn import metrics as _metrics
from minispore.nn.metrics import *
from minispore.train import callback, serialization
from minispore.train.amp import build_train_network as build_train_network
from minispore.train.callback import *
from minispore.train.data_sink import data_sink as data_sink
from minispore.train.dataset_helper import DatasetHelper as DatasetHelper
from minispore.train.dataset_helper import (
    connect_network_with_dataset as connect_network_with_dataset,
)
from minispore.train.loss_scale import DynamicLossScaleManager as DynamicLossScaleManager
from minispore.train.loss_scale import FixedLossScaleManager as FixedLossScaleManager
from minispore.train.loss_scale import LossScaleManager as LossScaleManager
from minispore.train.model import Model as Model
from minispore.train.print_file import parse_print as parse_print
from minispore.train.schedule import explain_schedule as explain_schedule
from minispore.train.serialization import *
from minispore.train.summary import SummaryRecord as SummaryRecord

__all__ = [
    "DatasetHelper",
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "Model",
    "SummaryRecord",
    "build_train_network",
    "connect_network_with_dataset",
    "data_sink",
    "explain_schedule",
    "parse_print",
    *callback.__all__,
    *_metrics.__all__,
    *serialization.__all__,
]

_LAZY_MODULES = {
    "ConvertModelUtils": "minispore.train.train_thor",
    "ConvertNetUtils": "minispore.train.train_thor",
    "build_searched_strategy": "minispore.train.sharded",
    "ckpt_to_safetensors": "minispore.train.sharded",
    "load_checkpoint_async": "minispore.train.sharded",
    "load_distributed_checkpoint": "minispore.train.sharded",
    "merge_sliced_parameter": "minispore.train.sharded",
    "metrics": "minispore.train.metrics",
    "restore_group_info_list": "minispore.train.sharded",
    "safetensors_to_ckpt": "minispore.train.sharded",
}
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
