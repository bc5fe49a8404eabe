"""Checkpoints of networks split over devices: merged, re-split or loaded.

``strategy`` reads the files that describe how each parameter was split; a *piece* is the part that
one rank stores. ``transform`` converts pieces of one strategy into those of another.
"""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.train.sharded.conversion import (
    ckpt_to_safetensors,
    load_checkpoint_async,
    safetensors_to_ckpt,
)
from minispore.train.sharded.prefixes import (
    _load_dismatch_prefix_params as _load_dismatch_prefix_params,
)
from minispore.train.sharded.transform import (
    build_searched_strategy,
    load_distributed_checkpoint,
    load_segmented_checkpoints,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    rank_list_for_transform,
    restore_group_info_list,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)

__all__ = [
    "build_searched_strategy",
    "ckpt_to_safetensors",
    "load_checkpoint_async",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "rank_list_for_transform",
    "restore_group_info_list",
    "safetensors_to_ckpt",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
]

_describe(__name__)
