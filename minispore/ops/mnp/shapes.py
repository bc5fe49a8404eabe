"""Functions that reshape, join, reorder and index tensors, with NumPy's names and defaults."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.mnp.creation import all_to_tensors, to_tensor
from minispore.ops.support.arguments import check_axes, check_axis, to_static


def reshape(x: Any, new_shape: Any) -> Tensor:
    """Return ``x`` reshaped to ``new_shape``, in row-major order; one length may be -1."""
    return ops.reshape(to_tensor(x), to_static(new_shape))


def ravel(x: Any) -> Tensor:
    """Return ``x`` flattened to one axis."""
    return ops.ravel(to_tensor(x))


def transpose(a: Any, axes: Any = None) -> Tensor:
    """Return ``a`` with its axes in the order ``axes``; reversed by default."""
    x = to_tensor(a)
    return ops.transpose(x, tuple(range(x.ndim))[::-1] if axes is None else to_static(axes))


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Return ``x`` with two axes swapped."""
    return ops.swapaxes(to_tensor(x), axis1, axis2)


def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Return ``a`` with the axes ``source`` moved to ``destination``; the others keep their
    order.
    """
    return ops.movedim(to_tensor(a), source, destination)


def rollaxis(x: Any, axis: int, start: int = 0) -> Tensor:
    """Return ``x`` with ``axis`` moved before axis ``start``."""
    x = to_tensor(x)
    source = check_axis("rollaxis", axis, x.ndim)
    target = check_axis("rollaxis", start, x.ndim + 1, "start")
    return ops.movedim(x, source, target - 1 if source < target else target)


def expand_dims(a: Any, axis: Any) -> Tensor:
    """Return ``a`` with new axes of length 1 at ``axis``, one or several indices in the result."""
    x = to_tensor(a)
    positions = to_static(axis)
    axes = positions if isinstance(positions, tuple) else (positions,)
    for position in sorted(check_axes("expand_dims", axes, x.ndim + len(axes))):
        x = ops.expand_dims(x, position)
    return x


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Return ``a`` without its axes of length 1, or without those among ``axis``; axes of another
    length are kept.
    """
    return ops.squeeze(to_tensor(a), to_static(axis))


def broadcast_to(array: Any, shape: Any) -> Tensor:
    """Return ``array`` broadcast along axes of length 1 to ``shape``."""
    return ops.broadcast_to(to_tensor(array), to_static(shape))


def broadcast_arrays(*args: Any) -> list[Tensor]:
    """Return all tensors broadcast to their common shape, as a list."""
    tensors = [to_tensor(a) for a in args]
    shape = np.broadcast_shapes(*[t.shape for t in tensors])
    return [ops.broadcast_to(t, shape) for t in tensors]


def atleast_1d(*arys: Any) -> Any:
    """Return tensors with at least 1 axis: one tensor itself, several as a list."""
    return _unwrap_single([ops.atleast_1d(to_tensor(a)) for a in arys])


def atleast_2d(*arys: Any) -> Any:
    """Return tensors with at least 2 axes: one tensor itself, several as a list.

    A vector becomes (1, n).
    """
    return _unwrap_single([ops.atleast_2d(to_tensor(a)) for a in arys])


def atleast_3d(*arys: Any) -> Any:
    """Return tensors with at least 3 axes: one tensor itself, several as a list.

    A vector becomes (1, n, 1), a matrix (m, n, 1).
    """
    return _unwrap_single([ops.atleast_3d(to_tensor(a)) for a in arys])


def _unwrap_single(tensors: list[Tensor]) -> Any:
    """Return the only tensor of a list, or the list if it holds several."""
    return tensors[0] if len(tensors) == 1 else tensors


# -- joins ----------------------------------------------------------------------------------------


def concatenate(arrays: Any, axis: int | None = 0) -> Tensor:
    """Return tensors concatenated along ``axis``, flattened first if it is None; dtypes are
    promoted.
    """
    tensors = all_to_tensors("concatenate", "arrays", arrays)
    if axis is None:
        tensors = [ops.ravel(t) for t in tensors]
        axis = 0
    return ops.concat(tensors, axis)


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Return ``arr`` with ``values`` appended along ``axis``; both are flattened first if it is
    None.
    """
    return concatenate((arr, values), axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Return tensors of equal shape joined along a new axis; dtypes are promoted."""
    tensors = all_to_tensors("stack", "arrays", arrays)
    dtypes = dict.fromkeys(t.dtype for t in tensors)
    if len(dtypes) > 1:
        dtype = ops.concat([ops.zeros((1,), d) for d in dtypes]).dtype
        tensors = [ops.cast(t, dtype) for t in tensors]
    return ops.stack(tensors, axis)


def vstack(tup: Any) -> Tensor:
    """Return tensors joined along the first axis, with vectors as rows.

    A single tensor is returned unchanged.
    """
    return tup if isinstance(tup, Tensor) else ops.vstack(all_to_tensors("vstack", "tup", tup))


def hstack(tup: Any) -> Tensor:
    """Return tensors joined along the second axis, vectors along their only axis.

    A single tensor is returned unchanged.
    """
    return tup if isinstance(tup, Tensor) else ops.hstack(all_to_tensors("hstack", "tup", tup))


def dstack(tup: Any) -> Tensor:
    """Return tensors joined along the third axis, which is added where it is missing.

    A single tensor is returned unchanged.
    """
    return tup if isinstance(tup, Tensor) else ops.dstack(all_to_tensors("dstack", "tup", tup))


def column_stack(tup: Any) -> Tensor:
    """Return tensors joined along the second axis, with vectors as columns.

    A single tensor is returned unchanged.
    """
    if isinstance(tup, Tensor):
        return tup
    return ops.column_stack(all_to_tensors("column_stack", "tup", tup))


Parts = tuple[Tensor, ...] | list[Tensor]


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Parts:
    """Return a tuple of equal parts of ``x``, or a list of parts split at a list of indices.

    Raises ValueError if a number of parts does not divide the length of the axis.

    >>> [t.shape for t in split(Tensor([1, 2, 3, 4]), 2)]
    [(2,), (2,)]
    """
    x = to_tensor(x)
    sections = to_static(indices_or_sections)
    n = x.shape[check_axis("split", axis, x.ndim)]
    if isinstance(sections, int):
        checks.integer("split", "indices_or_sections", sections, 1)
        if n % sections:
            raise ValueError(
                f"split: indices_or_sections must divide the length {n}, got {sections}."
            )
    return array_split(x, sections, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Parts:
    """Return a tuple of parts of ``x`` along ``axis`` whose lengths differ by at most 1, or a list
    of parts split at indices.
    """
    sections = ops.tensor_split(to_tensor(x), indices_or_sections, axis)
    return sections if isinstance(indices_or_sections, int) else list(sections)


def hsplit(x: Any, indices_or_sections: Any) -> Parts:
    """Split ``x`` along axis 1 as :func:`split` does."""
    return split(x, indices_or_sections, 1)


def vsplit(x: Any, indices_or_sections: Any) -> Parts:
    """Split ``x`` along axis 0 as :func:`split` does."""
    return split(x, indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Any) -> Parts:
    """Split ``x`` along axis 2 as :func:`split` does."""
    return split(x, indices_or_sections, 2)


def tile(a: Any, reps: Any) -> Tensor:
    """Return ``a`` repeated ``reps[i]`` times along axis i."""
    return ops.tile(to_tensor(a), to_static(reps))


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Return ``a`` with each slice along ``axis`` repeated ``repeats`` times, a number or one per
    slice.

    Without ``axis``, the elements of the flattened ``a`` are repeated.
    """
    return ops.repeat_interleave(to_tensor(a), repeats, axis)


# -- orders ---------------------------------------------------------------------------------------


def flip(m: Any, axis: Any = None) -> Tensor:
    """Return ``m`` with its elements reversed along ``axis``, by default along all axes."""
    x = to_tensor(m)
    axes = range(x.ndim) if axis is None else to_static(axis)
    return ops.flip(x, (axes,) if isinstance(axes, int) else tuple(axes))


def fliplr(m: Any) -> Tensor:
    """Return ``m`` with its elements reversed along axis 1."""
    return ops.fliplr(to_tensor(m))


def flipud(m: Any) -> Tensor:
    """Return ``m`` with its elements reversed along axis 0."""
    return ops.flipud(to_tensor(m))


def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """Return ``a`` shifted cyclically along ``axis``.

    ``shift`` and ``axis`` are broadcast against each other. Without ``axis``, ``a`` is shifted as a
    flat vector, by the sum of the shifts.

    >>> print(roll([0, 1, 2, 3], (1, 2), 0))
    [1 2 3 0]
    """
    shift, axis = to_static(shift), to_static(axis)
    if axis is None:
        return ops.roll(to_tensor(a), int(np.sum(shift)))
    shifts_and_axes = np.broadcast(shift, axis)
    shifts, axes = zip(*[(int(s), int(ax)) for s, ax in shifts_and_axes])
    return ops.roll(to_tensor(a), shifts, axes)


def rot90(a: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """Return ``a`` rotated ``k`` times by 90 degrees in the plane of ``axes``, from the first
    towards the second.
    """
    return ops.rot90(to_tensor(a), k, axes)


def unique(x: Any, return_inverse: bool = False) -> Any:
    """Return the distinct elements in order of first occurrence, not sorted.

    With ``return_inverse``, also return the index among them of each element of the flattened
    ``x``.
    """
    values, inverse = ops.unique(ops.ravel(to_tensor(x)))
    return (values, inverse) if return_inverse else values


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Return the int32 indices at which the values ``v`` would be inserted into the sorted ``a``.

    They are before equal elements, or behind them with ``side`` "right". ``sorter`` holds the
    indices that sort an unsorted ``a``.
    """
    return ops.searchsorted(to_tensor(a), to_tensor(v), out_int32=True, side=side, sorter=sorter)


# -- diagonals and triangles ----------------------------------------------------------------------


def diag(v: Any, k: int = 0) -> Tensor:
    """Return a matrix with the vector ``v`` on diagonal ``k``, or diagonal ``k`` of the matrix
    ``v``.

    >>> print(diag(Tensor([1, 2])))
    [[1 0]
     [0 2]]
    """
    x = to_tensor(v)
    return ops.diag_embed(x, k) if x.ndim == 1 else ops.diagonal(x, k)


def diagflat(v: Any, k: int = 0) -> Tensor:
    """Return a matrix with all elements of the flattened ``v`` on diagonal ``k``, and 0
    elsewhere.
    """
    return ops.diagflat(to_tensor(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return diagonal ``offset`` of each matrix in the axes (axis1, axis2), as the last axis."""
    return ops.diagonal(to_tensor(a), offset, axis1, axis2)


def tril(m: Any, k: int = 0) -> Tensor:
    """Return the elements on and below diagonal ``k``, and 0 elsewhere; a vector is repeated as
    rows.
    """
    return ops.tril(_repeat_vector_as_rows(to_tensor(m)), k)


def triu(m: Any, k: int = 0) -> Tensor:
    """Return the elements on and above diagonal ``k``, and 0 elsewhere; a vector is repeated as
    rows.
    """
    return ops.triu(_repeat_vector_as_rows(to_tensor(m)), k)


def _repeat_vector_as_rows(x: Tensor) -> Tensor:
    """Repeat a vector of n elements as the rows of an (n, n) matrix; return other tensors
    unchanged.
    """
    return ops.broadcast_to(x, (x.size, x.size)) if x.ndim == 1 else x


# -- indexing -------------------------------------------------------------------------------------


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return ``x`` where ``condition`` is true, else ``y``; without both, the coordinates of true
    elements, one vector per axis.

    Python scalars become int32 or float32 tensors.
    """
    is_true = to_tensor(condition)
    if x is None and y is None:
        return ops.nonzero(is_true, as_tuple=True)
    return ops.where(is_true, to_tensor(x), to_tensor(y))


def take(a: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Return elements of the flattened ``a``, or slices along ``axis``, at ``indices``.

    Depending on ``mode`` ("clip", "wrap" or "raise"), indices out of range are clipped, wrapped or
    raise an error.
    """
    return to_tensor(a).take(to_tensor(indices), axis, mode)


def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Tensor:
    """Return elements at ``indices`` along ``axis``; both tensors broadcast along the other axes.

    With an ``axis`` of None, both are flattened.

    >>> print(take_along_axis(Tensor([[1, 2], [3, 4]]), Tensor([[1], [0]]), 1).reshape(-1))
    [2 3]
    """
    x, index = to_tensor(arr), to_tensor(indices)
    if axis is None:
        return ops.gather_elements(ops.ravel(x), 0, ops.ravel(index))
    axis_index = check_axis("take_along_axis", axis, x.ndim)
    shape = tuple(
        index.shape[i] if i == axis_index else max(d, index.shape[i]) for i, d in enumerate(x.shape)
    )
    source_shape = tuple(x.shape[i] if i == axis_index else d for i, d in enumerate(shape))
    return ops.gather_elements(
        ops.broadcast_to(x, source_shape), axis_index, ops.broadcast_to(index, shape)
    )


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """Convert ``indices`` into a flattened array to coordinates in an array of ``shape``, one
    tensor per axis.

    The flattened array is in row-major order; with ``order="F"``, in column-major order.

    >>> print([x.item() for x in unravel_index(5, (3, 4), order="F")])
    [2, 1]
    """
    if order not in ("C", "F"):
        raise ValueError(f"unravel_index: order must be 'C' or 'F', got {order!r}.")
    lengths = to_static(shape)
    step = 1 if order == "C" else -1
    lengths = (lengths,) if isinstance(lengths, int) else lengths[::step]
    return tuple(ops.UnravelIndex()(to_tensor(indices), lengths))[::step]


def argwhere(a: Any) -> Tensor:
    """Return the coordinates of the elements that are not zero, one row per element."""
    return ops.nonzero(to_tensor(a))


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """Return the number of occurrences of each of 0, 1, ..., or the sums of their weights.

    The result has at least ``minlength`` elements, float32 or in the dtype of ``weights``. With
    ``length``, count only the first ``length`` of these numbers.

    >>> print(bincount([0, 1, 1, 3], length=2))
    [1. 2.]
    """
    if length is not None:
        minlength = max(minlength, checks.integer("bincount", "length", length, 1))
    counts = ops.bincount(to_tensor(x), None if weights is None else to_tensor(weights), minlength)
    counts = counts if weights is not None else ops.cast(counts, mstype.float32)
    return counts[:length]


__all__ = [
    "append",
    "argwhere",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bincount",
    "broadcast_arrays",
    "broadcast_to",
    "column_stack",
    "concatenate",
    "diag",
    "diagflat",
    "diagonal",
    "dsplit",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "moveaxis",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "searchsorted",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "take_along_axis",
    "tile",
    "transpose",
    "tril",
    "triu",
    "unique",
    "unravel_index",
    "vsplit",
    "vstack",
    "where",
]
