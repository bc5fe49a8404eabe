"""Conversions between Python values and tensors."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import (
    check_arrays,
    check_dtype,
    check_shape,
    check_tensor_spec,
    check_tensors,
    to_static,
)


class ViewDtype(Primitive):
    """The bytes of ``x`` reinterpreted as another data type.

    If the element sizes differ, the length of the last axis changes. Viewed as bool, each byte that
    is not 0 is True. No gradient flows back.

    Shape: x: (..., n) -> (..., n * size of x's dtype / size of ``dtype``).

    >>> ViewDtype()(Tensor([1.0]), mstype.int32)
    Tensor(shape=[1], dtype=Int32, value= [1065353216])
    """

    def infer(self, x: Spec, dtype: Any) -> Spec:
        """Return the spec in the new dtype; raise ValueError if the last axis can't be divided into
        elements.
        """
        shape, new_dtype = check_tensor_spec(self.name, x).shape, mstype.to_numpy(dtype)
        old_bytes, new_bytes = x.dtype.itemsize, new_dtype.itemsize
        if old_bytes == new_bytes:
            return Spec(shape, new_dtype)
        if not shape or shape[-1] * old_bytes % new_bytes:
            raise ValueError(
                f"Tensor.view: the last axis of x must hold whole elements of {new_dtype}, got "
                f"{x}. Reshape it first, or take a dtype of the same size."
            )
        return Spec((*shape[:-1], shape[-1] * old_bytes // new_bytes), new_dtype)

    def kernel(self, x: np.ndarray, dtype: Any, *, out: np.ndarray) -> None:
        """Copy the bytes of x to ``out`` unchanged; as bools, bytes other than 0 become True."""
        contiguous = np.ascontiguousarray(x).reshape(x.shape)
        if out.dtype == bool:
            np.not_equal(contiguous.view(np.uint8), 0, out=out)
        else:
            np.copyto(out, contiguous.view(out.dtype))

    def vjp(self, x: Tensor, dtype: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return None for both arguments: there is no gradient."""
        return None, None


class ScalarToTensor(Primitive):
    """A Python number as a tensor, float32 by default.

    >>> ScalarToTensor()(1, mstype.int32)
    Tensor(shape=[], dtype=Int32, value= 1)
    """

    question = True

    def __call__(self, x: Any, dtype: Any = mstype.float32) -> Tensor:
        """Return a real number, or a one-element tensor of no axes, as a tensor of ``dtype``; raise
        TypeError for anything else.
        """
        value = to_static(x)
        if not isinstance(value, bool | int | float):
            raise TypeError(f"{self.name}: x must be a number, got {x!r}.")
        return Tensor(value, dtype)


class ScalarToArray(Primitive):
    """A Python number as a tensor of the number's type: bool, int64 or float32.

    >>> ScalarToArray()(1.5)
    Tensor(shape=[], dtype=Float32, value= 1.5)
    """

    question = True

    def __call__(self, input_x: Any) -> Tensor:
        """Return a real Python number as a tensor; raise TypeError for anything else."""
        if not isinstance(input_x, bool | int | float):
            raise TypeError(f"{self.name}: input_x must be a number, got {input_x!r}.")
        return Tensor(input_x)


def _to_tuple(x: Any) -> Any:
    """Convert x to a tuple if it is a list or range, else return it unchanged."""
    return tuple(x) if isinstance(x, range | list) else x


class TupleToArray(Primitive):
    """A tuple of numbers of one type as a tensor: int32 for ints and bools, float32 for floats.

    >>> TupleToArray()((1, 2, 3))
    Tensor(shape=[3], dtype=Int32, value= [1, 2, 3])
    """

    question = True

    def __call__(self, input_x: Any) -> Tensor:
        """Return the tensor; raise ValueError for an empty tuple, TypeError for different types."""
        values = checks.instance(self.name, "input_x", _to_tuple(input_x), tuple)
        if not values:
            raise ValueError(f"{self.name}: input_x must hold numbers, got ().")
        for value in values:
            checks.number_or_nan(self.name, "every element of input_x", value)
        if len({type(value) for value in values}) > 1:
            raise TypeError(f"{self.name}: input_x must hold numbers of one type, got {values}.")
        return tuple_to_array(values)


class ScalarCast(Primitive):
    """A Python number converted to the Python type of the data type ``input_y``.

    >>> ScalarCast()(1.5, mstype.int64)
    1
    """

    question = True

    def __call__(self, input_x: Any, input_y: Any) -> Any:
        """Return the number ``input_x`` as the Python type of the dtype ``input_y``; raise
        TypeError unless it is real.
        """
        if not isinstance(input_x, bool | int | float):
            raise TypeError(f"{self.name}: input_x must be a number, got {input_x!r}.")
        return mstype.dtype_to_pytype(mstype.from_numpy(mstype.to_numpy(input_y)))(input_x)


class TensorToTuple(Primitive):
    """The elements of a vector as a tuple of Python numbers.

    Args:
        input_tensor: the vector.

    >>> TensorToTuple()(Tensor([1, 2]))
    (1, 2)
    """

    question = True

    def __call__(self, x: Tensor) -> tuple[Any, ...]:
        """Return the elements; raise TypeError unless ``x`` is a Tensor, ValueError unless it is a
        vector.
        """
        if not isinstance(x, Tensor):
            raise TypeError(f"{self.name}: x must be a Tensor, got {x!r}.")
        if x.ndim != 1:
            raise ValueError(f"{self.name}: x must be a vector, got shape {x.shape}.")
        return tuple(x.tolist())


class TensorShape(Primitive):
    """The shape as a vector of int64.

    >>> print(TensorShape()(Tensor([[1, 2]])))
    [1 2]
    """

    question = True

    def __call__(self, input_x: Tensor) -> Tensor:
        """Return the shape as a vector of int64; raise TypeError unless ``input_x`` is a Tensor."""
        check_tensors(self.name, input_x=input_x)
        return Tensor(np.asarray(input_x.shape, np.int64))


DynamicShape = TensorShape


class InvertPermutation(Primitive):
    """The inverse of the permutation ``input_x``, a tuple of ints, as a tuple.

    >>> InvertPermutation()((2, 0, 1))
    (1, 2, 0)
    """

    question = True

    def __call__(self, input_x: Any) -> tuple[int, ...]:
        """Return the inverse as a tuple of ints; raise ValueError unless ``input_x`` is a
        permutation of 0, 1, ....
        """
        order = check_shape(self.name, to_static(input_x), "input_x")
        if sorted(order) != list(range(len(order))):
            raise ValueError(f"{self.name}: input_x must be a permutation, got {input_x!r}.")
        return tuple(sorted(range(len(order)), key=order.__getitem__))


class DataFormatDimMap(Primitive):
    """Maps each axis of ``dst_format`` in a tensor to the index of that axis in ``src_format``.

    Negative axes count from the end.

    Args:
        src_format: "NHWC" or "NCHW".
        dst_format: "NHWC" or "NCHW".
        input_x: int32 or int64.

    >>> print(DataFormatDimMap()(Tensor([0, 1, 2, 3])))
    [0 3 1 2]
    """

    src_format: str = "NHWC"
    dst_format: str = "NCHW"

    def check(self) -> None:
        """Raise a ValueError unless both formats are "NHWC" or "NCHW"."""
        for name in ("src_format", "dst_format"):
            checks.one_of(self.name, name, getattr(self, name), ("NHWC", "NCHW"))

    def infer(self, input_x: Spec) -> Spec:
        """Return the spec of the input; raise TypeError unless it is int32 or int64."""
        return check_dtype(self.name, input_x, "input_x", "int32", "int64")

    def kernel(self, input_x: np.ndarray, *, out: np.ndarray) -> None:
        """Map each axis; raise ValueError for an axis outside [-4, 4)."""
        out_of_range = input_x[(input_x < -4) | (input_x >= 4)]
        if out_of_range.size:
            raise ValueError(
                f"{self.name}: input_x must hold axes in [-4, 4), got {out_of_range[0]}."
            )
        out[...] = np.array([self.src_format.index(axis) for axis in self.dst_format])[input_x]


# -- functions ------------------------------------------------------------------------------------


def scalar_to_tensor(input_x: Any, dtype: Any = mstype.float32) -> Tensor:
    """Convert a real number, or a 0-d tensor, to a 0-d tensor of ``dtype``, float32 by default;
    raise TypeError for anything else.
    """
    return ScalarToTensor()(input_x, dtype)


def scalar_to_array(input_x: Any) -> Tensor:
    """Convert a Python number to a tensor of the number's type: bool, int64 or float32."""
    return ScalarToArray()(input_x)


def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Convert a Python number to the Python type of the data type ``input_y``."""
    return ScalarCast()(input_x, input_y)


def tuple_to_array(input_x: Any) -> Tensor:
    """Convert a tuple to a tensor: int32 if its first item is an int, else float32.

    Lists and ranges are accepted, too; an empty one raises IndexError. The first item of a nested
    tuple is a tuple, so the result is float32.

    >>> print(tuple_to_array((1, 2.5)), tuple_to_array(((1, 2), (3, 4))).dtype)
    [1 2] Float32
    """
    values = checks.instance("tuple_to_array", "input_x", _to_tuple(input_x), tuple)
    if not values:
        raise IndexError("tuple_to_array: input_x must not be empty.")
    return Tensor(list(values), mstype.int32 if isinstance(values[0], int) else mstype.float32)


def dyn_shape(input_x: Tensor) -> Tensor:
    """Return the shape of a tensor as a vector of int64; raise TypeError for anything else."""
    check_tensors("dyn_shape", input_x=input_x)
    return TensorShape()(input_x)


def make_range(*args: int) -> tuple[int, ...]:
    """Return ``range(*args)`` as a tuple; raise TypeError unless all arguments are ints or int
    tensors.

    >>> make_range(1, 7, 2)
    (1, 3, 5)
    """
    return tuple(
        range(*[checks.integer("make_range", "every argument", to_static(n)) for n in args])
    )


def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a Tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating-point type, bfloat16 included; raise TypeError unless
    ``input`` is a tensor or array.
    """
    check_arrays("is_floating_point", input=input)
    return input.dtype.kind == "f"


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex; raise TypeError unless ``input`` is a Tensor."""
    check_tensors("is_complex", input=input)
    return input.dtype.kind == "c"


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero; raise ValueError for more than one element."""
    check_tensors("is_nonzero", input=input)
    return bool(input)


def shape_mul(input_data: Any) -> int:
    """Return the product of the lengths of a shape, a tuple; 1 for ().

    >>> shape_mul((2, 3))
    6
    """
    lengths = checks.instance("shape_mul", "input_data", to_static(input_data), tuple)
    return prod(check_shape("shape_mul", lengths, "input_data"))


def tuple_len(x: Any) -> int:
    """Return the length of a tuple; raise TypeError for anything else, a list as well."""
    return len(checks.instance("tuple_len", "x", x, tuple))


def move_to(input: Tensor, to: str = "CPU", blocking: bool = True) -> Tensor:
    """Return the tensor ``input`` itself: ``to`` and ``blocking`` are ignored, since all tensors
    are on one device.
    """
    check_tensors("move_to", input=input)
    return input


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Return ``input`` in the dtype of ``other``; raise TypeError unless ``other`` is a Tensor."""
    check_tensors("type_as", other=other)
    return Cast()(input, other.dtype)


def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any:
    """Cast the float tensors in ``x`` (a tensor, or nested tuples, lists and dicts) to
    ``dst_dtype``.

    Everything else in the same structure is returned unchanged.

    >>> mixed_precision_cast(mstype.float16, (Tensor([1.0]), Tensor([1])))[0].dtype
    mindspore.float16
    """

    def cast_float(t: Tensor) -> Tensor:
        """Cast a float tensor to the target dtype; return any other tensor unchanged."""
        return Cast()(t, dst_dtype) if t.dtype.kind == "f" and t.dtype is not dst_dtype else t

    return map_tensors(cast_float, x)


__all__ = [
    "DataFormatDimMap",
    "DynamicShape",
    "InvertPermutation",
    "ScalarCast",
    "ScalarToArray",
    "ScalarToTensor",
    "TensorShape",
    "TensorToTuple",
    "TupleToArray",
    "dyn_shape",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_tensor",
    "make_range",
    "mixed_precision_cast",
    "move_to",
    "scalar_cast",
    "scalar_to_array",
    "scalar_to_tensor",
    "shape_mul",
    "tuple_len",
    "tuple_to_array",
    "type_as",
]
