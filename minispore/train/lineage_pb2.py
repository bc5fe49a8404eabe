"""Messages of a lineage file, with the field numbers of MindSpore's ``lineage.proto``."""

from __future__ import annotations

from minispore.foundation.protobuf.message import Message


class UserDefinedInfo(Message):
    schema = """1 user_info UserDefinedInfo*; 2 map_dict map:UserDefinedInfo; 3 map_int32 map:int;
        4 map_str map; 5 map_double map:double"""


class HyperParameters(Message):
    schema = """1 optimizer str; 2 learning_rate float; 3 loss_function str; 4 epoch int;
        5 parallel_mode str; 6 device_num int; 8 batch_size int"""


class TrainDataset(Message):
    schema = "1 train_dataset_path str; 2 train_dataset_size int"


class Algorithm(Message):
    schema = "1 network str; 2 loss float"


class Model(Message):
    schema = "3 path str; 4 size int"


class TrainLineage(Message):
    schema = """1 hyper_parameters HyperParameters; 2 train_dataset TrainDataset;
        3 algorithm Algorithm; 4 model Model"""


class ValidDataset(Message):
    schema = "1 valid_dataset_path str; 2 valid_dataset_size int"


class EvaluationLineage(Message):
    schema = "2 metric str; 3 valid_dataset ValidDataset"


class StrList(Message):
    schema = "1 strValue str*"


class OperationParameter(Message):
    schema = """1 mapStr map; 2 mapStrList map:StrList; 3 mapBool map:int; 4 mapInt map:int;
        5 mapDouble map:double"""


class Operation(Message):
    schema = "1 operationParam OperationParameter; 2 size int*; 3 weights float*"


class DatasetGraph(Message):
    schema = """1 children DatasetGraph*; 2 parameter OperationParameter; 3 operations Operation*;
        4 sampler Operation"""


class LineageEvent(Message):
    schema = """1 wall_time double; 2 step int; 3 version str; 6 train_lineage TrainLineage;
        7 evaluation_lineage EvaluationLineage; 9 dataset_graph DatasetGraph;
        10 user_defined_info UserDefinedInfo"""


__all__ = [
    "DatasetGraph",
    "EvaluationLineage",
    "LineageEvent",
    "Operation",
    "OperationParameter",
    "TrainLineage",
    "UserDefinedInfo",
]
