"""Coordinate tensors cut, joined and put in order: (n, axes) places, (n,) values, a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.sparse.parts import (
    INT32,
    _Sparse,
    both,
    coordinates,
    flat,
    inside,
    made,
    repeated,
    sizes,
    summed,
    taken,
    unflat,
    whole_numbers,
)
from minispore.ops.support.arguments import check_axis, check_tensor_list, check_tensors

_PLACES = ("indices", "values")


class Coalesce(_Sparse):
    """One value for each place, the sum of all that stand there, in the order of the places.

    Args:
        x_indices (Tensor): int64 (axes, n): here a column is a place.
        x_values (Tensor): (n,).
        x_shape (Tensor): int64 (axes,).

    Returns:
        ``(indices, values, shape)``, (axes, m), (m,) and (axes,).

    >>> at = Tensor(np.array([[0, 0, 1], [1, 1, 2]]))
    >>> indices, values, _ = Coalesce()(at, Tensor([1.0, 2.0, 3.0]), Tensor(np.array([3, 3])))
    >>> print(indices.asnumpy().tolist(), values)
    [[0, 1], [1, 2]] [3. 3.]
    """

    def __call__(self, x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any:
        shape = sizes(self.name, x_shape, "x_shape", "int64")
        at = whole_numbers(self.name, x_indices, "x_indices", 2, "int64").T
        check_tensors(self.name, x_values=x_values)
        if x_values.shape != at.shape[:1]:
            rule = f"have the shape {at.shape[:1]}, one for each column of x_indices"
            raise ValueError(
                checks.format_error(self.name, "x_values", rule, f"shape {x_values.shape}")
            )
        inside(self.name, "the columns of x_indices", at, shape)
        there, number = np.unique(flat(at, shape), return_inverse=True)
        values = summed(x_values, number, len(there))
        return made(unflat(there, shape).T), values, made(shape)


class SparseReorder(_Sparse):
    """Places and their values in row-major order.

    >>> at = Tensor(np.array([[1, 2], [0, 1]]))
    >>> _, values = SparseReorder()(at, Tensor([1.0, 2.0]), Tensor(np.array([3, 3])))
    >>> print(values)
    [2. 1.]
    """

    def __call__(self, indices: Tensor, values: Tensor, shape: Tensor) -> Any:
        lengths = sizes(self.name, shape, "shape", "int64")
        at = coordinates(self.name, _PLACES, indices, values, lengths, "int64")
        order = np.argsort(flat(at, lengths), kind="stable")
        return made(at[order]), taken(values, order)


class SparseReshape(_Sparse):
    """Where the same places lie in a tensor of another shape, in which one length may be -1.

    >>> at, shape = Tensor(np.array([[0, 1], [1, 2]])), Tensor(np.array([2, 4]))
    >>> places, found = SparseReshape()(at, shape, Tensor(np.array([4, -1])))
    >>> print(places.asnumpy().tolist(), found)
    [[0, 1], [3, 0]] [4 2]
    """

    def __call__(self, indices: Tensor, shape: Tensor, new_shape: Tensor) -> Any:
        old = sizes(self.name, shape, "shape", "int64")
        wanted = sizes(self.name, new_shape, "new_shape", "int64")
        at = whole_numbers(self.name, indices, "indices", 2, "int64")
        inside(self.name, "indices", at, old)
        known = int(np.prod([n for n in wanted if n != -1]))
        count = int(np.prod(old))
        if (
            wanted.count(-1) > 1
            or (known and count % known)
            or (-1 not in wanted) > (known == count)
        ):
            rule = f"be of the {count} elements of shape {old}, with at most one -1"
            raise ValueError(checks.format_error(self.name, "new_shape", rule, f"{wanted}"))
        new = tuple(count // max(known, 1) if n == -1 else n for n in wanted)
        return made(unflat(flat(at, old), new)), made(new)


class SparseSlice(_Sparse):
    """The block of ``size`` from ``start`` on; what leaves the shape is left out.

    Args:
        indices (Tensor): int64 (n, axes), the places.
        values (Tensor): (n,).
        shape (Tensor): int64 (axes,).
        start (Tensor): int64 (axes,), where the block begins.
        size (Tensor): int64 (axes,), how long it is.

    Returns:
        ``(indices, values, shape)`` of the block.

    >>> at = Tensor(np.array([[0, 1], [1, 2], [2, 2]]))
    >>> shape, start, size = (Tensor(np.array(n)) for n in ([3, 4], [0, 1], [2, 3]))
    >>> places, values, _ = SparseSlice()(at, Tensor([1.0, 2.0, 3.0]), shape, start, size)
    >>> print(places.asnumpy().tolist(), values)
    [[0, 0], [1, 1]] [1. 2.]
    """

    def __call__(
        self, indices: Tensor, values: Tensor, shape: Tensor, start: Tensor, size: Tensor
    ) -> Any:
        lengths = sizes(self.name, shape, "shape", "int64")
        at = coordinates(self.name, _PLACES, indices, values, lengths, "int64")
        begin = np.array(sizes(self.name, start, "start", "int64"))
        given = np.array(sizes(self.name, size, "size", "int64"))
        for name, numbers in (("start", begin), ("size", given)):
            if numbers.shape != (len(lengths),):
                rule = f"hold {len(lengths)} numbers, one for each axis"
                raise ValueError(checks.format_error(self.name, name, rule, f"{numbers.tolist()}"))
        block = np.maximum(np.minimum(given, np.array(lengths) - begin), 0)
        kept = np.flatnonzero(((at >= begin) & (at < begin + block)).all(1))
        return made(at[kept] - begin), taken(values, kept), made(block)


class SparseSplit(_Sparse):
    """``num_split`` parts along the axis ``split_dim``; the first ones are longer by one where the
    axis is no multiple of that.

    >>> at, shape = Tensor(np.array([[0, 1], [1, 3]])), Tensor(np.array([2, 5]))
    >>> split = SparseSplit(2)(Tensor(np.int64(1)), at, Tensor([1.0, 2.0]), shape)
    >>> [part.asnumpy().tolist() for part in split[2]]
    [[2, 3], [2, 2]]
    """

    num_split: int = 1

    def check(self) -> None:
        checks.integer(self.name, "num_split", self.num_split, 1)

    def __call__(self, split_dim: Tensor, indices: Tensor, values: Tensor, shape: Tensor) -> Any:
        lengths = sizes(self.name, shape, "shape", "int64")
        at = coordinates(self.name, _PLACES, indices, values, lengths, "int64")
        axis = check_axis(self.name, int(split_dim.asnumpy().item()), len(lengths), "split_dim")
        if self.num_split > lengths[axis]:
            rule = f"be at most {lengths[axis]}, the length of the axis"
            raise ValueError(checks.format_error(self.name, "num_split", rule, f"{self.num_split}"))
        least, longer = divmod(lengths[axis], self.num_split)
        parts = []
        begin = 0
        for i in range(self.num_split):
            size = least + (i < longer)
            kept = np.flatnonzero((at[:, axis] >= begin) & (at[:, axis] < begin + size))
            moved, whole = at[kept].copy(), list(lengths)
            moved[:, axis] -= begin
            whole[axis] = size
            parts.append((made(moved), taken(values, kept), made(whole)))
            begin += size
        return tuple(zip(*parts, strict=True))


class SparseConcat(_Sparse):
    """Coordinate tensors one behind the other along ``concat_dim``, in the order of the places.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([3, 4]))
    >>> op, x = SparseConcat(1), Tensor([1.0])
    >>> places, values, _ = op((at, at), (x, x * 2), (shape, shape))
    >>> print(places.asnumpy().tolist(), values)
    [[0, 1], [0, 5]] [1. 2.]
    """

    concat_dim: int = 0

    def check(self) -> None:
        checks.integer(self.name, "concat_dim", self.concat_dim)

    def __call__(self, sp_input_indices: Any, sp_input_values: Any, sp_input_shapes: Any) -> Any:
        values = check_tensor_list(self.name, sp_input_values, "sp_input_values")
        all_places = check_tensor_list(self.name, sp_input_indices, "sp_input_indices")
        shapes = [
            sizes(self.name, s, "sp_input_shapes", "int64")
            for s in check_tensor_list(self.name, sp_input_shapes, "sp_input_shapes")
        ]
        if not 1 < len(values) == len(all_places) == len(shapes):
            raise ValueError(
                f"{self.name}: sp_input_indices, sp_input_values and sp_input_shapes must hold as "
                f"many tensors, at least 2, got {len(all_places)}, {len(values)} and {len(shapes)}."
            )
        axis = check_axis(self.name, self.concat_dim, len(shapes[0]), "concat_dim")
        parts, begin = [], 0
        for place, value, shape in zip(all_places, values, shapes, strict=True):
            rest = (shape[:axis], shape[axis + 1 :])
            if rest != (shapes[0][:axis], shapes[0][axis + 1 :]):
                raise ValueError(
                    f"{self.name}: sp_input_shapes must be equal but along axis {axis}, got "
                    f"{shapes}."
                )
            names = ("sp_input_indices", "sp_input_values")
            at = coordinates(self.name, names, place, value, shape, "int64").copy()
            at[:, axis] += begin
            parts.append(at)
            begin += shape[axis]
        whole = (*shapes[0][:axis], begin, *shapes[0][axis + 1 :])
        at = np.concatenate(parts)
        order = np.argsort(flat(at, whole), kind="stable")
        return made(at[order]), taken(Concat(0)(values), order), made(whole)


class SparseFillEmptyRows(_Sparse):
    """Each row that has no value gets ``default_value`` in its first column.

    The third output says which rows were empty, the fourth where each old value is now.

    >>> at, shape = Tensor(np.array([[1, 0]])), Tensor(np.array([2, 3]))
    >>> out = SparseFillEmptyRows()(at, Tensor([1.0]), shape, Tensor(9.0))
    >>> print(out[0].asnumpy().tolist(), out[1], out[2])
    [[0, 0], [1, 0]] [9. 1.] [ True False]
    """

    def __call__(
        self, indices: Tensor, values: Tensor, dense_shape: Tensor, default_value: Tensor
    ) -> Any:
        lengths = sizes(self.name, dense_shape, "dense_shape", "int64")
        if len(lengths) != 2:
            rule = "hold 2 lengths"
            raise ValueError(checks.format_error(self.name, "dense_shape", rule, f"{lengths}"))
        at = coordinates(self.name, _PLACES, indices, values, lengths, "int64")
        empty = np.bincount(at[:, 0], minlength=lengths[0]) == 0
        more = np.flatnonzero(empty)
        rows = np.concatenate([at[:, 0], more])
        order = np.argsort(rows, kind="stable")
        there = np.concatenate([at, np.stack([more, np.zeros_like(more)], 1)])[order]
        back = np.argsort(order, kind="stable")[: len(at)]
        known = both(values, repeated(default_value, len(more))) if len(more) else values
        return made(there), taken(known, order), Tensor(empty), made(back)


class SparseToDenseV2(_Sparse):
    """``values`` at their places, ``default_value`` everywhere else.

    Args:
        validate_indices: refuse places that are out of order, or come twice.

    >>> at, shape = Tensor([[0, 1]]), Tensor([2, 2])
    >>> print(SparseToDenseV2()(at, shape, Tensor([5.0]), Tensor(7.0)))
    [[7. 5.]
     [7. 7.]]
    """

    validate_indices: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "validate_indices", self.validate_indices)

    def __call__(
        self, indices: Tensor, output_shape: Tensor, values: Tensor, default_value: Tensor
    ) -> Tensor:
        shape = sizes(self.name, output_shape, "output_shape")
        check_tensors(self.name, indices=indices)
        if indices.ndim > 2:
            rule = "have at most 2 axes"
            raise ValueError(
                checks.format_error(self.name, "indices", rule, f"shape {indices.shape}")
            )
        at = whole_numbers(self.name, indices, "indices", indices.ndim)
        at = at if at.ndim == 2 else at.reshape(-1, 1)
        if values.ndim == 0:
            values = repeated(values, len(at))
        if values.shape != (len(at),):
            rule = f"have the shape {(len(at),)}, one for each place"
            raise ValueError(
                checks.format_error(self.name, "values", rule, f"shape {values.shape}")
            )
        inside(self.name, "indices", at, shape)
        numbers = flat(at, shape)
        if self.validate_indices and (np.diff(numbers) <= 0).any():
            rule = "be in row-major order, each once"
            raise ValueError(checks.format_error(self.name, "indices", rule, f"{at.tolist()}"))
        count = int(np.prod(shape))
        source = np.full(count, len(at))
        source[numbers] = np.arange(len(at))
        known = both(values, repeated(default_value, 1))
        return Reshape()(taken(known, source), shape)


class SetSize(_Sparse):
    """How many different values each row along the last axis holds.

    >>> at, shape = Tensor(np.array([[0, 0], [0, 1], [2, 0]])), Tensor(np.array([3, 4]))
    >>> print(SetSize()(at, Tensor([1, 1, 4]), shape))
    [1 0 1]
    """

    validate_indices: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "validate_indices", self.validate_indices)

    def __call__(self, set_indices: Tensor, set_values: Tensor, set_shape: Tensor) -> Tensor:
        shape = sizes(self.name, set_shape, "set_shape", "int64")
        names = ("set_indices", "set_values")
        at = coordinates(self.name, names, set_indices, set_values, shape, "int64")
        rows = flat(at[:, :-1], shape[:-1]) if len(shape) > 1 else np.zeros(len(at), int)
        pairs = np.unique(np.stack([rows, set_values.asnumpy().astype(np.int64)], 1), axis=0)
        counts = np.bincount(pairs[:, 0], minlength=int(np.prod(shape[:-1])))
        return made(counts.reshape(shape[:-1]), INT32)


def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any:
    """One value for each place, the sum of all that stand there, in the order of the places."""
    return Coalesce()(x_indices, x_values, x_shape)


__all__ = [
    "Coalesce",
    "SetSize",
    "SparseConcat",
    "SparseFillEmptyRows",
    "SparseReorder",
    "SparseReshape",
    "SparseSlice",
    "SparseSplit",
    "SparseToDenseV2",
    "coalesce",
]

attach_docstrings("minispore.ops", __name__)
