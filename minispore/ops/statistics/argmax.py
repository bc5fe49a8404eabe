"""Indices and values of maxima and minima."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, call, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import REAL, cast_initial, check_dtype_kind
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import amax, amin
from minispore.ops.support.arguments import ANY_NDIM, check_axis, check_tensor_spec
from minispore.ops.support.spelling import also_spelled


class Argmax(Primitive):
    """The index of the maximum along ``axis``; of ties, and of NaNs, the first.

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
        """Raise a TypeError unless ``axis`` is an int and ``output_type`` is int32 or int64."""
        check_axis(self.name, self.axis, ANY_NDIM)
        if self.output_type not in (mstype.int32, mstype.int64):
            raise TypeError(
                f"{self.name}: output_type must be int32 or int64, got {self.output_type!r}."
            )

    def infer(self, x: Spec) -> Spec:
        """Return the spec without the axis; raise ValueError if the axis is empty."""
        check_dtype_kind(self.name, x, REAL, "x")
        axis = check_axis(self.name, self.axis, x.ndim)
        if not x.shape[axis]:
            raise ValueError(f"{self.name}: x must have elements along axis {axis}, got {x}.")
        return Spec(x.shape[:axis] + x.shape[axis + 1 :], mstype.to_numpy(self.output_type))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, self.find(x, self.axis), casting="same_kind")


class Argmin(Argmax):
    """The index of the minimum along ``axis``; of ties, the first.

    >>> print(Argmin()(Tensor([[4.0, 5.0, 3.0]])))
    [2]
    """

    find = staticmethod(np.argmin)


class ArgMaxWithValue(Primitive):
    """The index (int64) and the value of the maximum along ``axis``; of ties, the first, which gets
    the gradient.

    >>> index, value = ArgMaxWithValue(1)(Tensor([[1.0, 5.0, 3.0]]))
    >>> print(index, value)
    [1] [5.]
    """

    vjp_rule = VjpRule(partial=True)
    axis: int = 0
    keep_dims: bool = False
    find: ClassVar[Any] = staticmethod(np.argmax)

    def check(self) -> None:
        """Raise a TypeError unless ``axis`` is an int and ``keep_dims`` a bool."""
        check_axis(self.name, self.axis, ANY_NDIM)
        checks.boolean(self.name, "keep_dims", self.keep_dims)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the specs of index and value; raise ValueError if the axis is empty."""
        check_dtype_kind(self.name, x, "biufV", "x")
        if not x.ndim and self.axis in (0, -1):
            return Spec((), np.dtype(np.int64)), x
        axis = check_axis(self.name, self.axis, x.ndim)
        if not x.shape[axis]:
            raise ValueError(f"{self.name}: x must have elements along axis {axis}, got {x}.")
        shape = x.shape[:axis] + ((1,) if self.keep_dims else ()) + x.shape[axis + 1 :]
        return Spec(shape, np.dtype(np.int64)), Spec(shape, x.dtype)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the index and value of each extreme; for a 0-d x, index 0 and x itself."""
        index, value = out
        if not x.ndim:
            index[...] = 0
            value[...] = x
            return
        positions = self.find(x, self.axis, keepdims=True)
        np.copyto(index, positions.reshape(index.shape))
        np.copyto(value, np.take_along_axis(x, positions, self.axis).reshape(value.shape))

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function of x, which puts the value's cotangent at the index.

        The cotangent of the index is ignored.
        """
        if dout[1] is None:
            return (None,)
        if not x.ndim:
            return (dout[1],)
        return (lambda: put_at_index(x, self.axis, out[0], dout[1], self.keep_dims),)


class ArgMinWithValue(ArgMaxWithValue):
    """The index (int64) and the value of the minimum along ``axis``; of ties, the first, which gets
    the gradient.

    >>> index, value = ArgMinWithValue(1)(Tensor([[4.0, 5.0, 3.0]]))
    >>> print(index, value)
    [2] [3.]
    """

    find = staticmethod(np.argmin)


class PutAlongAxis(Primitive):
    """Zeros with ``length`` along ``axis`` and x added at ``index``: the adjoint of a gather.

    >>> print(PutAlongAxis(1, 3)(Tensor([[5.0]]), Tensor([[2]])))
    [[0. 0. 5.]]
    """

    axis: int
    length: int

    def infer(self, x: Spec, index: Spec) -> Spec:
        """Return the spec with ``length`` along the axis; raise ValueError unless index has the
        shape of x.
        """
        check_tensor_spec(self.name, x, "x")
        check_dtype_kind(self.name, index, "iu", "index")
        if x.shape != index.shape:
            raise ValueError(
                f"PutAlongAxis: index must have the shape of x, got {index.shape} and {x.shape}."
            )
        axis = check_axis(self.name, self.axis, x.ndim)
        return Spec((*x.shape[:axis], self.length, *x.shape[axis + 1 :]), x.dtype)

    def kernel(self, x: np.ndarray, index: np.ndarray, *, out: np.ndarray) -> None:
        """Zero the output and write x at the indices, adding where an index repeats."""
        out.fill(0)
        if x.shape[self.axis] == 1:
            np.put_along_axis(out, index, x, self.axis)
        else:
            coordinates = list(np.ogrid[tuple(slice(n) for n in x.shape)])
            coordinates[self.axis] = index
            np.add.at(out, tuple(coordinates), x)

    def vjp(self, x: Tensor, index: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: GatherD()(dout, self.axis, index),)


def put_at_index(x: Tensor, axis: int, index: Tensor, dvalue: Tensor, keep_dims: bool) -> Tensor:
    """Return zeros like ``x`` with ``dvalue`` added at ``index`` along ``axis``.

    ``dvalue`` and ``index`` have this axis only if ``keep_dims``.
    """
    axis %= x.ndim
    if not keep_dims:
        index, dvalue = ExpandDims()(index, axis), ExpandDims()(dvalue, axis)
    return PutAlongAxis(axis, x.shape[axis])(dvalue, index)


# -- functions -------------------------------------------------------------------------------------


def _flatten_input(input: Tensor) -> Tensor:
    """Reshape ``input`` to a vector."""
    return Reshape()(input, (-1,))


def _is_scalar_on_axis(input: Tensor, dim: Any) -> bool:
    """Whether ``input`` is 0-d and ``dim`` is None, 0 or -1, the axes valid for it."""
    return isinstance(input, Tensor) and not input.ndim and dim in (None, 0, -1)


@method("argmax")
@also_spelled(axis="dim", keepdims="keepdim")
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the maximum along ``dim``, or in the flattened tensor.

    ``keepdim`` keeps the axis with length 1; it has no effect without ``dim``.

    >>> print(argmax(Tensor([[1.0, 5.0], [7.0, 0.0]]), 1), argmax(Tensor([[1.0, 5.0]])))
    [1 0] 1
    """
    if dim is None or _is_scalar_on_axis(input, dim):
        return Argmax(-1, mstype.int64)(_flatten_input(input))
    indices = Argmax(dim, mstype.int64)(input)
    return ExpandDims()(indices, dim) if keepdim else indices


@method("argmin")
@also_spelled(dim="axis", keepdim="keepdims")
def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index (int32) of the minimum along ``axis``, or in the flattened tensor.

    For a 0-d tensor, the index is int64. ``keepdims`` has no effect without ``axis``.
    """
    if _is_scalar_on_axis(input, axis):
        return Argmin(-1, mstype.int64)(_flatten_input(input))
    if axis is None:
        return Argmin()(_flatten_input(input))
    indices = Argmin(axis)(input)
    return ExpandDims()(indices, axis) if keepdims else indices


def max(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return the maximum along ``axis`` and its index (int64); without ``axis`` both are 0-d and
    the index is 0.

    Where the bool tensor ``where`` is False, elements count as ``initial``, which is then required;
    ``initial`` is the least possible result.

    >>> value, index = max(Tensor([[1.0, 5.0], [7.0, 0.0]]), 1)
    >>> print(value, index)
    [5. 7.] [1 0]
    """
    return _find_extreme(ArgMaxWithValue, amax, input, axis, keepdims, initial, where)


def min(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return the minimum along ``axis`` and its index (int64); without ``axis`` both are 0-d and
    the index is 0.

    Where the bool tensor ``where`` is False, elements count as ``initial``, which is then required;
    ``initial`` is the greatest possible result.
    """
    return _find_extreme(ArgMinWithValue, amin, input, axis, keepdims, initial, where)


def _compute_extreme(
    op_class: Any,
    reduce_fn: Any,
    input: Tensor,
    axis: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Tensor:
    """Return the extreme along ``axis``: the maximum or minimum, by ``op_class`` and ``reduce_fn``.

    Along one axis, the first of ties gets the gradient; along several axes, or all if ``axis`` is
    None, ties share it. Elements are bounded by ``initial``, and replaced by it where ``where`` is
    False; without ``initial``, ``where`` raises ValueError.
    """
    has_one_axis = isinstance(input, Tensor) and isinstance(axis, int) and 0 not in input.shape
    if not has_one_axis or (where is not None and initial is None):
        return reduce_fn(input, axis, keepdims and axis is not None, initial=initial, where=where)
    initial = cast_initial(input, initial)
    if where is not None:
        input = Select()(where, input, initial)
    extreme = op_class(axis, keepdims)(input)[1]
    if initial is None:
        return extreme
    return call("Maximum" if op_class is ArgMaxWithValue else "Minimum", extreme, initial)


def _find_extreme(
    op_class: Any,
    reduce_fn: Any,
    input: Tensor,
    axis: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> tuple[Tensor, Tensor]:
    """Return the extreme along ``axis`` and its index, which is 0 if the axis is None.

    Elements are first bounded by ``initial``; the index is that of the first bounded element that
    equals the result. The other arguments are those of :func:`_compute_extreme`.
    """
    initial = cast_initial(input, initial)
    value = _compute_extreme(op_class, reduce_fn, input, axis, keepdims, initial, where)
    if axis is None:
        return value, Tensor(0)
    if where is not None:
        input = Select()(where, input, initial)
    if initial is None:
        return op_class(axis, keepdims)(input)[::-1]
    bounded = call("Maximum" if op_class is ArgMaxWithValue else "Minimum", input, initial)
    return value, op_class(axis, keepdims)(bounded)[0]


_UNSET: Any = object()


def _make_extreme_method(op_class: Any, reduce_fn: Any, adjective: str) -> Any:
    """Return the function for ``Tensor.max`` or ``Tensor.min``, which has two forms; ``adjective``
    completes its docstring.

    With an int ``dim`` and without NumPy's keywords, the method returns values and indices. In
    NumPy's form it returns only values, unless ``return_indices`` is True.
    """

    def reduce_by_axis(
        x: Tensor,
        axis: Any,
        keepdims: bool,
        initial: Any = None,
        where: Any = None,
        return_indices: bool = False,
    ) -> Any:
        """Reduce in NumPy's form to the extreme, with ``return_indices`` also to its index."""
        reduce = _find_extreme if return_indices else _compute_extreme
        return reduce(op_class, reduce_fn, x, axis, keepdims, initial, where)

    def extreme(
        self: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        axis: Any = _UNSET,
        keepdims: Any = _UNSET,
        initial: Any = _UNSET,
        where: Any = _UNSET,
        return_indices: Any = _UNSET,
    ) -> Any:
        """Return value and index if only an int ``dim`` is passed, as in PyTorch, else reduce in
        NumPy's form.
        """
        numpy_kwargs = {"axis": axis, "keepdims": keepdims, "initial": initial, "where": where}
        options = {k: v for k, v in numpy_kwargs.items() if v is not _UNSET}
        if return_indices is not _UNSET:
            options["return_indices"] = return_indices
        if isinstance(dim, int) and not options:
            index, value = op_class(dim, keepdim)(self)
            return value, index
        return reduce_by_axis(self, **{"axis": dim, "keepdims": keepdim, **options})

    extreme.__doc__ = (
        f"The {adjective} element, or those along ``axis``; with ``dim``, also where they are."
    )
    return extreme


method("max")(_make_extreme_method(ArgMaxWithValue, amax, "greatest"))
method("min")(_make_extreme_method(ArgMinWithValue, amin, "smallest"))


def _find_with_index(
    op_class: Any, x: Tensor, axis: int | None, keep_dims: bool
) -> tuple[Tensor, Tensor]:
    """Return (the extreme, its index) along ``axis``; if ``axis`` is None, of the flattened
    tensor.
    """
    if axis is None:  # the extreme of all elements is 0-d, whatever keep_dims says
        x, axis, keep_dims = Reshape()(x, (-1,)), 0, False
    index, value = op_class(axis, keep_dims)(x)
    return value, index


@method("argmax_with_value")
def argmax_with_value(
    x: Tensor, axis: int | None = 0, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return (the maximum, its int64 index) along ``axis``; if ``axis`` is None, both are 0-d, and
    of the flattened tensor.
    """
    return _find_with_index(ArgMaxWithValue, x, axis, keep_dims)


@method("argmin_with_value")
def argmin_with_value(
    x: Tensor, axis: int | None = 0, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return (the minimum, its int64 index) along ``axis``; if ``axis`` is None, both are 0-d, and
    of the flattened tensor.
    """
    return _find_with_index(ArgMinWithValue, x, axis, keep_dims)


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
