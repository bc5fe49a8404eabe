"""The form of each op in a MindIR file: tables used for both reading and writing.

Newer ops are *functions*: their arguments and attributes are inputs of the node, in the order given
here. A digit denotes an argument of the call, ``*`` its tuple of tensors, a name an attribute of
minispore's class; a codec after a colon converts the value. Older ops have a *record* of
attributes.

Source: the order of arguments in mindspore.ops.auto_generate, and files that MindSpore 2.10 wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.ir import dtype as mstype
from minispore.ir.registry import registry
from minispore.train.interchange.mindir_proto import DTYPE_IDS

_FUNCTION_FORMS = {
    "0": """
        ACos Abs Acosh Asin Asinh Atan Atanh Ceil Conj Cos Cosh Diag Erf Erfc Erfinv Exp Expm1
        FastGeLU Flatten Floor GeLU HSigmoid HSwish Identity IsFinite IsInf Log Log1p LogicalNot
        MatrixDeterminant MatrixExp Neg OnesLike ReLU ReLU6 Real Reciprocal Rsqrt SiLU Sigmoid Sign
        Sin Sinc Sinh Sqrt Square Tan Tanh Trace Trunc ZerosLike""",
    "0 1": """
        Add Assign AssignAdd AssignSub Atan2 Complex Div Equal ExpandDims FloorDiv FloorMod
        GatherNd Gcd Greater GreaterEqual Less LessEqual LogicalAnd LogicalOr LogicalXor MatMulExt
        Maximum Minimum Mul NextAfter NotEqual PReLU Pow RealDiv ReluGrad Relu6Grad Reshape Round
        SigmoidGrad Sub TanhGrad Tile Transpose Xlogy""",
    "0 1 2": """
        Betainc GatherD Lerp MaskedFill ScatterNd Select Slice TensorScatterAdd
        TensorScatterUpdate UnsortedSegmentSum""",
    "0 1 2 3": "Addcdiv Addcmul",
    "0 1 2 axis reduction:scatter": "TensorScatterElements",
    "1 0 axis:alone": "SoftmaxGrad",
    "0 keep_prob Seed0 Seed1": "Dropout",
    "0 1 2 3 4 begin_norm_axis begin_params_axis": "LayerNormGrad",
    "0 1 2 3 4 reduction:reduction ignore_index": "NLLLossGrad",
    "0 1 2 3 reduction:reduction": "BCEWithLogitsLoss",
    "0 1 2 kernel_size:axes strides:axes pad_mode:pad_mode data_format:format": "AvgPoolGrad",
    "0 1 2 3 4 5 6 7 8 use_locking": "AdamWeightDecay",
    "0 data_format:format": "BiasAddGrad",
    "0 1 2 reduction:reduction": "BinaryCrossEntropy",
    "0 1 2 reduction:reduction ignore_index": "NLLLoss",
    "0 1 beta reduction:reduction": "SmoothL1Loss",
    "*": "AddN",
    "* axis": "Concat",
    "* indexing:indexing": "Meshgrid",
    "0 1:dtype": "Cast",
    "0 1 data_format:format": "BiasAdd",
    "0 1 transpose_a transpose_b": "BatchMatMul MatMul",
    "0 axis": "Cummax Cummin GLU LogSoftmax ReverseV2",
    "0 axis:axes": "Softmax Squeeze",
    "0 axis keep_dims": "ArgMaxWithValue ArgMinWithValue",
    "0 axis output_type:dtype": "Argmax Argmin",
    "0 1:axes keep_dims": "ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceProd",
    "0 1:axes keep_dims skip_mode": "ReduceSum",
    "0 1 exclusive reverse": "CumProd CumSum",
    "0 alpha": "CeLU Elu",
    "0 lambd": "HShrink SoftShrink",
    "0 eps": "Logit",
    "0 upper": "Cholesky CholeskyInverse",
    "0 diagonal": "Triu",
    "0 shape": "BroadcastTo",
    "0 offset dim1 dim2": "Diagonal",
    "0 nan posinf neginf": "NanToNum",
    "0 shifts dims": "Roll",
    "0 axis output_num": "Split",
    "0 1 2 batch_dims": "Gather",
    "0 1 2 3 axis": "OneHot",
    "0 1 2 begin_norm_axis begin_params_axis epsilon": "LayerNorm",
    "0 size align_corners half_pixel_centers": "ResizeNearestNeighbor",
    "0 1 align_corners half_pixel_centers": "ResizeBilinearV2",
    "0 kernel_size:axes strides:axes pad_mode:pad_mode data_format:format": "AvgPool",
    "0 1 2 3 begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask": "StridedSlice",
    "0 1 2 3 4 is_training epsilon momentum data_format:format": "BatchNorm",
}
FUNCTIONS: dict[str, list[tuple[str, str]]] = {
    name: [(part.partition(":")[0], part.partition(":")[2]) for part in form.split()]
    for form, names in _FUNCTION_FORMS.items()
    for name in names.split()
}

# Ops with a record of attributes: the attributes of minispore's class, and their codecs.
RECORDS: dict[str, dict[str, str]] = {
    "Conv2D": {"out_channel": "", "kernel_size": "", "mode": "", "pad_mode": "", "pad": "",
               "stride": "nchw", "dilation": "nchw", "group": "", "data_format": ""},
    "Conv2DTranspose": {"out_channel": "", "kernel_size": "", "mode": "", "pad_mode": "", "pad": "",
                        "stride": "nchw", "dilation": "nchw", "group": "", "data_format": ""},
    "Conv3D": {"out_channel": "", "kernel_size": "", "mode": "", "pad_mode": "", "pad": "",
               "stride": "", "dilation": "", "group": "", "data_format": ""},
    "MaxPool": {"kernel_size": "nchw", "strides": "nchw", "pad_mode": "upper", "data_format": ""},
    "Stack": {"axis": ""},
    "Unstack": {"axis": "", "num": ""},
    "Pad": {"paddings": ""},
    "SplitV": {"size_splits": "", "split_dim": "", "num_split": ""},
    "TopK": {"sorted": ""},
    "DepthToSpace": {"block_size": ""},
    "SpaceToDepth": {"block_size": ""},
    "Sort": {"axis": "", "descending": ""},
    "Softplus": {},
    "Softsign": {},
    "Mish": {},
    "SeLU": {},
    "IsNan": {},
    "BitwiseAnd": {},
    "BitwiseOr": {},
    "BitwiseXor": {},
    "Einsum": {"equation": ""},
    "Heaviside": {},
    "Hypot": {},
    "Lgamma": {},
    "MatrixInverse": {"adjoint": ""},
    "Median": {"global_median": "", "axis": "", "keep_dims": "", "ignore_nan": ""},
    "Tril": {"diagonal": ""},
    # Gradients.
    "Conv2DBackpropFilter": {"out_channel": "", "kernel_size": "", "mode": "", "pad_mode": "",
                             "pad": "", "stride": "nchw", "dilation": "nchw", "group": "",
                             "data_format": ""},
    "Conv2DBackpropInput": {"out_channel": "", "kernel_size": "", "mode": "", "pad_mode": "",
                            "pad": "", "stride": "nchw", "dilation": "nchw", "group": "",
                            "data_format": ""},
    "DropoutGrad": {"keep_prob": ""},
    "MaxPoolGrad": {"kernel_size": "nchw", "strides": "nchw", "pad_mode": "upper",
                    "data_format": ""},
    "SoftmaxCrossEntropyWithLogits": {},
    "SparseSoftmaxCrossEntropyWithLogits": {"is_grad": ""},
    # Ops that update Parameters.
    "Adam": {"use_locking": "", "use_nesterov": ""},
    "ApplyAdaMax": {},
    "ApplyAdadelta": {},
    "ApplyAdagrad": {"update_slots": ""},
    "ApplyAdagradV2": {"epsilon": "", "update_slots": ""},
    "ApplyAdamWithAmsgrad": {"beta1": "", "beta2": "", "epsilon": "", "use_locking": ""},
    "ApplyAdamWithAmsgradV2": {"use_locking": ""},
    "ApplyAddSign": {},
    "ApplyCenteredRMSProp": {"use_locking": ""},
    "ApplyFtrl": {"use_locking": ""},
    "ApplyGradientDescent": {},
    "ApplyMomentum": {"use_nesterov": "", "use_locking": "", "gradient_scale": ""},
    "ApplyPowerSign": {},
    "ApplyProximalAdagrad": {"use_locking": ""},
    "ApplyProximalGradientDescent": {},
    "ApplyRMSProp": {"use_locking": ""},
    "IndexAdd": {"axis": "", "use_lock": "", "check_index_bound": ""},
    "SGD": {"dampening": "", "weight_decay": "", "nesterov": ""},
    **{
        f"Scatter{nd}{how}": {"use_locking": ""}
        for nd in ("", "Nd") for how in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
    },
}  # fmt: skip
# Ops of minispore that have a different name in a file.
FILE_NAMES = {"Relu6Grad": "ReLU6Grad", "SoftmaxGrad": "SoftmaxBackward"}
# Ops that update several Parameters and return only the first.
RETURN_FIRST_ONLY = {"ApplyCenteredRMSProp", "ApplyFtrl", "ApplyMomentum", "ApplyRMSProp", "SGD"}
# MindSpore's second name of an attribute.
ATTRIBUTE_ALIASES = {
    "data_format": "format",
    "group": "groups",
}

# -- codecs: conversion of a value for the file, and back --------------------------------------

_FORMATS = {"NCHW": 0, "NHWC": 1, "NCDHW": 14}
_PAD_MODES = {"pad": 0, "same": 1, "valid": 2}
_REDUCTIONS = {"sum": 0, "mean": 1, "none": 2}
SCATTER_REDUCTIONS = {"none": 0, "add": 1}
_INDEXING = {"xy": 1, "ij": 0}


def _find_key(table: dict[str, int], number: Any) -> Any:
    """Return the key of a number in a table; the number itself if the table does not contain it."""
    return next((k for k, n in table.items() if n == number), number)


def _encode_dtype(value: Any) -> int:
    """Return MindSpore's type number of a dtype."""
    return DTYPE_IDS[mstype.to_numpy(value).name]


def _decode_dtype(value: Any) -> Any:
    """Return the dtype with this type number in MindSpore."""
    name = _find_key(DTYPE_IDS, value)
    return mstype.from_numpy(mstype.to_numpy(getattr(mstype, "bool_" if name == "bool" else name)))


def _encode_axes(value: Any) -> Any:
    """Return axes as a tuple: an int as a tuple of one, None as an empty tuple."""
    if value is None:
        return ()
    return (value,) if isinstance(value, int) else tuple(value)


def _get_spatial_axes(value: Any) -> Any:
    """Return the last two entries of a tuple (1, 1, h, w); return any other value unchanged."""
    return tuple(value[-2:]) if isinstance(value, tuple) else value


def _return_unchanged(value: Any) -> Any:
    """Return ``value``: the codec of attributes that files store unchanged."""
    return value


Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]
CODECS: dict[str, Codec] = {
    "": (_return_unchanged, _return_unchanged),
    "axes": (_encode_axes, _return_unchanged),
    "dtype": (_encode_dtype, _decode_dtype),
    "format": (lambda v: _FORMATS[v], lambda n: _find_key(_FORMATS, n)),
    "pad_mode": (lambda v: _PAD_MODES[v.lower()], lambda n: _find_key(_PAD_MODES, n)),
    "reduction": (lambda v: _REDUCTIONS[v], lambda n: _find_key(_REDUCTIONS, n)),
    "scatter": (lambda v: SCATTER_REDUCTIONS[v], lambda n: _find_key(SCATTER_REDUCTIONS, n)),
    "indexing": (lambda v: _INDEXING[v], lambda n: _find_key(_INDEXING, n)),
    "nchw": (lambda v: (1, 1, *v), _get_spatial_axes),
    "upper": (lambda v: v.upper(), lambda v: v.lower()),
    "alone": (lambda v: v[0], _encode_axes),
}


def has_file_form(op: str) -> bool:
    """Whether a MindIR file can hold ``op``: minispore has the op, and the tables have its form."""
    return op in registry and (op in FUNCTIONS or op in RECORDS)


__all__ = [
    "ATTRIBUTE_ALIASES",
    "CODECS",
    "FILE_NAMES",
    "FUNCTIONS",
    "RECORDS",
    "RETURN_FIRST_ONLY",
    "SCATTER_REDUCTIONS",
    "has_file_form",
]
