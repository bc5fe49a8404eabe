"""Describe how a run is distributed over devices: layouts, strategies, settings of the strategy
search.

Scripts read the settings through ``_auto_parallel_context`` and ``_utils``, as in MindSpore.
"""

from __future__ import annotations

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.parallel._algo_parameters import get_algo_parameters as get_algo_parameters
from minispore.parallel._algo_parameters import reset_algo_parameters as reset_algo_parameters
from minispore.parallel._algo_parameters import set_algo_parameters as set_algo_parameters
from minispore.parallel.shard import Layout as Layout
from minispore.parallel.shard import shard as shard

__all__ = [
    "Layout",
    "get_algo_parameters",
    "reset_algo_parameters",
    "set_algo_parameters",
    "shard",
]

_SHARDED_NAMES = (
    "build_searched_strategy", "load_distributed_checkpoint", "load_segmented_checkpoints",
    "merge_pipeline_strategys", "merge_sliced_parameter", "rank_list_for_transform",
    "restore_group_info_list", "transform_checkpoint_by_rank", "transform_checkpoints",
)  # fmt: skip
__getattr__, __dir__ = _later(__name__, dict.fromkeys(_SHARDED_NAMES, "minispore.train.sharded"))

_describe(__name__)
