"""Reductions along axes: sum, mean, product, greatest and smallest, and where they are."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.axes import a_bool, a_tensor, many_axes, one_axis, static
from minispore.ops.elementwise import BOOL, NUMBER, a_kind, broadcast_to, sum_dtype

Axes = int | tuple[int, ...]


def reduced_axes(op: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes to reduce, counted from the front: all of them for () and None.

    Raises:
        TypeError: an axis is not an int.
        ValueError: an axis is out of range or comes twice.
    """
    if axis is None or axis == ():
        return tuple(range(ndim))
    if ndim == 0 and axis in (0, -1, (0,), (-1,)):
        return ()
    return many_axes(op, axis, ndim)


class _Reduce(Primitive):
    """``kernel(x, axis)`` sums up the axes ``axis``; () means all."""

    keep_dims: bool = False
    kinds: ClassVar[str] = NUMBER

    def check(self) -> None:
        a_bool(self.name, self.keep_dims, "keep_dims")

    def __call__(self, x: Any, axis: Any = ()) -> Tensor:
        return super().__call__(x, () if axis is None else static(axis))

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        a_kind(self.name, x, self.kinds, "x")
        axes = reduced_axes(self.name, axis, x.ndim)
        if self.keep_dims:
            shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        else:
            shape = tuple(n for i, n in enumerate(x.shape) if i not in axes)
        return Spec(shape, self.result(x.dtype))

    def result(self, dtype: np.dtype) -> np.dtype:
        """The dtype of the output."""
        return dtype

    def axes_of(self, x: Any, axis: Axes) -> tuple[int, ...]:
        return reduced_axes(self.name, axis, x.ndim)

    def spread(self, y: Tensor, x: Tensor, axis: Axes) -> Tensor:
        """``y`` (of the output's shape) with the reduced axes back as axes of length 1."""
        if self.keep_dims:
            return y
        axes = self.axes_of(x, axis)
        return call("Reshape", y, tuple(1 if i in axes else n for i, n in enumerate(x.shape)))


class ReduceSum(_Reduce):
    """The sum along ``axis``.

    Args:
        keep_dims: keep the reduced axes with length 1.
        skip_mode: with an empty ``axis``, return x itself.

    >>> print(ReduceSum(keep_dims=True)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [[3.]
     [7.]]
    """

    skip_mode: bool = False

    def check(self) -> None:
        super().check()
        a_bool(self.name, self.skip_mode, "skip_mode")

    def axes_of(self, x: Any, axis: Axes) -> tuple[int, ...]:
        return () if self.skip_mode and axis == () else super().axes_of(x, axis)

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        if self.skip_mode and axis == ():
            return a_tensor(self.name, x, "x")
        return super().infer(x, axis)

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        np.add.reduce(x, self.axes_of(x, axis), sum_dtype(x.dtype), out, keepdims=self.keep_dims)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: broadcast_to(self.spread(dout, x, axis), x.shape),)


class ReduceMean(_Reduce):
    """The mean along ``axis``; integers are averaged without their fraction.

    >>> print(ReduceMean()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [1.5 3.5]
    """

    kinds = "iufVc"

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        axes = self.axes_of(x, axis)
        n = math.prod(x.shape[i] for i in axes)
        if out.dtype.kind in "iu":
            total = np.add.reduce(x, axes, np.float64, keepdims=self.keep_dims)
            np.copyto(out, np.trunc(total / n), casting="unsafe")
        elif sum_dtype(x.dtype) != x.dtype:  # half floats: rounded once, at the end
            total = np.add.reduce(x, axes, sum_dtype(x.dtype), keepdims=self.keep_dims)
            np.copyto(out, total / n, casting="same_kind")
        else:
            np.add.reduce(x, axes, None, out, keepdims=self.keep_dims)
            np.true_divide(out, n, out=out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        n = math.prod(x.shape[i] for i in self.axes_of(x, axis))
        return (lambda: broadcast_to(self.spread(dout / n, x, axis), x.shape),)


class ReduceProd(_Reduce):
    """The product along ``axis``.

    >>> print(ReduceProd()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [ 2. 12.]
    """

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        np.multiply.reduce(
            x, self.axes_of(x, axis), sum_dtype(x.dtype), out, keepdims=self.keep_dims
        )

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            """The product of all others: those before times those after, right at zeros too."""
            axes = self.axes_of(x, axis)
            kept = tuple(i for i in range(x.ndim) if i not in axes)
            order = kept + axes
            moved = call("Transpose", x, order)
            rows = call("Reshape", moved, (*[x.shape[i] for i in kept], -1 if x.shape else 1))
            scan = registry["CumProd"]
            others = scan(True, False)(rows, -1) * scan(True, True)(rows, -1)
            back = tuple(order.index(i) for i in range(x.ndim))
            others = call("Transpose", call("Reshape", others, moved.shape), back)
            return self.spread(dout, x, axis) * others

        return (slope,)


class _ReduceExtreme(_Reduce):
    """The greatest or smallest element along ``axis``; equal ones share the gradient."""

    kinds = "iufV"
    ufunc: ClassVar[np.ufunc]

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        spec = super().infer(x, axis)
        if spec.size and not x.size:
            raise ValueError(f"{self.name}: x must have elements to reduce, got {x}.")
        return spec

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        self.ufunc.reduce(x, self.axes_of(x, axis), None, out, keepdims=self.keep_dims)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            best = call("Cast", call("Equal", x, self.spread(out, x, axis)), dout.dtype)
            return best * (self.spread(dout, x, axis) / ReduceSum(True)(best, axis))

        return (slope,)


class ReduceMax(_ReduceExtreme):
    """The greatest element along ``axis``.

    >>> print(ReduceMax()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [2. 4.]
    """

    ufunc = np.maximum


class ReduceMin(_ReduceExtreme):
    """The smallest element along ``axis``.

    >>> print(ReduceMin()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [1. 3.]
    """

    ufunc = np.minimum


class ReduceAll(_Reduce):
    """Whether all elements along ``axis`` are true.

    >>> print(ReduceAll()(Tensor([[True, False], [True, True]]), 1))
    [False  True]
    """

    ufunc: ClassVar[np.ufunc] = np.logical_and

    def result(self, dtype: np.dtype) -> np.dtype:
        return BOOL

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        self.ufunc.reduce(x, self.axes_of(x, axis), None, out, keepdims=self.keep_dims)


class ReduceAny(ReduceAll):
    """Whether any element along ``axis`` is true.

    >>> print(ReduceAny()(Tensor([[False, False], [True, False]]), 1))
    [False  True]
    """

    ufunc = np.logical_or


# -- where the extremes are -----------------------------------------------------------------------


class Argmax(Primitive):
    """The index of the greatest element along ``axis``, the first one among equals.

    Args:
        axis: the axis to search along.
        output_type: int32 or int64.

    >>> print(Argmax()(Tensor([[1.0, 5.0, 3.0]])))
    [1]
    """

    axis: int = -1
    output_type: Any = mstype.int32
    find: ClassVar[Any] = staticmethod(np.argmax)

    def check(self) -> None:
        one_axis(self.name, self.axis, 1 << 30)
        if self.output_type not in (mstype.int32, mstype.int64):
            raise TypeError(
                f"{self.name}: output_type must be int32 or int64, got {self.output_type!r}."
            )

    def infer(self, x: Spec) -> Spec:
        a_kind(self.name, x, "iufV", "x")
        axis = one_axis(self.name, self.axis, x.ndim)
        if not x.shape[axis]:
            raise ValueError(f"{self.name}: x must have elements along axis {axis}, got {x}.")
        return Spec(x.shape[:axis] + x.shape[axis + 1 :], mstype.to_numpy(self.output_type))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, self.find(x, self.axis), casting="same_kind")


class Argmin(Argmax):
    """The index of the smallest element along ``axis``, the first one among equals.

    >>> print(Argmin()(Tensor([[4.0, 5.0, 3.0]])))
    [2]
    """

    find = staticmethod(np.argmin)


class ArgMaxWithValue(Primitive):
    """The index of the greatest element along ``axis`` (int64), and that element.

    >>> index, value = ArgMaxWithValue(1)(Tensor([[1.0, 5.0, 3.0]]))
    >>> print(index, value)
    [1] [5.]
    """

    partial = True
    axis: int = 0
    keep_dims: bool = False
    find: ClassVar[Any] = staticmethod(np.argmax)

    def check(self) -> None:
        one_axis(self.name, self.axis, 1 << 30)
        a_bool(self.name, self.keep_dims, "keep_dims")

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        a_kind(self.name, x, "biufV", "x")
        if not x.ndim and self.axis in (0, -1):
            return Spec((), np.dtype(np.int64)), x
        axis = one_axis(self.name, self.axis, x.ndim)
        if not x.shape[axis]:
            raise ValueError(f"{self.name}: x must have elements along axis {axis}, got {x}.")
        shape = x.shape[:axis] + ((1,) if self.keep_dims else ()) + x.shape[axis + 1 :]
        return Spec(shape, np.dtype(np.int64)), Spec(shape, x.dtype)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        index, value = out
        if not x.ndim:
            index[...], value[...] = 0, x
            return
        at = self.find(x, self.axis, keepdims=True)
        np.copyto(index, at.reshape(index.shape))
        np.copyto(value, np.take_along_axis(x, at, self.axis).reshape(value.shape))

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        if dout[1] is None:
            return (None,)
        if not x.ndim:
            return (dout[1],)
        axis, index, dvalue = self.axis % x.ndim, out[0], dout[1]
        if not self.keep_dims:
            index, dvalue = call("ExpandDims", index, axis), call("ExpandDims", dvalue, axis)
        return (lambda: PutAlongAxis(axis, x.shape[axis])(dvalue, index),)


class ArgMinWithValue(ArgMaxWithValue):
    """The index of the smallest element along ``axis`` (int64), and that element.

    >>> index, value = ArgMinWithValue(1)(Tensor([[4.0, 5.0, 3.0]]))
    >>> print(index, value)
    [2] [3.]
    """

    find = staticmethod(np.argmin)


class PutAlongAxis(Primitive):
    """Zeros of ``length`` along ``axis``, with x added at ``index``: the adjoint of gathering.

    >>> print(PutAlongAxis(1, 3)(Tensor([[5.0]]), Tensor([[2]])))
    [[0. 0. 5.]]
    """

    internal = True
    axis: int
    length: int

    def infer(self, x: Spec, index: Spec) -> Spec:
        a_tensor(self.name, x, "x")
        a_kind(self.name, index, "iu", "index")
        if x.shape != index.shape:
            raise ValueError(
                f"PutAlongAxis: index must have the shape of x, got {index.shape} and {x.shape}."
            )
        axis = one_axis(self.name, self.axis, x.ndim)
        return Spec((*x.shape[:axis], self.length, *x.shape[axis + 1 :]), x.dtype)

    def kernel(self, x: np.ndarray, index: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(0)
        if x.shape[self.axis] == 1:
            np.put_along_axis(out, index, x, self.axis)
        else:
            places = list(np.ogrid[tuple(slice(n) for n in x.shape)])
            places[self.axis] = index
            np.add.at(out, tuple(places), x)

    def vjp(self, x: Tensor, index: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: call("GatherD", dout, self.axis, index),)


__all__ = [
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "PutAlongAxis",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
]
