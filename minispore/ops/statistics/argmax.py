"""Where the greatest and the smallest elements are, and which they are."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, call, method
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.bases import REAL, a_kind, start
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import amax, amin
from minispore.ops.support.arguments import check_axis, check_tensor_spec
from minispore.ops.support.spelling import also_spelled


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
        check_axis(self.name, self.axis, 1 << 30)
        if self.output_type not in (mstype.int32, mstype.int64):
            raise TypeError(
                f"{self.name}: output_type must be int32 or int64, got {self.output_type!r}."
            )

    def infer(self, x: Spec) -> Spec:
        a_kind(self.name, x, REAL, "x")
        axis = check_axis(self.name, self.axis, x.ndim)
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
        check_axis(self.name, self.axis, 1 << 30)
        checks.boolean(self.name, "keep_dims", self.keep_dims)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        a_kind(self.name, x, "biufV", "x")
        if not x.ndim and self.axis in (0, -1):
            return Spec((), np.dtype(np.int64)), x
        axis = check_axis(self.name, self.axis, x.ndim)
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
            index, dvalue = ExpandDims()(index, axis), ExpandDims()(dvalue, axis)
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
        check_tensor_spec(self.name, x, "x")
        a_kind(self.name, index, "iu", "index")
        if x.shape != index.shape:
            raise ValueError(
                f"PutAlongAxis: index must have the shape of x, got {index.shape} and {x.shape}."
            )
        axis = check_axis(self.name, self.axis, x.ndim)
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
        return (lambda: GatherD()(dout, self.axis, index),)


# -- functions -------------------------------------------------------------------------------------


def _flat(input: Tensor) -> Tensor:
    return Reshape()(input, (-1,))


def _alone(input: Tensor, dim: Any) -> bool:
    """Whether ``input`` is one number without axes, of which ``dim`` names the first or none."""
    return isinstance(input, Tensor) and not input.ndim and dim in (None, 0, -1)


@method("argmax")
@also_spelled(axis="dim", keepdims="keepdim")
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index (int64) of the greatest element along ``dim``, or in the flattened tensor.

    >>> print(argmax(Tensor([[1.0, 5.0], [7.0, 0.0]]), 1), argmax(Tensor([[1.0, 5.0]])))
    [1 0] 1
    """
    if dim is None or _alone(input, dim):
        return Argmax(-1, mstype.int64)(_flat(input))
    found = Argmax(dim, mstype.int64)(input)
    return ExpandDims()(found, dim) if keepdim else found


@method("argmin")
@also_spelled(dim="axis", keepdim="keepdims")
def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index (int32; of a number int64) of the smallest element along ``axis``, or in the
    flattened tensor.
    """
    if _alone(input, axis):
        return Argmin(-1, mstype.int64)(_flat(input))
    if axis is None:
        return Argmin()(_flat(input))
    found = Argmin(axis)(input)
    return ExpandDims()(found, axis) if keepdims else found


def max(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> tuple[Tensor, Tensor]:
    """The greatest element along ``axis`` and its index; of the whole tensor, index 0.

    >>> value, index = max(Tensor([[1.0, 5.0], [7.0, 0.0]]), 1)
    >>> print(value, index)
    [5. 7.] [1 0]
    """
    return _best(ArgMaxWithValue, amax, input, axis, keepdims, initial, where)


def min(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> tuple[Tensor, Tensor]:
    """The smallest element along ``axis`` and its index; of the whole tensor, index 0."""
    return _best(ArgMinWithValue, amin, input, axis, keepdims, initial, where)


def _best(
    find: Any, bound: Any, input: Tensor, axis: Any, keepdims: bool, initial: Any, where: Any
) -> tuple[Tensor, Tensor]:
    """The best element and where it is: of those that are no better than ``initial``, the first."""
    initial = start(input, initial)
    value = bound(input, axis, keepdims and axis is not None, initial=initial, where=where)
    if axis is None:
        return value, Tensor(0)
    if where is not None:
        input = Select()(where, input, initial)
    if initial is None:
        return find(axis, keepdims)(input)[::-1]
    better = call("Maximum" if find is ArgMaxWithValue else "Minimum", input, initial)
    return value, find(axis, keepdims)(better)[0]


_UNSAID: Any = object()


def _method(find: Any, bound: Any, which: str) -> Any:
    def by_axis(
        x: Tensor,
        axis: Any,
        keepdims: bool,
        initial: Any = None,
        where: Any = None,
        return_indices: bool = False,
    ) -> Any:
        if return_indices:
            return _best(find, bound, x, axis, keepdims, initial, where)
        return bound(x, axis, keepdims and axis is not None, initial=initial, where=where)

    def extreme(
        self: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        axis: Any = _UNSAID,
        keepdims: Any = _UNSAID,
        initial: Any = _UNSAID,
        where: Any = _UNSAID,
        return_indices: Any = _UNSAID,
    ) -> Any:
        more = {"axis": axis, "keepdims": keepdims, "initial": initial, "where": where}
        said = {k: v for k, v in more.items() if v is not _UNSAID}
        if return_indices is not _UNSAID:
            said["return_indices"] = return_indices
        if isinstance(dim, int) and not said:
            index, value = find(dim, keepdim)(self)
            return value, index
        return by_axis(self, **{"axis": dim, "keepdims": keepdim, **said})

    extreme.__doc__ = f"The {which} element, or those along ``axis``; with ``dim`` where they are."
    return extreme


method("max")(_method(ArgMaxWithValue, amax, "greatest"))
method("min")(_method(ArgMinWithValue, amin, "smallest"))


def _with_value(find: Any, x: Tensor, axis: int | None, keep_dims: bool) -> tuple[Tensor, Tensor]:
    if axis is None:  # of all elements, as one value, whatever keep_dims says
        x, axis, keep_dims = Reshape()(x, (-1,)), 0, False
    index, value = find(axis, keep_dims)(x)
    return value, index


@method("argmax_with_value")
def argmax_with_value(
    x: Tensor, axis: int | None = 0, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """The greatest element along ``axis``, and its index; among all, if the axis is None."""
    return _with_value(ArgMaxWithValue, x, axis, keep_dims)


@method("argmin_with_value")
def argmin_with_value(
    x: Tensor, axis: int | None = 0, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """The smallest element along ``axis``, and its index; among all, if the axis is None."""
    return _with_value(ArgMinWithValue, x, axis, keep_dims)


__all__ = [
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "PutAlongAxis",
    "argmax",
    "argmax_with_value",
    "argmin",
    "argmin_with_value",
    "max",
    "min",
]
