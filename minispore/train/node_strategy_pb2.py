"""Messages of a strategy file, with the field numbers of MindSpore's ``node_strategy.proto``."""

from __future__ import annotations

from minispore.foundation.protobuf.message import Message


class ParallelStrategy(Message):
    schema = "1 dim int*"


class ParallelStrategys(Message):
    schema = "1 stage int; 2 parallel_strategy ParallelStrategy*"


class ParallelStrategyItem(Message):
    schema = "1 node_name str; 2 parallel_strategys ParallelStrategys"


class DevMatrix(Message):
    schema = "1 dim int*"


class TensorMap(Message):
    schema = "1 dim int*"


class ParamSplitShape(Message):
    schema = "1 dim int*"


class IndicesOffset(Message):
    schema = "1 dim int*"


class ParallelLayouts(Message):
    schema = """1 dev_matrix DevMatrix*; 2 tensor_map TensorMap*;
        3 param_split_shape ParamSplitShape*; 4 indices_offset IndicesOffset*; 5 field int;
        6 opt_weight_shard_step int; 7 opt_weight_shard_size int"""


class ParallelLayoutItem(Message):
    schema = "1 param_name str; 2 parallel_layouts ParallelLayouts"


class ParallelGroupRanks(Message):
    schema = "1 dim int*"


class ParallelGroupItem(Message):
    schema = "1 group_name str; 2 parallel_group_ranks ParallelGroupRanks"


class ParallelGroupMap(Message):
    schema = "1 parallel_group_item ParallelGroupItem*; 2 ckpt_restore_rank_list ParallelGroupRanks"


class ParallelStrategyMap(Message):
    schema = """1 current_stage int; 2 parallel_strategy_item ParallelStrategyItem*;
        3 parallel_layout_item ParallelLayoutItem*"""


__all__ = [
    "DevMatrix",
    "IndicesOffset",
    "ParallelGroupItem",
    "ParallelGroupMap",
    "ParallelGroupRanks",
    "ParallelLayoutItem",
    "ParallelLayouts",
    "ParallelStrategy",
    "ParallelStrategyItem",
    "ParallelStrategyMap",
    "ParallelStrategys",
    "ParamSplitShape",
    "TensorMap",
]
