"""Shared parts of element-wise ops: dtype kinds, broadcasting, unary and binary base classes.

:class:`ReduceToShape` sums the gradient of a broadcast input to the shape of the input.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, Promotion
from minispore.core.tensor import Tensor
from minispore.execution.layout import LIKE_INPUT, OLD_NUMPY
from minispore.foundation import checks
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, check_tensor_spec

REAL = "biufV"  # kinds of NumPy dtypes; V is bfloat16
NUMBER = REAL + "c"
FLOAT = "fVc"
_KIND_NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
FLOAT32 = np.dtype(np.float32)
BOOL = np.dtype(np.bool_)


# -- shapes and dtypes ----------------------------------------------------------------------------


def check_dtype_kind(op: str, x: Any, kinds: str, name: str = "input") -> Spec:
    """Return ``x`` if it is the spec of a tensor with a dtype of one of ``kinds``.

    Raises:
        TypeError: ``x`` is not a tensor, or has a dtype of another kind.
    """
    if check_tensor_spec(op, x, name).dtype.kind not in kinds:
        allowed = ", ".join(n for k, n in _KIND_NAMES.items() if k in kinds)
        raise TypeError(
            f"{op}: {name} must be of a dtype of kind {allowed}, got {x}. Cast it first."
        )
    return x


def broadcast(op: str, *args: Any) -> tuple[int, ...]:
    """Return the shape to which tensors and Python scalars broadcast.

    Raises:
        TypeError: no argument is a tensor.
        ValueError: the shapes do not broadcast.
    """
    shapes = [a.shape for a in args if isinstance(a, Spec)]
    if not shapes:
        raise TypeError(f"{op}: an input must be a Tensor, got {checks.format_short(args)}.")
    first_shape = shapes[0]
    if all(shape == first_shape for shape in shapes):
        return first_shape
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shapes_text = " and ".join(str(shape) for shape in shapes)
        raise ValueError(
            f"{op}: inputs must have shapes that broadcast together, got {shapes_text}. "
            "From the right, lengths must be equal or 1."
        ) from None


def get_common_dtype(*args: Any) -> np.dtype:
    """Return the dtype of the tensors among ``args``, which promotion has cast to one dtype."""
    return next(a.dtype for a in args if isinstance(a, Spec))


def check_same_dtype(op: str, *args: Any, kinds: str = NUMBER) -> np.dtype:
    """Return the common dtype of ``args``, which must be tensors with a dtype of one of ``kinds``.

    Raises:
        TypeError: an argument is not a tensor, or dtypes differ or are of another kind.
    """
    first = check_dtype_kind(op, args[0], kinds)
    for x in args[1:]:
        if check_tensor_spec(op, x).dtype != first.dtype:
            raise TypeError(
                f"{op}: inputs must have one dtype, got {first} and {x}. Cast one of them."
            )
    return first.dtype


def cast_like(x: Tensor, gradient: Tensor) -> Tensor:
    """Cast the gradient of x to the dtype of x; integer dtypes drop the fraction."""
    return gradient if gradient.dtype is x.dtype else Cast()(gradient, x.dtype)


def clamp_to_dtype(x: Any, number: Any) -> Any:
    """Return ``number`` clamped to the range of the integer dtype of the tensor ``x``, and
    truncated.

    For a bool tensor, returns whether ``number`` is positive; for other dtypes, ``number`` itself.
    """
    kind = x.dtype.kind
    if kind == "b":
        return number > 0
    if kind not in "iu":
        return number
    bounds = np.iinfo(x.value_.spec.dtype)
    return max(bounds.min, min(int(number), bounds.max))


def cast_initial(x: Any, initial: Any) -> Any:
    """Return the initial value of a reduction of ``x``.

    A Python scalar is clamped to the range of the dtype of ``x``, so that the result keeps this
    dtype. A tensor is returned unchanged.
    """
    return clamp_to_dtype(x, initial) if isinstance(initial, bool | int | float) else initial


def to_float_dtype(dtype: np.dtype) -> np.dtype:
    """Return float32 for integer and bool dtypes, and other dtypes unchanged."""
    return FLOAT32 if dtype.kind in "biu" else dtype


def broadcast_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Broadcast ``x`` to ``shape``; x itself if it has that shape."""
    return x if x.shape == shape else registry["BroadcastTo"](shape)(x)


def unbroadcast(dout: Tensor, x: Tensor) -> Tensor:
    """Sum the cotangent of a broadcast ``x`` over the broadcast axes."""
    return dout if dout.shape == x.shape else ReduceToShape(x.shape)(dout)


def split_evenly(dout: Tensor, count: Tensor) -> Tensor:
    """Divide a gradient by ``count``, the number of elements that share it, in its dtype; integers
    drop the remainder, as in MindSpore.
    """
    quotient = dout / count
    return quotient if quotient.dtype == dout.dtype else Cast()(quotient, dout.dtype)


class ReduceToShape(Primitive):
    """The sum over the axes along which ``shape`` was broadcast: the adjoint of broadcasting.

    >>> print(ReduceToShape((2, 1))(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[3.]
     [7.]]
    """

    shape: tuple[int, ...]

    def infer(self, x: Spec) -> Spec:
        """Return the spec of ``shape``; raise ValueError unless that broadcasts to x."""
        check_tensor_spec(self.name, x, "x")
        if broadcast(self.name, x, Spec(self.shape, x.dtype)) != x.shape:
            raise ValueError(
                f"ReduceToShape: shape must broadcast to that of x, got {self.shape} for {x}."
            )
        return Spec(self.shape, x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        missing_axes = x.ndim - out.ndim
        padded = out.reshape((1,) * missing_axes + out.shape)  # a view
        axes = tuple(i for i, n in enumerate(padded.shape) if n == 1 != x.shape[i])
        np.add.reduce(x, axis=axes, dtype=choose_sum_dtype(x.dtype), keepdims=True, out=padded)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: broadcast_to(dout, x.shape),)


def choose_sum_dtype(dtype: np.dtype) -> np.dtype:
    """Return the dtype in which to accumulate: float32 for float16 and bfloat16, else ``dtype``
    itself.
    """
    return FLOAT32 if dtype.itemsize == 2 and dtype.kind in FLOAT_KINDS else dtype


def view_as_integers(a: np.ndarray) -> np.ndarray:
    """View the memory of ``a`` as integers, so that multiplying by a mask of 0 and 1 selects
    elements.

    With floats, 0 * inf would be NaN.
    """
    return a.view(_INTEGER_DTYPES[a.itemsize])


_INTEGER_DTYPES = {n: np.dtype(f"i{n}") for n in (1, 2, 4, 8)}


# -- base classes ---------------------------------------------------------------------------------


class _Unary(Primitive):
    """Base of ops that compute ``ufunc(x)`` in the dtype of x."""

    pointwise = True
    reuse: ClassVar[tuple[int, ...]] = (0,)
    layout = LIKE_INPUT
    ufunc: ClassVar[Any]
    kinds: ClassVar[str] = NUMBER

    def infer(self, x: Spec) -> Spec:
        return check_dtype_kind(self.name, x, self.kinds)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        self.ufunc(x, out=out)

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, out=out)]


class _FloatUnary(_Unary):
    """Base of unary ops with float results; integers and bools give float32."""

    def infer(self, x: Spec) -> Spec:
        check_dtype_kind(self.name, x, self.kinds)
        return Spec(x.shape, to_float_dtype(x.dtype))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        self.ufunc(x, out=out, dtype=out.dtype)

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, out=out, dtype=out.dtype)]


class _Binary(Primitive):
    """Base of ops that compute ``ufunc(x, y)`` of broadcast inputs in their common dtype."""

    pointwise = True
    reuse: ClassVar[tuple[int, ...]] = (0, 1)
    promotion: ClassVar[Promotion | None] = Promotion((0, 1))
    layout = LIKE_INPUT
    ufunc: ClassVar[Any]
    kinds: ClassVar[str] = NUMBER

    def infer(self, x: Any, y: Any) -> Spec:
        shape = broadcast(self.name, x, y)
        dtype = get_common_dtype(x, y)
        check_dtype_kind(self.name, Spec(shape, dtype), self.kinds, "inputs")
        return Spec(shape, dtype)

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        if OLD_NUMPY:
            self.ufunc(x, y, out=out, **ufunc_dtype_args(out))
        else:
            self.ufunc(x, y, out=out)

    def calls(self, x: Any, y: Any, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, y, out=out, **ufunc_dtype_args(out))]


def ufunc_dtype_args(out: np.ndarray) -> dict[str, Any]:
    """Return the dtype argument that ufuncs of NumPy before 2.0 need for 0-d outputs, else {}.

    Without it, these versions choose the dtype for a 0-d array and a scalar by their values.
    """
    return {"dtype": out.dtype} if OLD_NUMPY and not out.ndim and out.dtype.kind != "b" else {}


class _FloatBinary(_Binary):
    """Base of binary ops with float results; integers give float32."""

    promotion = Promotion((0, 1), casts_int_scalars=False)

    def infer(self, x: Any, y: Any) -> Spec:
        shape, dtype = super().infer(x, y)
        return Spec(shape, to_float_dtype(dtype))

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        self.ufunc(x, y, out=out, dtype=out.dtype)

    def calls(self, x: Any, y: Any, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, y, out=out, dtype=out.dtype)]


__all__ = ["ReduceToShape"]
