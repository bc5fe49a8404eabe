"""Alias module: other names for the same ops, in the current MindSpore or in MindSpore 1.x."""

from minispore.ops.control.effects import depend
from minispore.ops.elementwise.arithmetic import (
    Add,
    add,
    floor_div,
    floor_mod,
    mul,
    sub,
    tensor_div,
)
from minispore.ops.elementwise.compare import greater, greater_equal, less, less_equal
from minispore.ops.elementwise.piecewise_activations import ReLU
from minispore.ops.elementwise.powers import exp, expm1, pows
from minispore.ops.elementwise.smooth_activations import FastGeLU, GeLU
from minispore.ops.index.scatter_update import IndexAdd, index_add
from minispore.ops.shape.create import range as _range
from minispore.ops.shape.join import Stack
from minispore.ops.shape.join import slice as _slice
from minispore.ops.shape.space_depth import BatchToSpaceND
from minispore.ops.shape.split import Unstack
from minispore.ops.shape.views import Transpose, broadcast_to

TensorAdd = Add
Pack = Stack
Unpack = Unstack
Gelu = GeLU
FastGelu = FastGeLU
ReLUV3 = ReLU
TransposeView = Transpose
InplaceIndexAdd = IndexAdd
BatchToSpaceNDV2 = BatchToSpaceND

tensor_add = add
tensor_sub = sub
tensor_mul = mul
tensor_muls = mul
tensor_mod = floor_mod
tensor_floordiv = floor_div
tensor_pow = pows
tensor_exp = exp
tensor_expm1 = expm1
tensor_gt = greater
tensor_ge = greater_equal
tensor_lt = less
tensor_le = less_equal
tensor_slice = _slice
tensor_range = _range
expand = broadcast_to
inplace_index_add = index_add
control_depend = depend

__all__ = [
    "BatchToSpaceNDV2",
    "FastGelu",
    "Gelu",
    "InplaceIndexAdd",
    "Pack",
    "ReLUV3",
    "TensorAdd",
    "TransposeView",
    "Unpack",
    "control_depend",
    "expand",
    "inplace_index_add",
    "tensor_add",
    "tensor_div",
    "tensor_exp",
    "tensor_expm1",
    "tensor_floordiv",
    "tensor_ge",
    "tensor_gt",
    "tensor_le",
    "tensor_lt",
    "tensor_mod",
    "tensor_mul",
    "tensor_muls",
    "tensor_pow",
    "tensor_range",
    "tensor_slice",
    "tensor_sub",
]
