"""Messages of an ONNX file, with the field numbers of the public ``onnx.proto``."""

from __future__ import annotations

from minispore.foundation.protobuf.message import Message

# TensorProto.data_type
TENSOR_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
    "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
    "complex64": 14, "complex128": 15, "bfloat16": 16,
}  # fmt: skip

FLOAT, INT, STRING, TENSOR, FLOATS, INTS, STRINGS = 1, 2, 3, 4, 6, 7, 8  # AttributeProto.type


class TensorProto(Message):
    schema = "1 dims int*; 2 data_type int; 8 name str; 9 raw_data bytes"


class AttributeProto(Message):
    schema = """1 name str; 2 f float; 3 i int; 4 s bytes; 5 t TensorProto; 7 floats float*;
        8 ints int*; 9 strings bytes*; 20 type int"""


class DimensionProto(Message):
    schema = "1 dim_value int; 2 dim_param str"


class TensorShapeProto(Message):
    schema = "1 dim DimensionProto*"


class TensorTypeProto(Message):
    schema = "1 elem_type int; 2 shape TensorShapeProto"


class TypeProto(Message):
    schema = "1 tensor_type TensorTypeProto"


class ValueInfoProto(Message):
    schema = "1 name str; 2 type TypeProto"


class NodeProto(Message):
    schema = """1 input str*; 2 output str*; 3 name str; 4 op_type str;
        5 attribute AttributeProto*; 6 doc_string str; 7 domain str"""


class GraphProto(Message):
    schema = """1 node NodeProto*; 2 name str; 5 initializer TensorProto*; 10 doc_string str;
        11 input ValueInfoProto*; 12 output ValueInfoProto*; 13 value_info ValueInfoProto*"""


class OperatorSetIdProto(Message):
    schema = "1 domain str; 2 version int"


class ModelProto(Message):
    schema = """1 ir_version int; 2 producer_name str; 3 producer_version str; 4 domain str;
        5 model_version int; 6 doc_string str; 7 graph GraphProto;
        8 opset_import OperatorSetIdProto*"""
