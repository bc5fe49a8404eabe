"""Gather ops, and the opposite operations, which add rows at indices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.support.arguments import (
    check_axis,
    check_indices,
    check_shape,
    check_tensor_spec,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


def add_rows(out: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """Add ``values[i]`` to ``out[rows[i]]`` in place; rows may repeat.

    out: (R, M), rows: (N,), values: (N, M).
    """
    if not rows.size:
        return
    if values.shape[1] == 1 and out.dtype != np.float16:
        np.add.at(out[:, 0], rows, values[:, 0])  # np.add.at is fast only in one dimension
        return
    unique_rows, sums = _sum_by_row(rows, values, len(out))
    put_rows(out, unique_rows, np.add(out[unique_rows], sums, dtype=sums.dtype))


def put_rows(out: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """Assign ``out[rows] = values`` with a cast; the rows must be distinct."""
    values = values.astype(out.dtype, copy=False)
    if out.flags.c_contiguous and values.flags.c_contiguous and out.size:
        # Writing each row as a single element is twice as fast.
        row_dtype = f"V{out.shape[1] * out.itemsize}"
        np.put(out.view(row_dtype), rows, values.view(row_dtype))
    else:
        out[rows] = values


def _sum_by_row(rows: np.ndarray, values: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct ``rows``, all below ``length``, and the sum of the values of each; in no
    particular order.

    float16 values are summed in float32.
    """
    # NumPy uses radix sort for 16-bit integers, and comparisons for wider ones.
    order = np.argsort(rows.astype(np.uint16) if length <= 1 << 16 else rows, kind="stable")
    rows = rows[order]
    starts = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
    counts = np.diff(starts, append=len(rows))
    by_count = np.argsort(-counts, kind="stable")  # rows with the most values first
    starts, counts = starts[by_count], counts[by_count]
    sums = values[order[starts]]
    if sums.dtype == np.float16:
        sums = sums.astype(np.float32)
    # Round k adds the k-th value of every row with more than k values; most rows have only a few.
    k, active_count = 1, int(np.count_nonzero(counts > 1))
    while active_count > _MIN_ACTIVE_ROWS or (active_count and k < _MAX_ROUNDS):
        sums[:active_count] += values[order[starts[:active_count] + k]]
        k += 1
        active_count = int(np.count_nonzero(counts > k))
    for i in range(active_count):
        remaining = order[starts[i] + k : starts[i] + counts[i]]
        sums[i] += np.add.reduce(values[remaining], 0, sums.dtype)
    return rows[starts], sums


# After _MAX_ROUNDS rounds, once at most _MIN_ACTIVE_ROWS rows have more values, each of these rows
# is summed separately.
_MIN_ACTIVE_ROWS, _MAX_ROUNDS = 32, 8


def check_index_range(api_name: str, indices: np.ndarray, lowest: int, length: int) -> np.ndarray:
    """Return ``indices`` if all are in [lowest, length).

    Raises:
        RuntimeError: an index is out of range.
    """
    if indices.size and (indices.min() < lowest or indices.max() >= length):
        offending = indices[(indices < lowest) | (indices >= length)].flat[0]
        if indices.dtype == np.uint32:  # unsigned indices cannot count from the end
            lowest, offending = 0, offending.view(np.int32)
        raise RuntimeError(
            f"{api_name}: every index must be in [{lowest}, {length}), got {offending}."
        )
    return indices


class Gather(Primitive):
    """The slices ``indices`` of ``params`` along ``axis``; both share their first ``batch_dims``
    axes.

    >>> print(Gather()(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([2, 0]), 0))
    [[5 6]
     [1 2]]
    """

    arithmetic = Arithmetic.NONE
    batch_dims: int = 0

    def __call__(self, input_params: Tensor, input_indices: Tensor, axis: Any) -> Tensor:
        return super().__call__(input_params, input_indices, to_static(axis))

    def infer(self, x: Spec, indices: Spec, axis: Any) -> Spec:
        """Return the spec with ``axis`` replaced by the axes of indices after the batch axes.

        The batch axes must agree.
        """
        check_tensor_spec(self.name, x, "input_params")
        check_indices(self.name, indices, "input_indices")
        axis_index = check_axis(self.name, axis, x.ndim)
        b = self._normalize_batch_dims(indices.ndim)
        if b > axis_index:
            raise ValueError(
                f"{self.name}: batch_dims must not be above axis {axis_index}, got {b}."
            )
        if x.shape[:b] != indices.shape[:b]:
            raise ValueError(
                f"{self.name}: the first {b} axes of params and indices must agree, got {x} and "
                f"{indices}."
            )
        return Spec(x.shape[:axis_index] + indices.shape[b:] + x.shape[axis_index + 1 :], x.dtype)

    def _normalize_batch_dims(self, ndim: int) -> int:
        """Return ``batch_dims`` as a number >= 0, for indices with ``ndim`` axes."""
        b = checks.integer(self.name, "batch_dims", self.batch_dims)
        return b + ndim if b < 0 else b

    def kernel(self, x: np.ndarray, indices: np.ndarray, axis: int, *, out: np.ndarray) -> None:
        """Check the range of the indices and take the slices, from a flattened view if there are
        batch axes.
        """
        axis %= x.ndim
        check_index_range(self.name, indices, -x.shape[axis], x.shape[axis])
        if not out.size:
            return
        if not self.batch_dims and out.flags.c_contiguous:
            # The indices have been checked, and mode "raise" would buffer the output.
            np.take(x, indices, axis, out=out, mode="wrap")
            return
        rows = _compute_flat_rows(x.shape, indices, axis, self._normalize_batch_dims(indices.ndim))
        tail = x.shape[axis + 1 :]
        out[...] = x.reshape(-1, prod(tail))[rows].reshape(out.shape)

    def vjp(
        self, x: Tensor, indices: Tensor, axis: int, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (lambda: GatherGrad(self.batch_dims)(dout, indices, axis, x.shape),)


class GatherGrad(Primitive):
    """Zeros of ``shape`` with ``dout`` added at the positions that Gather read.

    >>> print(GatherGrad(0)(Tensor([1.0, 2.0]), Tensor([1, 1]), 0, (3,)))
    [0. 3. 0.]
    """

    batch_dims: int = 0

    def infer(self, dout: Spec, indices: Spec, axis: int, shape: tuple[int, ...]) -> Spec:
        return Spec(shape, check_tensor_spec(self.name, dout).dtype)

    def kernel(
        self, dout: np.ndarray, indices: np.ndarray, axis: int, shape: Any, *, out: np.ndarray
    ) -> None:
        """Zero ``out``, and add ``dout`` at the positions that Gather read."""
        axis %= len(shape)
        b = self.batch_dims + indices.ndim if self.batch_dims < 0 else self.batch_dims
        rows = _compute_flat_rows(shape, indices, axis, b).reshape(-1)
        _scatter_add_rows(out, rows, dout, prod(shape[axis + 1 :]))

    def vjp(
        self, d: Tensor, indices: Tensor, axis: int, shape: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (lambda: Gather(self.batch_dims)(dout, indices, axis),)


GatherV2 = Gather  # 1.x


class GatherD(Primitive):
    """The elements of ``x`` at ``index`` along ``dim``: ``out[i][j] = x[index[i][j]][j]`` for dim
    0.

    >>> print(GatherD()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """

    def __call__(self, x: Tensor, dim: Any, index: Tensor) -> Tensor:
        return super().__call__(x, to_static(dim), index)

    def infer(self, x: Spec, dim: Any, index: Spec) -> Spec:
        """Return the spec of ``index``; raise ValueError unless it fits within x except along
        ``dim``.
        """
        axis = check_axis(self.name, dim, check_tensor_spec(self.name, x).ndim, "dim")
        check_indices(self.name, index, "index")
        if index.ndim != x.ndim or any(
            a > b for i, (a, b) in enumerate(zip(index.shape, x.shape, strict=True)) if i != axis
        ):
            raise ValueError(
                f"{self.name}: index must have the rank of {x} and lengths within it except "
                f"along {dim}, got {index}."
            )
        return Spec(index.shape, x.dtype)

    def kernel(self, x: np.ndarray, dim: int, index: np.ndarray, *, out: np.ndarray) -> None:
        check_index_range(self.name, index, -x.shape[dim], x.shape[dim])
        out[...] = x[make_axis_index(index, dim)]

    def vjp(self, x: Tensor, dim: int, index: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: GatherDGrad()(dout, dim, index, x.shape),)


class GatherDGrad(Primitive):
    """Zeros of ``shape`` with ``dout`` added at the positions that GatherD read.

    >>> print(GatherDGrad()(Tensor([1.0, 2.0]), 0, Tensor([1, 1]), (3,)))
    [0. 3. 0.]
    """

    def infer(self, dout: Spec, dim: int, index: Spec, shape: Any) -> Spec:
        return Spec(shape, check_tensor_spec(self.name, dout).dtype)

    def kernel(
        self, dout: np.ndarray, dim: int, index: np.ndarray, shape: Any, *, out: np.ndarray
    ) -> None:
        """Zero ``out``, and add ``dout`` at the positions that GatherD read."""
        positions = np.arange(prod(shape)).reshape(shape)[make_axis_index(index, dim)]
        _scatter_add_rows(out, positions.reshape(-1), dout, 1)

    def vjp(
        self, d: Tensor, dim: int, index: Tensor, shape: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (lambda: GatherD()(dout, dim, index),)


class GatherNd(Primitive):
    """The elements of ``x`` at coordinates: ``indices`` (..., K) index the first K axes of x.

    >>> print(GatherNd()(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 1]])))
    [2 4]
    """

    def infer(self, x: Spec, indices: Spec) -> Spec:
        check_tensor_spec(self.name, x)
        k = check_coordinates_spec(self.name, indices, x.ndim)
        return Spec(indices.shape[:-1] + x.shape[k:], x.dtype)

    def kernel(self, x: np.ndarray, indices: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = x[split_coordinates(self.name, indices, x.shape)]

    def vjp(self, x: Tensor, indices: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ScatterNd()(indices, dout, x.shape),)


class ScatterNd(Primitive):
    """Zeros of ``shape`` with ``updates`` added at coordinates: the counterpart of GatherNd.

    >>> print(ScatterNd()(Tensor([[1], [1], [0]]), Tensor([1.0, 2.0, 5.0]), (3,)))
    [5. 3. 0.]
    """

    def __call__(self, indices: Tensor, updates: Tensor, shape: Any) -> Tensor:
        return super().__call__(indices, updates, check_shape(self.name, to_static(shape)))

    def infer(self, indices: Spec, updates: Spec, shape: Any) -> Spec:
        """Return the spec of ``shape``; raise ValueError unless updates have one slice per
        coordinate.
        """
        k = check_coordinates_spec(self.name, indices, len(shape))
        if check_tensor_spec(self.name, updates, "updates").shape != indices.shape[:-1] + shape[k:]:
            raise ValueError(
                f"{self.name}: updates must have shape {indices.shape[:-1] + shape[k:]} "
                f"(indices.shape[:-1] + shape[{k}:]), got {updates}."
            )
        return Spec(shape, updates.dtype)

    def kernel(
        self, indices: np.ndarray, updates: np.ndarray, shape: Any, *, out: np.ndarray
    ) -> None:
        """Compute the flat row of each coordinate, and add the updates there."""
        rows = compute_coordinate_rows(self.name, indices, shape)
        _scatter_add_rows(out, rows.reshape(-1), updates, prod(shape[indices.shape[-1] :]))

    def vjp(
        self, indices: Tensor, updates: Tensor, shape: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return None, lambda: GatherNd()(dout, indices)


def make_axis_index(index: np.ndarray, dim: int) -> tuple[np.ndarray, ...]:
    """Return the NumPy index that implements ``out[i, j] = x[index[i, j], j]`` (shown for ``dim``
    0).
    """
    grid = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    grid[dim] = index
    return tuple(grid)


def check_coordinates_spec(api_name: str, indices: Spec, ndim: int) -> int:
    """Return K, the number of axes that the coordinates in ``indices`` (..., K) index.

    Raises:
        ValueError: K is greater than ``ndim``.
    """
    if check_indices(api_name, indices).ndim < 1 or not 0 <= indices.shape[-1] <= ndim:
        raise ValueError(
            f"{api_name}: the last axis of indices must hold at most {ndim} coordinates, got "
            f"{indices}."
        )
    return indices.shape[-1]


def split_coordinates(
    api_name: str, indices: np.ndarray, shape: tuple[int, ...]
) -> tuple[np.ndarray, ...]:
    """Return the columns of ``indices`` (..., K) as a NumPy index.

    Raises:
        RuntimeError: a coordinate is outside ``shape``.
    """
    return tuple(
        check_index_range(api_name, indices[..., i], 0, shape[i]) for i in range(indices.shape[-1])
    )


def compute_coordinate_rows(
    api_name: str, indices: np.ndarray, shape: tuple[int, ...]
) -> np.ndarray:
    """Return the row of each coordinate in an array of ``shape`` whose first K axes are merged.

    ``indices`` is (..., K). A coordinate outside ``shape`` raises RuntimeError.
    """
    rows = np.zeros(indices.shape[:-1], np.intp)
    for length, column in zip(shape, split_coordinates(api_name, indices, shape)):
        rows *= length
        rows += column
    return rows


def _compute_flat_rows(
    shape: tuple[int, ...], indices: np.ndarray, axis: int, batch: int
) -> np.ndarray:
    """Return the rows that Gather reads from an array of ``shape`` flattened to two axes.

    The first merges all axes up to ``axis``, the second all axes after it.
    """
    n = shape[axis]
    leading_shape = shape[:axis] + (1,) * (indices.ndim - batch)
    index_shape = shape[:batch] + (1,) * (axis - batch) + indices.shape[batch:]
    leading_rows = np.arange(prod(shape[:axis])).reshape(leading_shape)
    return leading_rows * n + np.where(indices < 0, indices + n, indices).reshape(index_shape)


def _scatter_add_rows(out: np.ndarray, rows: np.ndarray, values: np.ndarray, width: int) -> None:
    """Zero ``out``, then add ``values`` to ``rows`` of ``out`` viewed as (-1, width)."""
    if not out.size:
        return
    flat = out.reshape(-1, width) if out.flags.c_contiguous else None
    if flat is None:
        flat = np.empty((out.size // width, width), out.dtype)
    flat.fill(0)
    values = values.reshape(rows.size, width)
    if width > 1 and rows.size:
        put_rows(flat, *_sum_by_row(rows, values, len(flat)))
    else:
        add_rows(flat, rows, values)
    if not out.flags.c_contiguous:
        out[...] = flat.reshape(out.shape)


# -- functions ------------------------------------------------------------------------------------


def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = 0) -> Tensor:
    """Return the slices ``input_indices`` of ``input_params`` along ``axis``."""
    return Gather(batch_dims)(input_params, input_indices, axis)


def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the elements of ``x`` at ``index`` along ``dim``."""
    return GatherD()(x, dim, index)


@method("gather_elements")
def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the elements of ``input`` at ``index`` along ``dim``."""
    return GatherD()(input, dim, index)


@method("gather_nd")
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """Return the elements of ``input_x`` at the coordinates ``indices``."""
    return GatherNd()(input_x, indices)


def scatter_nd(indices: Tensor, updates: Tensor, shape: Any) -> Tensor:
    """Return zeros of ``shape`` with ``updates`` added at the coordinates ``indices``."""
    return ScatterNd()(indices, updates, shape)


@method("index_select")
@also_spelled(dim="axis")
def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """Return the slices ``index`` of ``input`` along ``axis``."""
    return Gather()(input, index, axis)


__all__ = [
    "Gather",
    "GatherD",
    "GatherNd",
    "GatherV2",
    "ScatterNd",
    "gather",
    "gather_d",
    "gather_elements",
    "gather_nd",
    "index_select",
    "scatter_nd",
]
