"""Tensors created from numbers: ranges, grids, identity matrices, index lists."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_number, check_tensor_spec, to_static


def _unwrap_number(x: Any) -> Any:
    """Convert a number or one-element tensor to a Python scalar; return a list or tuple as it
    is.
    """
    if isinstance(x, list | tuple):
        return x
    value = to_static(x)
    while isinstance(value, tuple) and len(value) == 1:
        (value,) = value
    return value


_builtin_range = range  # this module's range is MindSpore's


class Range(Primitive):
    """The numbers start, start + step, ... below ``end`` (above ``end`` for a negative step).

    The numbers are int64 if all arguments are ints, else float32, unless ``dtype`` is passed.

    Args:
        maxlen: the greatest number of elements; more raise ValueError.

    >>> print(Range()(0, 6, 2))
    [0 2 4]
    """

    maxlen: int = 1000000

    def __call__(self, start: Any, end: Any, step: Any, dtype: Any = None) -> Tensor:
        """Return the numbers; each argument is a number or a one-element tensor."""
        return super().__call__(*map(_unwrap_number, (start, end, step)), dtype)

    def infer(self, start: Any, limit: Any, delta: Any, dtype: Any = None) -> Spec:
        """Return the spec: int64 for ints, else float32.

        Raises:
            TypeError: an argument is not a number.
            ValueError: the step is 0 or leads away from the limit, or there are more than
                ``maxlen`` numbers.
        """
        for name, value in (("start", start), ("limit", limit), ("delta", delta)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{self.name}: {name} must be a number, got {value!r}.")
        if delta == 0:
            raise ValueError(f"{self.name}: delta must not be 0.")
        if (limit - start) * delta < 0:
            raise ValueError(
                f"{self.name}: delta must lead from start to limit, got {delta} from {start} to "
                f"{limit}."
            )
        is_integral = all(isinstance(v, int) for v in (start, limit, delta))
        count = (limit - start) / delta
        if not is_integral and np.float32(delta):  # in float32, where 1 / 0.01 is exactly 100
            count = float((np.float32(limit) - np.float32(start)) / np.float32(delta))
        n = ceil(count)
        if n > self.maxlen:
            raise ValueError(f"{self.name}: at most maxlen = {self.maxlen} elements, got {n}.")
        default_dtype = mstype.int64 if is_integral else mstype.float32
        return Spec((n,), mstype.to_numpy(default_dtype if dtype is None else dtype))

    def kernel(
        self, start: Any, limit: Any, delta: Any, dtype: Any = None, *, out: np.ndarray
    ) -> None:
        out[...] = start + delta * np.arange(out.size)


class LinSpace(Primitive):
    """``num`` evenly spaced numbers from ``start`` to ``stop``, both included; no gradient flows
    back to these.

    >>> print(LinSpace()(Tensor(0.0), Tensor(1.0), 3))
    [0.  0.5 1. ]
    """

    def __call__(self, start: Any, stop: Any, num: Any) -> Tensor:
        """Return the numbers in the dtype of the first tensor of start and stop if it is a float,
        else in float32.
        """
        input_dtype = next(
            (x.dtype for x in (start, stop) if isinstance(x, Tensor)), mstype.float32
        )
        dtype = input_dtype if input_dtype.kind == "f" else mstype.float32
        start, stop = check_number(self.name, start, "start"), check_number(self.name, stop, "stop")
        return super().__call__(start, stop, to_static(num), dtype)

    def infer(self, start: Any, stop: Any, num: Any, dtype: Any) -> Spec:
        """Return the spec of a vector of ``num`` elements; raise unless ``num`` is an int of at
        least 1.
        """
        return Spec((checks.integer(self.name, "num", num, 1),), mstype.to_numpy(dtype))

    def kernel(self, start: Any, stop: Any, num: int, dtype: Any, *, out: np.ndarray) -> None:
        out[...] = np.linspace(start, stop, num)


class LogSpace(Primitive):
    """``base`` to the power of ``steps`` evenly spaced numbers from ``start`` to ``end``, both
    included.

    >>> print(LogSpace(3, 10)(Tensor(0.0), Tensor(2.0)))
    [  1.  10. 100.]
    """

    steps: int = 10
    base: Any = 10
    dtype: Any = mstype.float32

    def check(self) -> None:
        """Raise a TypeError unless ``base`` is a number or a one-element tensor."""
        check_number(self.name, self.base, "base")

    def __call__(self, start: Any, end: Any) -> Tensor:
        """Return the powers; start and end are numbers or one-element tensors, else it is a
        TypeError.
        """
        return super().__call__(
            check_number(self.name, start, "start"), check_number(self.name, end, "end")
        )

    def infer(self, start: Any, end: Any) -> Spec:
        """Return the spec of a vector of ``steps`` elements in ``dtype``; raise unless ``steps`` is
        an int of at least 0.
        """
        return Spec(
            (checks.integer(self.name, "steps", self.steps, 0),), mstype.to_numpy(self.dtype)
        )

    def kernel(self, start: Any, end: Any, *, out: np.ndarray) -> None:
        out[...] = np.power(float(self.base), np.linspace(start, end, self.steps))


class Eye(Primitive):
    """An (n, m) matrix with ones on the diagonal and zeros elsewhere.

    >>> print(Eye()(2, 3, mstype.int32))
    [[1 0 0]
     [0 1 0]]
    """

    def infer(self, n: Any, m: Any, dtype: Any) -> Spec:
        """Return the spec (n, m) in ``dtype``; raise unless n and m are ints of at least 0."""
        return Spec(
            (checks.integer(self.name, "n", n, 0), checks.integer(self.name, "m", m, 0)),
            mstype.to_numpy(dtype),
        )

    def kernel(self, n: int, m: int, dtype: Any, *, out: np.ndarray) -> None:
        out.fill(0)
        i = np.arange(min(n, m))
        out[i, i] = 1


class Meshgrid(Primitive):
    """The coordinates of a grid: each vector is repeated along the axes of the others.

    With ``indexing`` "xy" the first vector varies along the second axis and the second vector along
    the first axis; "ij" keeps the order.

    >>> x, y = Meshgrid()((Tensor([1, 2, 3]), Tensor([7, 8])))
    >>> print(x)
    [[1 2 3]
     [1 2 3]]
    >>> print(y)
    [[7 7 7]
     [8 8 8]]
    """

    indexing: str = "xy"
    variadic = True
    vjp_rule = VjpRule(partial=True, takes_tuples=True)

    def check(self) -> None:
        """Raise a ValueError unless ``indexing`` is "xy" or "ij"."""
        if self.indexing not in ("xy", "ij"):
            raise ValueError(f"{self.name}: indexing must be 'xy' or 'ij', got {self.indexing!r}.")

    def _get_axis_order(self, n: int) -> list[int]:
        """Return the axis of the grid along which each of n vectors varies."""
        order = list(_builtin_range(n))
        if self.indexing == "xy" and n > 1:
            order[0], order[1] = 1, 0
        return order

    def infer(self, *xs: Spec) -> tuple[Spec, ...]:
        """Return a spec of the grid's shape for each vector; raise ValueError for inputs of 2 or
        more axes.
        """
        for i, x in enumerate(xs):
            if check_tensor_spec(self.name, x, f"inputs[{i}]").ndim > 1:
                raise ValueError(f"{self.name}: inputs must be vectors, got {x}.")
        shape = [0] * len(xs)
        for x, axis in zip(xs, self._get_axis_order(len(xs)), strict=True):
            shape[axis] = x.size
        return tuple(Spec(tuple(shape), x.dtype) for x in xs)

    def kernel(self, *xs: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        for x, o, axis in zip(xs, out, self._get_axis_order(len(xs)), strict=True):
            o[...] = x.reshape([-1 if i == axis else 1 for i in _builtin_range(len(xs))])

    def vjp(self, *xs: Tensor, out: Any, dout: Any) -> Cotangents:
        """Return for each vector the function that sums its gradient over the other axes of the
        grid.
        """

        def make_grad_fn(i: int, axis: int) -> Any:
            """Return the function that computes the gradient of vector ``i``."""
            vector_shape = tuple(xs[i].size if j == axis else 1 for j in _builtin_range(len(xs)))
            return lambda: Reshape()(ReduceToShape(vector_shape)(dout[i]), xs[i].shape)

        return tuple(
            None if dout[i] is None else make_grad_fn(i, axis)
            for i, axis in enumerate(self._get_axis_order(len(xs)))
        )


class TrilIndices(Primitive):
    """Rows and columns of the elements of a (row, col) matrix on or below diagonal ``offset``.

    Shape: (2, number of elements), in row-major order.

    >>> print(TrilIndices(2, 2)())
    [[0 1 1]
     [0 0 1]]
    """

    row: int
    col: int
    offset: int = 0
    dtype: Any = mstype.int32

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``row`` and ``col`` are ints of at least 0 and
        ``offset`` is an int.
        """
        checks.integer(self.name, "row", self.row, 0)
        checks.integer(self.name, "col", self.col, 0)
        checks.integer(self.name, "offset", self.offset)

    def _compute_indices(self) -> Any:
        """Return the rows and columns as NumPy arrays."""
        return np.tril_indices(self.row, self.offset, self.col)

    def infer(self) -> Spec:
        """Return the spec (2, number of elements) in ``dtype``."""
        return Spec((2, len(self._compute_indices()[0])), mstype.to_numpy(self.dtype))

    def kernel(self, *, out: np.ndarray) -> None:
        out[...] = self._compute_indices()


class TriuIndices(TrilIndices):
    """Rows and columns of the elements of a (row, col) matrix on or above diagonal ``offset``.

    Shape: (2, number of elements), in row-major order.

    >>> print(TriuIndices(2, 2)())
    [[0 0 1]
     [0 1 1]]
    """

    def _compute_indices(self) -> Any:
        """Return the rows and columns as NumPy arrays."""
        return np.triu_indices(self.row, self.offset, self.col)


# -- functions ------------------------------------------------------------------------------------


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """Return start, start + step, ... below ``end``; a single argument is the end, with start 0.

    The default ``dtype`` is int64 if all arguments are ints, else float32. More than 1,000,000
    numbers raise ValueError.

    >>> print(arange(3), arange(1, 2, 0.5))
    [0 1 2] [1.  1.5]
    """
    if end is None:
        start, end = 0, start
    return Range()(start, end, step, dtype)


def range(start: Any, end: Any, step: Any, maxlen: int = 1000000) -> Tensor:
    """Return start, start + step, ... below ``end``; raise ValueError for more than ``maxlen``
    numbers.
    """
    return Range(maxlen)(start, end, step)


def linspace(start: Any, end: Any, steps: Any) -> Tensor:
    """Return ``steps`` evenly spaced numbers from ``start`` to ``end``, both included.

    They have the dtype of the first of both that is a tensor if it is a float, else float32.
    """
    return LinSpace()(start, end, steps)


def logspace(
    start: Any, end: Any, steps: int, base: Any = 10, *, dtype: Any = mstype.float32
) -> Tensor:
    """Return ``base`` to the power of ``steps`` evenly spaced numbers from ``start`` to ``end``,
    both included.
    """
    return LogSpace(steps, base, dtype)(start, end)


def eye(n: int, m: int | None = None, dtype: Any = None) -> Tensor:
    """Return an (n, m) matrix with ones on the diagonal and zeros elsewhere; float32 by default.

    ``m`` is ``n`` by default.
    """
    return Eye()(n, n if m is None else m, mstype.float32 if dtype is None else dtype)


def meshgrid(*inputs: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Expand vectors, or one sequence of vectors, to the coordinates of a grid: one per vector.

    With ``indexing`` "xy" the first two axes of the grid are swapped: it has the shape (n2, n1,
    n3, ...) for vectors of n1, n2, n3, ... elements; "ij" keeps the order.
    """
    return Meshgrid(indexing)(inputs[0] if len(inputs) == 1 else inputs)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = mstype.int64) -> Tensor:
    """Return (2, n): the rows and columns of the n elements on or below diagonal ``offset`` of a
    (row, col) matrix.
    """
    return TrilIndices(row, col, offset, dtype)()


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = mstype.int64) -> Tensor:
    """Return (2, n): the rows and columns of the n elements on or above diagonal ``offset`` of a
    (row, col) matrix.
    """
    return TriuIndices(row, col, offset, dtype)()


__all__ = [
    "Eye",
    "LinSpace",
    "LogSpace",
    "Meshgrid",
    "Range",
    "TrilIndices",
    "TriuIndices",
    "arange",
    "eye",
    "linspace",
    "logspace",
    "meshgrid",
    "range",
    "tril_indices",
    "triu_indices",
]
