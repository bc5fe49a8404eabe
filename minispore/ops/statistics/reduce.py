"""Reductions along axes: sum, mean, product, greatest and smallest, all and any."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call, method
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.arithmetic import Add, Sub
from minispore.ops.elementwise.bases import NUMBER, a_kind, broadcast_to, parted, start, sum_dtype
from minispore.ops.elementwise.compare import Equal, LogicalOr, NotEqual
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import Cast
from minispore.ops.support import sums
from minispore.ops.support.arguments import check_axes, check_tensor_spec, check_tensors, to_static
from minispore.ops.support.spelling import also_spelled

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
    return check_axes(op, axis, ndim)


class _Reduce(Primitive):
    """``kernel(x, axis)`` sums up the axes ``axis``; () means all."""

    keep_dims: bool = False
    kinds: ClassVar[str] = NUMBER

    def check(self) -> None:
        checks.boolean(self.name, "keep_dims", self.keep_dims)

    def __call__(self, x: Any, axis: Any = ()) -> Tensor:
        return super().__call__(x, () if axis is None else to_static(axis))

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

    def total(self, ufunc: Any, x: np.ndarray, axis: Axes, dtype: Any, out: Any = None) -> Any:
        """``ufunc`` reduced along ``axis``, in ``dtype`` on the way."""
        axes = self.axes_of(x, axis)
        return ufunc.reduce(x, axes, dtype, out, keepdims=self.keep_dims)

    def spread(self, y: Tensor, x: Tensor, axis: Axes) -> Tensor:
        """``y`` (of the output's shape) with the reduced axes back as axes of length 1."""
        if self.keep_dims:
            return y
        axes = self.axes_of(x, axis)
        return Reshape()(y, tuple(1 if i in axes else n for i, n in enumerate(x.shape)))


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
        checks.boolean(self.name, "skip_mode", self.skip_mode)

    def axes_of(self, x: Any, axis: Axes) -> tuple[int, ...]:
        return () if self.skip_mode and axis == () else super().axes_of(x, axis)

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        if self.skip_mode and axis == ():
            return check_tensor_spec(self.name, x, "x")
        return super().infer(x, axis)

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        if not sums.try_sum(x, self.axes_of(x, axis), out):
            self.total(np.add, x, axis, sum_dtype(x.dtype), out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: broadcast_to(self.spread(dout, x, axis), x.shape),)


class ReduceMean(_Reduce):
    """The mean along ``axis``; integers are averaged without their fraction.

    >>> print(ReduceMean()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [1.5 3.5]
    """

    kinds = "iufVc"

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        n = math.prod(x.shape[i] for i in self.axes_of(x, axis))
        if out.dtype.kind in "iu":
            total = self.total(np.add, x, axis, np.float64)
            np.copyto(out, np.trunc(total / n), casting="unsafe")
        elif sum_dtype(x.dtype) != x.dtype:  # half floats: rounded once, at the end
            total = self.total(np.add, x, axis, sum_dtype(x.dtype))
            np.copyto(out, total / n, casting="same_kind")
        else:
            if not sums.try_sum(x, self.axes_of(x, axis), out):
                self.total(np.add, x, axis, None, out)
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
        self.total(np.multiply, x, axis, sum_dtype(x.dtype), out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            """The product of all others: those before times those after, right at zeros too."""
            axes = self.axes_of(x, axis)
            kept = tuple(i for i in range(x.ndim) if i not in axes)
            order = kept + axes
            moved = Transpose()(x, order)
            rows = Reshape()(moved, (*[x.shape[i] for i in kept], -1 if x.shape else 1))
            scan = registry["CumProd"]
            others = scan(True, False)(rows, -1) * scan(True, True)(rows, -1)
            back = tuple(order.index(i) for i in range(x.ndim))
            others = Transpose()(Reshape()(others, moved.shape), back)
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
        self.total(self.ufunc, x, axis, None, out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            found, nan = Equal()(x, self.spread(out, x, axis)), NotEqual()(x, x)
            best = LogicalOr()(found, nan)  # where there is a NaN, that is the extreme
            count = ReduceSum(True)(Cast()(best, dout.dtype), axis)
            return call("Select", best, parted(self.spread(dout, x, axis), count), 0)

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


# -- functions -------------------------------------------------------------------------------------


def whole(input: Tensor, dtype: Any) -> Tensor:
    """``input`` as ``dtype``; by default integers as int64, so that sums do not overflow."""
    if dtype is None and input.value_.spec.dtype in _SUMMED_AS_INT64:
        dtype = mstype.int64
    return input if dtype is None else Cast()(input, dtype)


_SUMMED_AS_INT64 = tuple(np.dtype(n) for n in ("bool", "uint8", "int8", "int16", "int32"))


@also_spelled(axis="dim", keepdims="keepdim", keep_dims="keepdim")
def sum(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    initial: Any = None,
) -> Tensor:
    """The sum along ``dim``, all axes by default; integers are summed as int64.

    Args:
        input: the tensor.
        dim: an axis or a tuple of them.
        keepdim: keep the reduced axes with length 1.
        dtype: what to convert ``input`` to before.
        initial: a number to start from.

    >>> print(sum(Tensor([[1, 2], [3, 4]]), 1))
    [3 7]
    """
    check_tensors("sum", input=input)
    total = ReduceSum(keepdim)(whole(input, dtype), dim)
    if initial is None:
        return total
    return Add()(total, bool(initial) if dtype is mstype.bool_ else initial)


@method("sum")
def _sum(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The sum along an axis, all by default: ``sum(dim, keepdim, *, dtype)``, or in NumPy's order
    ``sum(axis, dtype, keepdims, initial)``.

    Args:
        *args: the axis or axes; then a bool that keeps them with length 1, or the rest in NumPy's
            order.
        **kwargs: any of them by name.

    Returns:
        Tensor; sums of bools and of integers of up to 32 bits are int64 without ``dtype``.

    >>> print(Tensor([[1, 2], [3, 4]]).sum(0, True), Tensor([1, 2]).sum(0, None, False, 10))
    [[4 6]] 13
    """
    if len(args) > 2 or (len(args) == 2 and not isinstance(args[1], bool)):
        axis, *rest = args
        kwargs.update(zip(("dtype", "keepdims", "initial"), rest, strict=False), dim=axis)
        args = ()
    return sum(self, *args, **kwargs)


@method("mean")
@also_spelled(dim="axis", keepdim="keep_dims", keepdims="keep_dims")
def mean(x: Tensor, axis: Any = None, keep_dims: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean along ``axis``, all axes by default."""
    return ReduceMean(keep_dims)(x if dtype is None else Cast()(x, dtype), axis)


@method("prod")
@also_spelled(dim="axis", keepdim="keep_dims", keepdims="keep_dims")
def prod(input: Tensor, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> Tensor:
    """The product along ``axis``, by default all; of integers as int64, but not along a tuple."""
    check_tensors("prod", input=input)
    kept = dtype is None and isinstance(axis, tuple | list)
    return ReduceProd(keep_dims)(input if kept else whole(input, dtype), axis)


def _bounded(name: str, input: Tensor, initial: Any, where: Any) -> Tensor:
    """``input`` with ``initial`` where ``where`` says no."""
    if where is None:
        return input
    if initial is None:
        raise ValueError(f"{name}: initial must be given with where. Say what an empty row gives.")
    return call("Select", where, input, start(input, initial))


@method("amax")
@also_spelled(dim="axis", keepdim="keepdims", keep_dims="keepdims")
def amax(
    input: Tensor,
    axis: Any = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """The greatest element along ``axis`` and ``initial``, among those that ``where`` picks."""
    best = ReduceMax(keepdims)(_bounded("amax", input, initial, where), axis)
    return best if initial is None else call("Maximum", best, start(input, initial))


@method("amin")
@also_spelled(dim="axis", keepdim="keepdims", keep_dims="keepdims")
def amin(
    input: Tensor,
    axis: Any = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """The smallest element along ``axis`` and ``initial``, among those that ``where`` picks."""
    best = ReduceMin(keepdims)(_bounded("amin", input, initial, where), axis)
    return best if initial is None else call("Minimum", best, start(input, initial))


@also_spelled(dim="axis", keepdim="keepdims")
def aminmax(input: Tensor, *, axis: Any = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the greatest element along ``axis``; the first of equal ones has the slope.

    Without an axis all that are equal share it.
    """
    if axis is None:
        return ReduceMin(keepdims)(input), ReduceMax(keepdims)(input)
    least, most = (registry[f"Arg{way}WithValue"](axis, keepdims) for way in ("Min", "Max"))
    return least(input)[1], most(input)[1]


method("aminmax")(aminmax)


@method("ptp")
def ptp(input: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The greatest minus the smallest element along ``axis``.

    >>> print(ptp(Tensor([[1.0, 5.0], [7.0, 0.0]]), 1))
    [4. 7.]
    """
    return Sub()(ReduceMax(keepdims)(input, axis), ReduceMin(keepdims)(input, axis))


def reduce_sum(x: Tensor, axis: Any = ()) -> Tensor:
    """:class:`ReduceSum` of ``x`` along ``axis``."""
    return ReduceSum()(x, to_static(axis))


def reduce_mean(x: Tensor, axis: Any = ()) -> Tensor:
    """:class:`ReduceMean` of ``x`` along ``axis``."""
    return ReduceMean()(x, to_static(axis))


def reduce_max(x: Tensor, axis: Any = ()) -> Tensor:
    """:class:`ReduceMax` of ``x`` along ``axis``."""
    return ReduceMax()(x, to_static(axis))


def reduce_min(x: Tensor, axis: Any = ()) -> Tensor:
    """:class:`ReduceMin` of ``x`` along ``axis``."""
    return ReduceMin()(x, to_static(axis))


def reduce_prod(x: Tensor, axis: Any = ()) -> Tensor:
    """:class:`ReduceProd` of ``x`` along ``axis``."""
    return ReduceProd()(x, to_static(axis))


__all__ = [
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "amax",
    "amin",
    "aminmax",
    "mean",
    "prod",
    "ptp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "sum",
]
