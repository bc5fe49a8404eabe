"""Alias module: the groups of data types, at ``mindspore._c_expression.typing``."""

from minispore.ir.dtype import Type as Type
from minispore.ops.methods.object_types import BFloat as BFloat
from minispore.ops.methods.object_types import Bool as Bool
from minispore.ops.methods.object_types import Complex as Complex
from minispore.ops.methods.object_types import Float as Float
from minispore.ops.methods.object_types import Int as Int
from minispore.ops.methods.object_types import Number as Number
from minispore.ops.methods.object_types import String as String
from minispore.ops.methods.object_types import TensorType as TensorType
from minispore.ops.methods.object_types import UInt as UInt

__all__ = [
    "BFloat",
    "Bool",
    "Complex",
    "Float",
    "Int",
    "Number",
    "String",
    "TensorType",
    "Type",
    "UInt",
]
