"""Messages of a MindIR file, with the field numbers of the public ``mind_ir.proto``."""

from __future__ import annotations

from minispore.foundation.protobuf.message import Message

# AttributeProto.type; the element types of TENSOR_TYPES are valid, too
FLOAT, INT64, STRING, BOOL, DOUBLE = 1, 7, 8, 9, 11
TENSOR, TENSORS, TUPLE, LIST, UMONAD, IOMONAD, NONE = 17, 19, 20, 21, 23, 24, 25

# TensorProto.data_type
TENSOR_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
    "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
    "complex64": 14, "complex128": 15, "bfloat16": 16,
}  # fmt: skip

# The numbers that represent dtypes as arguments of MindSpore's ops.
DTYPE_IDS = {
    "bool": 30, "int8": 32, "int16": 33, "int32": 34, "int64": 35,
    "uint8": 37, "uint16": 38, "uint32": 39, "uint64": 40,
    "float16": 42, "float32": 43, "float64": 44, "bfloat16": 45,
    "complex64": 51, "complex128": 52,
}  # fmt: skip

PRIMITIVE, PRIMITIVE_FUNCTION = 1, 2  # PrimitiveProto.prim_type


class ExternalDataProto(Message):
    schema = "1 location str; 2 offset int; 3 length int"


class TensorProto(Message):
    schema = """1 dims int*; 2 data_type int; 3 float_data float*; 4 int32_data int*;
        5 string_data bytes*; 6 int64_data int*; 7 name str; 8 doc_string str; 9 raw_data bytes;
        10 double_data double*; 11 uint64_data int*; 12 external_data ExternalDataProto;
        13 ref_key str; 14 min_dims int*; 15 max_dims int*; 16 compression_type int"""


class SeqInfoProto(Message):
    schema = "1 is_dyn_len int; 2 tuple_elem_item AttributeProto"


class AttributeProto(Message):
    schema = """1 name str; 2 f float; 3 i int; 4 d double; 5 s bytes; 6 t TensorProto;
        7 g GraphProto; 8 floats float*; 9 doubles double*; 10 ints int*; 11 strings bytes*;
        12 tensors TensorProto*; 13 graphs GraphProto*; 14 doc_string str; 15 ref_attr_name str;
        16 type int; 17 values AttributeProto*; 18 seq_info SeqInfoProto"""


class ValueInfoProto(Message):
    schema = """1 name str; 2 tensor TensorProto*; 3 doc_string str; 4 denotation str;
        5 attr_info AttributeProto"""


class NodeProto(Message):
    schema = """1 input str*; 2 output str*; 3 name str; 4 op_type str;
        5 attribute AttributeProto*; 6 doc_string str; 7 domain str;
        8 node_attr AttributeProto*; 9 primal_attr AttributeProto*"""


class MapTensorProto(Message):
    schema = """1 name str; 2 default_value AttributeProto; 3 key_tensor TensorProto;
        4 value_tensor TensorProto; 5 status_tensor TensorProto"""


class GraphProto(Message):
    schema = """1 node NodeProto*; 2 name str; 3 parameter TensorProto*; 4 doc_string str;
        5 input ValueInfoProto*; 6 output ValueInfoProto*; 7 bprop_hash str;
        8 attribute AttributeProto*; 9 bprop_filepath str; 10 map_parameter MapTensorProto*"""


class PrimitiveProto(Message):
    schema = """1 name str; 2 op_type str; 3 attribute AttributeProto*; 4 instance_name str;
        5 prim_type int"""


class PreprocessOpProto(Message):
    schema = """1 input_columns str; 2 output_columns str; 3 project_columns str; 4 op_type str;
        5 operations str; 6 offload int"""


class PreprocessorProto(Message):
    schema = "1 op PreprocessOpProto*"


class LayoutProto(Message):
    schema = """1 name str; 2 device_arrangement_int int*; 3 tensor_map_int int*;
        4 slice_shape_int int*; 5 field_size int; 6 uniform_split int; 7 opt_shard_group str;
        8 pipeline_shared int; 9 is_send int; 10 peer_rank int; 11 sr_tag int;
        12 opt_shard_slice_shape_int int*"""


class ParallelProto(Message):
    schema = "1 layout LayoutProto*"


class ModelProto(Message):
    schema = """1 ir_version str; 2 producer_name str; 3 producer_version str; 4 domain str;
        5 model_version str; 6 doc_string str; 7 graph GraphProto; 8 functions GraphProto*;
        9 preprocessor PreprocessorProto; 10 little_endian int; 11 parallel ParallelProto;
        12 primitives PrimitiveProto*; 13 mind_ir_version int; 14 user_info map"""
