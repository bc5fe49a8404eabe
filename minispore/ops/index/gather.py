"""Elements picked by index tensors, and their counterpart: adding rows at indices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, method
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.support.arguments import (
    check_axis,
    check_indices,
    check_shape,
    check_tensor_spec,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


def add_rows(out: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """``out[rows[i]] += values[i]``; rows may repeat.  out: (R, M), rows: (N,), values: (N, M)."""
    if not rows.size:
        return
    if values.shape[1] == 1 and out.dtype != np.float16:
        np.add.at(out[:, 0], rows, values[:, 0])  # quick in one dimension only
        return
    at, sums = _sums_of_rows(rows, values, len(out))
    put_rows(out, at, np.add(out[at], sums, dtype=sums.dtype))


def put_rows(out: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """``out[rows] = values``, which casts; rows are different ones."""
    values = values.astype(out.dtype, copy=False)
    if out.flags.c_contiguous and values.flags.c_contiguous and out.size:
        whole = f"V{out.shape[1] * out.itemsize}"  # a row in one piece is put twice as fast
        np.put(out.view(whole), rows, values.view(whole))
    else:
        out[rows] = values


def _sums_of_rows(
    rows: np.ndarray, values: np.ndarray, length: int
) -> tuple[np.ndarray, np.ndarray]:
    """The different ones of ``rows``, which are below ``length``, and the sum of each one's values.

    Half floats are summed in single precision.
    """
    # Sixteen bits are sorted by counting, wider numbers by comparing.
    order = np.argsort(rows.astype(np.uint16) if length <= 1 << 16 else rows, kind="stable")
    rows = rows[order]
    starts = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
    counts = np.diff(starts, append=len(rows))
    most = np.argsort(-counts, kind="stable")  # those with most values first
    starts, counts = starts[most], counts[most]
    sums = values[order[starts]]
    if sums.dtype == np.float16:
        sums = sums.astype(np.float32)
    # Round k adds the k-th of each row's values, all rows at once: most rows come but a few times.
    k, live = 1, int(np.count_nonzero(counts > 1))
    while live > _FEW or (live and k < _ROUNDS):
        sums[:live] += values[order[starts[:live] + k]]
        k += 1
        live = int(np.count_nonzero(counts > k))
    for i, (start, end) in enumerate(zip(starts[:live] + k, starts[:live] + counts[:live])):
        sums[i] += np.add.reduce(values[order[start:end]], 0, sums.dtype)
    return rows[starts], sums


_FEW, _ROUNDS = 32, 8  # below so many rows, and beyond so many rounds, each row is summed by itself


def checked(op: str, indices: np.ndarray, least: int, length: int) -> np.ndarray:
    """``indices`` if all lie in [least, length).

    Raises:
        RuntimeError: one does not.
    """
    if indices.size and (indices.min() < least or indices.max() >= length):
        bad = indices[(indices < least) | (indices >= length)].flat[0]
        if indices.dtype == np.uint32:  # none may count from the end
            least, bad = 0, bad.view(np.int32)
        raise RuntimeError(f"{op}: every index must be in [{least}, {length}), got {bad}.")
    return indices


class Gather(Primitive):
    """``params`` at ``indices`` along ``axis``; the first ``batch_dims`` axes of both go together.

    >>> print(Gather()(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([2, 0]), 0))
    [[5 6]
     [1 2]]
    """

    copies_elements = True
    batch_dims: int = 0

    def __call__(self, input_params: Tensor, input_indices: Tensor, axis: Any) -> Tensor:
        return super().__call__(input_params, input_indices, to_static(axis))

    def infer(self, x: Spec, indices: Spec, axis: Any) -> Spec:
        check_tensor_spec(self.name, x, "input_params")
        check_indices(self.name, indices, "input_indices")
        at, b = check_axis(self.name, axis, x.ndim), self._batch(indices.ndim)
        if b > at:
            raise ValueError(f"{self.name}: batch_dims must not be above axis {at}, got {b}.")
        if x.shape[:b] != indices.shape[:b]:
            raise ValueError(
                f"{self.name}: the first {b} axes of params and indices must agree, got {x} and "
                f"{indices}."
            )
        return Spec(x.shape[:at] + indices.shape[b:] + x.shape[at + 1 :], x.dtype)

    def _batch(self, ndim: int) -> int:
        b = checks.integer(self.name, "batch_dims", self.batch_dims)
        return b + ndim if b < 0 else b

    def kernel(self, x: np.ndarray, indices: np.ndarray, axis: int, *, out: np.ndarray) -> None:
        axis %= x.ndim
        checked(self.name, indices, -x.shape[axis], x.shape[axis])
        if not out.size:
            return
        if not self.batch_dims and out.flags.c_contiguous:
            np.take(x, indices, axis, out=out, mode="wrap")  # checked above; "raise" would buffer
            return
        rows = _rows(x.shape, indices, axis, self._batch(indices.ndim))
        tail = x.shape[axis + 1 :]
        out[...] = x.reshape(-1, prod(tail))[rows].reshape(out.shape)

    def vjp(self, x: Tensor, indices: Tensor, axis: int, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: GatherGrad(self.batch_dims)(dout, indices, axis, x.shape),)


class GatherGrad(Primitive):
    """Zeros of ``shape`` with ``dout`` added where Gather took it.

    >>> print(GatherGrad(0)(Tensor([1.0, 2.0]), Tensor([1, 1]), 0, (3,)))
    [0. 3. 0.]
    """

    batch_dims: int = 0
    internal = True

    def infer(self, dout: Spec, indices: Spec, axis: int, shape: tuple[int, ...]) -> Spec:
        return Spec(shape, check_tensor_spec(self.name, dout).dtype)

    def kernel(
        self, dout: np.ndarray, indices: np.ndarray, axis: int, shape: Any, *, out: np.ndarray
    ) -> None:
        axis %= len(shape)
        b = self.batch_dims + indices.ndim if self.batch_dims < 0 else self.batch_dims
        rows = _rows(shape, indices, axis, b).reshape(-1)
        _scatter_rows(out, rows, dout, prod(shape[axis + 1 :]))

    def vjp(
        self, d: Tensor, indices: Tensor, axis: int, shape: Any, *, out: Tensor, dout: Tensor
    ) -> Any:
        return (lambda: Gather(self.batch_dims)(dout, indices, axis),)


GatherV2 = Gather  # 1.x


class GatherD(Primitive):
    """``x`` picked along ``dim``: ``out[i][j] = x[index[i][j]][j]`` for dim 0.

    >>> print(GatherD()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """

    def __call__(self, x: Tensor, dim: Any, index: Tensor) -> Tensor:
        return super().__call__(x, to_static(dim), index)

    def infer(self, x: Spec, dim: Any, index: Spec) -> Spec:
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
        checked(self.name, index, -x.shape[dim], x.shape[dim])
        out[...] = x[along(index, dim)]

    def vjp(self, x: Tensor, dim: int, index: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: GatherDGrad()(dout, dim, index, x.shape),)


class GatherDGrad(Primitive):
    """Zeros of ``shape`` with ``dout`` added where GatherD took it.

    >>> print(GatherDGrad()(Tensor([1.0, 2.0]), 0, Tensor([1, 1]), (3,)))
    [0. 3. 0.]
    """

    internal = True

    def infer(self, dout: Spec, dim: int, index: Spec, shape: Any) -> Spec:
        return Spec(shape, check_tensor_spec(self.name, dout).dtype)

    def kernel(
        self, dout: np.ndarray, dim: int, index: np.ndarray, shape: Any, *, out: np.ndarray
    ) -> None:
        at = np.arange(prod(shape)).reshape(shape)[along(index, dim)]
        _scatter_rows(out, at.reshape(-1), dout, 1)

    def vjp(
        self, d: Tensor, dim: int, index: Tensor, shape: Any, *, out: Tensor, dout: Tensor
    ) -> Any:
        return (lambda: GatherD()(dout, dim, index),)


class GatherNd(Primitive):
    """``x`` at coordinates: the last axis of ``indices`` (..., K) indexes the first K axes of x.

    >>> print(GatherNd()(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 1]])))
    [2 4]
    """

    def infer(self, x: Spec, indices: Spec) -> Spec:
        check_tensor_spec(self.name, x)
        k = depth_of(self.name, indices, x.ndim)
        return Spec(indices.shape[:-1] + x.shape[k:], x.dtype)

    def kernel(self, x: np.ndarray, indices: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = x[coordinates(self.name, indices, x.shape)]

    def vjp(self, x: Tensor, indices: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: ScatterNd()(indices, dout, x.shape),)


class ScatterNd(Primitive):
    """Zeros of ``shape`` with ``updates`` added at coordinates: the counterpart of GatherNd.

    >>> print(ScatterNd()(Tensor([[1], [1], [0]]), Tensor([1.0, 2.0, 5.0]), (3,)))
    [5. 3. 0.]
    """

    def __call__(self, indices: Tensor, updates: Tensor, shape: Any) -> Tensor:
        return super().__call__(indices, updates, check_shape(self.name, to_static(shape)))

    def infer(self, indices: Spec, updates: Spec, shape: Any) -> Spec:
        k = depth_of(self.name, indices, len(shape))
        if check_tensor_spec(self.name, updates, "updates").shape != indices.shape[:-1] + shape[k:]:
            raise ValueError(
                f"{self.name}: updates must have shape {indices.shape[:-1] + shape[k:]} "
                "(indices.shape[:-1] + "
                f"shape[{k}:]), got {updates}."
            )
        return Spec(shape, updates.dtype)

    def kernel(
        self, indices: np.ndarray, updates: np.ndarray, shape: Any, *, out: np.ndarray
    ) -> None:
        k = indices.shape[-1]
        rows = np.zeros(indices.shape[:-1], np.intp)
        for i, part in enumerate(coordinates(self.name, indices, shape)):
            rows *= shape[i]
            rows += part
        _scatter_rows(out, rows.reshape(-1), updates, prod(shape[k:]))

    def vjp(
        self, indices: Tensor, updates: Tensor, shape: Any, *, out: Tensor, dout: Tensor
    ) -> Any:
        return None, lambda: GatherNd()(dout, indices)


def along(index: np.ndarray, dim: int) -> tuple[np.ndarray, ...]:
    """The fancy index that takes ``index`` along ``dim`` and each position itself elsewhere."""
    grid = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    grid[dim] = index
    return tuple(grid)


def depth_of(op: str, indices: Spec, ndim: int) -> int:
    """How many axes the coordinates in ``indices`` (..., K) span."""
    if check_indices(op, indices).ndim < 1 or not 0 <= indices.shape[-1] <= ndim:
        raise ValueError(
            f"{op}: the last axis of indices must hold at most {ndim} coordinates, got {indices}."
        )
    return indices.shape[-1]


def coordinates(op: str, indices: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The columns of ``indices`` (..., K), checked against ``shape``."""
    return tuple(checked(op, indices[..., i], 0, shape[i]) for i in range(indices.shape[-1]))


def _rows(shape: tuple[int, ...], indices: np.ndarray, axis: int, batch: int) -> np.ndarray:
    """Which rows Gather takes of an array of ``shape`` seen as (prod(shape[:axis + 1]), rest)."""
    n = shape[axis]
    lead = np.arange(prod(shape[:axis])).reshape(shape[:axis] + (1,) * (indices.ndim - batch))
    at = np.where(indices < 0, indices + n, indices)
    return lead * n + at.reshape(shape[:batch] + (1,) * (axis - batch) + indices.shape[batch:])


def _scatter_rows(out: np.ndarray, rows: np.ndarray, values: np.ndarray, width: int) -> None:
    """Zero ``out``, then add ``values`` at the rows of its flattening (rows, width)."""
    if not out.size:
        return
    flat = out.reshape(-1, width) if out.flags.c_contiguous else None
    if flat is None:
        flat = np.empty((out.size // width, width), out.dtype)
    flat.fill(0)
    values = values.reshape(rows.size, width)
    if width > 1 and rows.size:
        put_rows(flat, *_sums_of_rows(rows, values, len(flat)))
    else:
        add_rows(flat, rows, values)
    if not out.flags.c_contiguous:
        out[...] = flat.reshape(out.shape)


# -- functions ------------------------------------------------------------------------------------


def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = 0) -> Tensor:
    """``input_params`` at ``input_indices`` along ``axis``."""
    return Gather(batch_dims)(input_params, input_indices, axis)


def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """``x`` picked by ``index`` along ``dim``."""
    return GatherD()(x, dim, index)


@method("gather_elements")
def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """``input`` picked by ``index`` along ``dim``."""
    return GatherD()(input, dim, index)


@method("gather_nd")
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """``input_x`` at the coordinates ``indices``."""
    return GatherNd()(input_x, indices)


def scatter_nd(indices: Tensor, updates: Tensor, shape: Any) -> Tensor:
    """Zeros of ``shape`` with ``updates`` added at the coordinates ``indices``."""
    return ScatterNd()(indices, updates, shape)


@method("index_select")
@also_spelled(dim="axis")
def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """The slices ``index`` of ``input`` along ``axis``."""
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
