"""What elementwise ops share: kinds of dtypes, broadcasting, bases for one and two inputs.

A gradient of a broadcast input is summed back to its shape by :class:`ReduceToShape`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.layout import LIKE_INPUT, OLD_NUMPY
from minispore.core.primitive import Calls, Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.shape.whole import Cast
from minispore.ops.support.arguments import check_tensor_spec

REAL = "biufV"  # kinds of NumPy dtypes; V is bfloat16
NUMBER = REAL + "c"
FLOAT = "fVc"
_KIND_NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
FLOAT32 = np.dtype(np.float32)
BOOL = np.dtype(np.bool_)


# -- shapes and dtypes ----------------------------------------------------------------------------


def a_kind(op: str, x: Any, kinds: str, name: str = "input") -> Spec:
    """``x`` if it is the spec of a tensor whose dtype is of one of ``kinds``.

    Raises:
        TypeError: it is no tensor, or of another dtype.
    """
    if check_tensor_spec(op, x, name).dtype.kind not in kinds:
        allowed = ", ".join(n for k, n in _KIND_NAMES.items() if k in kinds)
        raise TypeError(
            f"{op}: {name} must be of a dtype of kind {allowed}, got {x}. Cast it first."
        )
    return x


def broadcast(op: str, *args: Any) -> tuple[int, ...]:
    """The common shape of tensors and numbers.

    Raises:
        ValueError: the shapes do not fit.
    """
    shapes = [a.shape for a in args if isinstance(a, Spec)]
    if not shapes:
        raise TypeError(f"{op}: an input must be a Tensor, got {checks.format_short(args)}.")
    first = shapes[0]
    if all(s == first for s in shapes):
        return first
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = " and ".join(str(s) for s in shapes)
        raise ValueError(
            f"{op}: inputs must have shapes that broadcast together, got {shown}. "
            "From the right, lengths must be equal or 1."
        ) from None


def common_dtype(*args: Any) -> np.dtype:
    """The dtype of the first tensor among args (promotion has made them all the same)."""
    return next(a.dtype for a in args if isinstance(a, Spec))


def one_dtype(op: str, *args: Any, kinds: str = NUMBER) -> np.dtype:
    """The dtype that all of ``args`` have, which must be tensors of one of ``kinds``.

    Raises:
        TypeError: an argument is no tensor, or of another dtype.
    """
    first = a_kind(op, args[0], kinds)
    for other in args[1:]:
        if check_tensor_spec(op, other).dtype != first.dtype:
            raise TypeError(
                f"{op}: inputs must have one dtype, got {first} and {other}. Cast one of them."
            )
    return first.dtype


def in_dtype_of(x: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of x in the dtype of x, which may be integers: towards 0."""
    return gradient if gradient.dtype is x.dtype else Cast()(gradient, x.dtype)


def number_like(x: Any, number: Any) -> Any:
    """``number`` as near as the dtype of the tensor ``x`` holds it, without its fraction for
    integers.
    """
    kind = x.dtype.kind
    if kind == "b":
        return number > 0
    if kind not in "iu":
        return number
    bounds = np.iinfo(x.value_.spec.dtype)
    return max(bounds.min, min(int(number), bounds.max))


def start(x: Any, initial: Any) -> Any:
    """``initial`` as a number of the dtype of the tensor ``x``, which an extreme keeps."""
    return number_like(x, initial) if isinstance(initial, bool | int | float) else initial


def to_float(dtype: np.dtype) -> np.dtype:
    """Where a result is no whole number: integers and bools give float32."""
    return FLOAT32 if dtype.kind in "biu" else dtype


def broadcast_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """``x`` repeated along new axes and axes of length 1 until it has ``shape``."""
    return x if x.shape == shape else registry["BroadcastTo"](shape)(x)


def unbroadcast(dout: Tensor, x: Tensor) -> Tensor:
    """The cotangent of ``x`` from that of ``x`` broadcast: summed over what was repeated."""
    return dout if dout.shape == x.shape else ReduceToShape(x.shape)(dout)


def parted(dout: Tensor, count: Tensor) -> Tensor:
    """What each of ``count`` elements has of a gradient, in its data type: an integer's rest is
    lost, as in MindSpore.
    """
    part = dout / count
    return part if part.dtype == dout.dtype else Cast()(part, dout.dtype)


class ReduceToShape(Primitive):
    """The sum over the axes along which ``shape`` was broadcast: the adjoint of broadcasting.

    >>> print(ReduceToShape((2, 1))(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[3.]
     [7.]]
    """

    internal = True
    shape: tuple[int, ...]

    def infer(self, x: Spec) -> Spec:
        check_tensor_spec(self.name, x, "x")
        if broadcast(self.name, x, Spec(self.shape, x.dtype)) != x.shape:
            raise ValueError(
                f"ReduceToShape: shape must broadcast to that of x, got {self.shape} for {x}."
            )
        return Spec(self.shape, x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        lead = x.ndim - out.ndim
        padded = out.reshape((1,) * lead + out.shape)  # a view: only axes of length 1 come in
        axes = tuple(i for i, n in enumerate(padded.shape) if n == 1 != x.shape[i])
        np.add.reduce(x, axis=axes, dtype=sum_dtype(x.dtype), keepdims=True, out=padded)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: broadcast_to(dout, x.shape),)


def sum_dtype(dtype: np.dtype) -> np.dtype:
    """What sums of ``dtype`` are kept in on the way: half floats in float32, all else in itself."""
    return FLOAT32 if dtype.itemsize == 2 and dtype.kind in "fV" else dtype


def bits(a: np.ndarray) -> np.ndarray:
    """The memory of ``a`` as whole numbers: times a mask of 0 and 1 they keep or drop an element.

    A product of floats would not: 0 * inf is nan.
    """
    return a.view(_WHOLE[a.itemsize])


_WHOLE = {n: np.dtype(f"i{n}") for n in (1, 2, 4, 8)}


# -- the bases ------------------------------------------------------------------------------------


class _Unary(Primitive):
    """``ufunc(x)``, of the dtype of x."""

    pointwise = True
    reuse: ClassVar[tuple[int, ...]] = (0,)
    layout = LIKE_INPUT
    ufunc: ClassVar[Any]
    kinds: ClassVar[str] = NUMBER

    def infer(self, x: Spec) -> Spec:
        return a_kind(self.name, x, self.kinds)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        self.ufunc(x, out=out)

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, out=out)]


class _FloatUnary(_Unary):
    """``ufunc(x)``; an integer or bool x gives float32."""

    def infer(self, x: Spec) -> Spec:
        a_kind(self.name, x, self.kinds)
        return Spec(x.shape, to_float(x.dtype))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        self.ufunc(x, out=out, dtype=out.dtype)

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, out=out, dtype=out.dtype)]


class _Binary(Primitive):
    """``ufunc(x, y)`` of inputs that broadcast, in their common dtype."""

    pointwise = True
    reuse: ClassVar[tuple[int, ...]] = (0, 1)
    promotes: ClassVar[tuple[int, ...]] = (0, 1)
    layout = LIKE_INPUT
    ufunc: ClassVar[Any]
    kinds: ClassVar[str] = NUMBER

    def infer(self, x: Any, y: Any) -> Spec:
        shape = broadcast(self.name, x, y)
        dtype = common_dtype(x, y)
        a_kind(self.name, Spec(shape, dtype), self.kinds, "inputs")
        return Spec(shape, dtype)

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        if OLD_NUMPY:
            self.ufunc(x, y, out=out, **loop(out))
        else:
            self.ufunc(x, y, out=out)

    def calls(self, x: Any, y: Any, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, y, out=out, **loop(out))]


def loop(out: np.ndarray) -> dict[str, Any]:
    """What NumPy before 2.0 must be told: an array of no axes and a number have the dtype of the
    array, not that of their values.
    """
    return {"dtype": out.dtype} if OLD_NUMPY and not out.ndim and out.dtype.kind != "b" else {}


class _FloatBinary(_Binary):
    """``ufunc(x, y)``; integers give float32."""

    casts_int_scalars = False

    def infer(self, x: Any, y: Any) -> Spec:
        shape, dtype = super().infer(x, y)
        return Spec(shape, to_float(dtype))

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        self.ufunc(x, y, out=out, dtype=out.dtype)

    def calls(self, x: Any, y: Any, *, out: np.ndarray, work: Any) -> Calls:
        return [partial(self.ufunc, x, y, out=out, dtype=out.dtype)]


__all__ = ["ReduceToShape"]
