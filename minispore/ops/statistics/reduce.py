"""Reductions along axes: sum, mean, product, maximum and minimum, and their base class."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, call, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Add, Sub
from minispore.ops.elementwise.bases import (
    NUMBER,
    broadcast_to,
    cast_initial,
    check_dtype_kind,
    choose_sum_dtype,
    split_evenly,
)
from minispore.ops.elementwise.compare import Equal, LogicalOr, NotEqual
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support import sums
from minispore.ops.support.arguments import (
    ORDERED_KINDS,
    check_axes,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled

Axes = int | tuple[int, ...]


def normalize_reduction_axes(api_name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes to reduce, counted from the front; () and None mean all axes, and a 0-d input
    accepts 0 and -1.

    Raises:
        TypeError: an axis is not an int.
        ValueError: an axis is out of range or occurs twice.
    """
    if axis is None or axis == ():
        return tuple(range(ndim))
    if ndim == 0 and axis in (0, -1, (0,), (-1,)):
        return ()
    return check_axes(api_name, axis, ndim)


class _Reduce(Primitive):
    """Base of ops that reduce the axes ``axis``; () means all."""

    keep_dims: bool = False
    kinds: ClassVar[str] = NUMBER

    def check(self) -> None:
        """Raise a TypeError unless ``keep_dims`` is a bool."""
        checks.boolean(self.name, "keep_dims", self.keep_dims)

    def __call__(self, x: Any, axis: Any = ()) -> Tensor:
        """Reduce x along ``axis``: an int, a tuple, list or tensor of ints; None and () mean all
        axes.
        """
        return super().__call__(x, () if axis is None else to_static(axis))

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        """Return the spec of the output, in which ``keep_dims`` keeps the reduced axes with length
        1.

        Raises a TypeError for an unsupported dtype, TypeError or ValueError for an invalid axis.
        """
        check_dtype_kind(self.name, x, self.kinds, "x")
        axes = normalize_reduction_axes(self.name, axis, x.ndim)
        if self.keep_dims:
            shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        else:
            shape = tuple(n for i, n in enumerate(x.shape) if i not in axes)
        return Spec(shape, self.choose_output_dtype(x.dtype))

    def choose_output_dtype(self, dtype: np.dtype) -> np.dtype:
        """Return the dtype of the output for an input of ``dtype``: the same, unless a subclass
        overrides this.
        """
        return dtype

    def normalize_axes(self, x: Any, axis: Axes) -> tuple[int, ...]:
        """Return the axes of ``x`` to reduce, counted from the front."""
        return normalize_reduction_axes(self.name, axis, x.ndim)

    def reduce_with(
        self, ufunc: Any, x: np.ndarray, axis: Axes, dtype: Any, out: Any = None
    ) -> Any:
        """Return x reduced by ``ufunc`` along ``axis``, computed in ``dtype`` and written into
        ``out`` unless it is None.
        """
        axes = self.normalize_axes(x, axis)
        return ufunc.reduce(x, axes, dtype, out, keepdims=self.keep_dims)

    def restore_axes(self, y: Tensor, x: Tensor, axis: Axes) -> Tensor:
        """Return ``y`` (in the output's shape) with the reduced axes restored as axes of length
        1.
        """
        if self.keep_dims:
            return y
        axes = self.normalize_axes(x, axis)
        return Reshape()(y, tuple(1 if i in axes else n for i, n in enumerate(x.shape)))


class ReduceSum(_Reduce):
    """The sum along ``axis``.

    Args:
        keep_dims: keep the reduced axes with length 1.
        skip_mode: with an empty ``axis``, return x unreduced.

    >>> print(ReduceSum(keep_dims=True)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [[3.]
     [7.]]
    """

    skip_mode: bool = False

    def check(self) -> None:
        """Raise a TypeError unless ``keep_dims`` and ``skip_mode`` are bools."""
        super().check()
        checks.boolean(self.name, "skip_mode", self.skip_mode)

    def normalize_axes(self, x: Any, axis: Axes) -> tuple[int, ...]:
        """Return the axes to reduce; with ``skip_mode``, () means none instead of all."""
        return () if self.skip_mode and axis == () else super().normalize_axes(x, axis)

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        """Return the spec of the output; with ``skip_mode`` and no axes, that of x."""
        if self.skip_mode and axis == ():
            return check_tensor_spec(self.name, x, "x")
        return super().infer(x, axis)

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        """Sum by matrix products if these can, else by NumPy; half floats are summed in float32."""
        if not sums.try_sum(x, self.normalize_axes(x, axis), out):
            self.reduce_with(np.add, x, axis, choose_sum_dtype(x.dtype), out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which repeats the cotangent along the reduced axes."""
        return (lambda: broadcast_to(self.restore_axes(dout, x, axis), x.shape),)


class ReduceMean(_Reduce):
    """The mean along ``axis``; means of integers are truncated.

    >>> print(ReduceMean()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [1.5 3.5]
    """

    kinds = "iufVc"

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        """Compute the mean; truncate it for integers, round once at the end for float16 and
        bfloat16.
        """
        n = math.prod(x.shape[i] for i in self.normalize_axes(x, axis))
        if out.dtype.kind in "iu":
            total = self.reduce_with(np.add, x, axis, np.float64)
            np.copyto(out, np.trunc(total / n), casting="unsafe")
        elif choose_sum_dtype(x.dtype) != x.dtype:
            # float16 and bfloat16 are rounded once, at the end
            total = self.reduce_with(np.add, x, axis, choose_sum_dtype(x.dtype))
            np.copyto(out, total / n, casting="same_kind")
        else:
            if not sums.try_sum(x, self.normalize_axes(x, axis), out):
                self.reduce_with(np.add, x, axis, None, out)
            np.true_divide(out, n, out=out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which repeats the cotangent, divided by the number of
        elements.
        """
        n = math.prod(x.shape[i] for i in self.normalize_axes(x, axis))
        return (lambda: broadcast_to(self.restore_axes(dout / n, x, axis), x.shape),)


class ReduceProd(_Reduce):
    """The product along ``axis``; its gradient is also correct where x is 0.

    >>> print(ReduceProd()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [ 2. 12.]
    """

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        """Multiply along the axes; half floats are multiplied in float32."""
        self.reduce_with(np.multiply, x, axis, choose_sum_dtype(x.dtype), out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which is also correct at zeros."""

        def compute_dx() -> Tensor:
            """Multiply dout by the product of all other elements, which is also correct at
            zeros.
            """
            axes = self.normalize_axes(x, axis)
            outer_axes = tuple(i for i in range(x.ndim) if i not in axes)
            order = outer_axes + axes
            transposed = Transpose()(x, order)
            rows = Reshape()(transposed, (*[x.shape[i] for i in outer_axes], -1 if x.shape else 1))
            cum_prod = registry["CumProd"]
            before = cum_prod(exclusive=True, reverse=False)(rows, -1)
            after = cum_prod(exclusive=True, reverse=True)(rows, -1)
            inverse_order = tuple(order.index(i) for i in range(x.ndim))
            others = Transpose()(Reshape()(before * after, transposed.shape), inverse_order)
            return self.restore_axes(dout, x, axis) * others

        return (compute_dx,)


class _ReduceExtreme(_Reduce):
    """Base of the maximum and minimum along ``axis``; ties, and NaNs, share the gradient.

    The extreme of no elements raises ValueError.
    """

    kinds = ORDERED_KINDS
    ufunc: ClassVar[np.ufunc]

    def infer(self, x: Spec, axis: Axes = ()) -> Spec:
        """Return the spec of the output; raise ValueError if there is nothing to reduce."""
        spec = super().infer(x, axis)
        if spec.size and not x.size:
            raise ValueError(f"{self.name}: x must have elements to reduce, got {x}.")
        return spec

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        self.reduce_with(self.ufunc, x, axis, None, out)

    def vjp(self, x: Tensor, axis: Axes = (), *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_dx() -> Tensor:
            """Compute the gradient of x, shared among ties and NaNs."""
            is_equal, is_nan = Equal()(x, self.restore_axes(out, x, axis)), NotEqual()(x, x)
            is_extreme = LogicalOr()(is_equal, is_nan)  # a NaN is the extreme of its row
            count = ReduceSum(keep_dims=True)(Cast()(is_extreme, dout.dtype), axis)
            return call(
                "Select", is_extreme, split_evenly(self.restore_axes(dout, x, axis), count), 0
            )

        return (compute_dx,)


class ReduceMax(_ReduceExtreme):
    """The maximum along ``axis``.

    >>> print(ReduceMax()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [2. 4.]
    """

    ufunc = np.maximum


class ReduceMin(_ReduceExtreme):
    """The minimum along ``axis``.

    >>> print(ReduceMin()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [1. 3.]
    """

    ufunc = np.minimum


# -- functions -------------------------------------------------------------------------------------


def widen_for_sum(input: Tensor, dtype: Any) -> Tensor:
    """Cast ``input`` to ``dtype``; by default, cast bools, uint8, int8, int16 and int32 to int64.

    This prevents sums from overflowing.
    """
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
    """Return the sum along ``dim``, by default along all axes.

    Without ``dtype``, bools, uint8, int8, int16 and int32 are summed as int64.

    Args:
        input: the tensor.
        dim: an axis or a tuple of axes.
        keepdim: keep the reduced axes with length 1.
        dtype: the dtype to which ``input`` is cast first.
        initial: the initial value of the sum.

    >>> print(sum(Tensor([[1, 2], [3, 4]]), 1))
    [3 7]
    """
    check_tensors("sum", input=input)
    total = ReduceSum(keepdim)(widen_for_sum(input, dtype), dim)
    if initial is None:
        return total
    return Add()(total, bool(initial) if dtype is mstype.bool_ else initial)


@method("sum")
def _sum_method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the sum along an axis, by default along all axes.

    The arguments are ``sum(dim, keepdim, *, dtype)``, or in NumPy's order ``sum(axis, dtype,
    keepdims, initial)``.

    Args:
        *args: the axis or axes; then a bool that keeps them with length 1, or the other arguments
            in NumPy's order.
        **kwargs: any of these arguments by keyword.

    Returns:
        Tensor; sums of bools, uint8, int8, int16 and int32 are int64 without ``dtype``.

    >>> print(Tensor([[1, 2], [3, 4]]).sum(0, True), Tensor([1, 2]).sum(0, None, False, 10))
    [[4 6]] 13
    """
    if len(args) > 2 or (len(args) == 2 and not isinstance(args[1], bool)):
        kwargs.update(zip(("dim", "dtype", "keepdims", "initial"), args, strict=False))
        args = ()
    return sum(self, *args, **kwargs)


@method("mean")
@also_spelled(dim="axis", keepdim="keep_dims", keepdims="keep_dims")
def mean(x: Tensor, axis: Any = None, keep_dims: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean along ``axis``, by default along all axes.

    ``x`` is cast to ``dtype`` first. Means of integers are truncated.
    """
    return ReduceMean(keep_dims)(x if dtype is None else Cast()(x, dtype), axis)


@method("prod")
@also_spelled(dim="axis", keepdim="keep_dims", keepdims="keep_dims")
def prod(input: Tensor, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> Tensor:
    """Return the product along ``axis``, by default along all axes.

    Without ``dtype``, bools, uint8, int8, int16 and int32 are multiplied as int64, unless ``axis``
    is a tuple or list.
    """
    check_tensors("prod", input=input)
    keeps_dtype = dtype is None and isinstance(axis, tuple | list)
    return ReduceProd(keep_dims)(input if keeps_dtype else widen_for_sum(input, dtype), axis)


def _mask_with_initial(api_name: str, input: Tensor, initial: Any, where: Any) -> Tensor:
    """Return ``input`` with ``initial`` where ``where`` is False; the input itself if ``where`` is
    None.

    Raises:
        ValueError: ``initial`` is None although ``where`` is not.
    """
    if where is None:
        return input
    if initial is None:
        raise ValueError(
            f"{api_name}: initial must be given with where. Say what an empty row gives."
        )
    return call("Select", where, input, cast_initial(input, initial))


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
    """Return the maximum along ``axis`` of ``initial`` and the elements selected by ``where``.

    By default these are all elements along all axes. Ties share the gradient. ``where``, a bool
    tensor, raises ValueError without ``initial``.
    """
    maximum = ReduceMax(keepdims)(_mask_with_initial("amax", input, initial, where), axis)
    return maximum if initial is None else call("Maximum", maximum, cast_initial(input, initial))


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
    """Return the minimum along ``axis`` of ``initial`` and the elements selected by ``where``.

    By default these are all elements along all axes. Ties share the gradient. ``where``, a bool
    tensor, raises ValueError without ``initial``.
    """
    minimum = ReduceMin(keepdims)(_mask_with_initial("amin", input, initial, where), axis)
    return minimum if initial is None else call("Minimum", minimum, cast_initial(input, initial))


@also_spelled(dim="axis", keepdim="keepdims")
def aminmax(input: Tensor, *, axis: Any = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the minimum and the maximum along ``axis``; of ties, the first gets the gradient.

    If ``axis`` is None, they are those of all elements, and ties share the gradient.
    """
    if axis is None:
        return ReduceMin(keepdims)(input), ReduceMax(keepdims)(input)
    find_min, find_max = (
        registry[f"Arg{extreme}WithValue"](axis, keepdims) for extreme in ("Min", "Max")
    )
    return find_min(input)[1], find_max(input)[1]


method("aminmax")(aminmax)


@method("ptp")
def ptp(input: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return the maximum minus the minimum along ``axis``, by default along all axes.

    >>> print(ptp(Tensor([[1.0, 5.0], [7.0, 0.0]]), 1))
    [4. 7.]
    """
    return Sub()(ReduceMax(keepdims)(input, axis), ReduceMin(keepdims)(input, axis))


def reduce_sum(x: Tensor, axis: Any = ()) -> Tensor:
    """Return the sum of ``x`` along ``axis`` (by default all axes), in its dtype."""
    return ReduceSum()(x, to_static(axis))


def reduce_mean(x: Tensor, axis: Any = ()) -> Tensor:
    """Return the mean of ``x`` along ``axis`` (by default all axes); truncate those of integers."""
    return ReduceMean()(x, to_static(axis))


def reduce_max(x: Tensor, axis: Any = ()) -> Tensor:
    """Return the maximum of ``x`` along ``axis`` (by default all axes); ties share the gradient."""
    return ReduceMax()(x, to_static(axis))


def reduce_min(x: Tensor, axis: Any = ()) -> Tensor:
    """Return the minimum of ``x`` along ``axis`` (by default all axes); ties share the gradient."""
    return ReduceMin()(x, to_static(axis))


def reduce_prod(x: Tensor, axis: Any = ()) -> Tensor:
    """Return the product of ``x`` along ``axis`` (by default all axes), in its dtype."""
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
