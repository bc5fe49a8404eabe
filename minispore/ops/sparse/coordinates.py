"""Slicing, joining and ordering of coordinate tensors: (n, axes) indices, (n,) values and a
shape.
"""

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
    _SparseOp,
    check_coordinates,
    concat_pair,
    gather_rows,
    ravel_coordinates,
    read_coordinates,
    read_integers,
    read_shape,
    repeat_scalar,
    sum_groups,
    to_int_tensor,
    unravel_coordinates,
)
from minispore.ops.support.arguments import check_axis, check_tensor_list, check_tensors

_INDICES_AND_VALUES = ("indices", "values")


class Coalesce(_SparseOp):
    """The sum of the values of equal coordinates, in row-major order of the coordinates.

    Args:
        x_indices (Tensor): int64 (axes, n), one coordinate per column.
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
        """Return the unique coordinates (axes, m), the sums of their values, and the shape; raise
        ValueError if values or coordinates do not fit.
        """
        shape = read_shape(self.name, x_shape, "x_shape", "int64")
        points = read_integers(self.name, x_indices, "x_indices", 2, "int64").T
        check_tensors(self.name, x_values=x_values)
        if x_values.shape != points.shape[:1]:
            rule = f"have the shape {points.shape[:1]}, one for each column of x_indices"
            raise ValueError(
                checks.format_error(self.name, "x_values", rule, f"shape {x_values.shape}")
            )
        check_coordinates(self.name, "the columns of x_indices", points, shape)
        unique_indices, group = np.unique(ravel_coordinates(points, shape), return_inverse=True)
        values = sum_groups(x_values, group, len(unique_indices))
        return (
            to_int_tensor(unravel_coordinates(unique_indices, shape).T),
            values,
            to_int_tensor(shape),
        )


class SparseReorder(_SparseOp):
    """The coordinates and values in row-major order.

    >>> at = Tensor(np.array([[1, 2], [0, 1]]))
    >>> _, values = SparseReorder()(at, Tensor([1.0, 2.0]), Tensor(np.array([3, 3])))
    >>> print(values)
    [2. 1.]
    """

    def __call__(self, indices: Tensor, values: Tensor, shape: Tensor) -> Any:
        """Return the coordinates (n, axes) and values in row-major order; equal coordinates keep
        their order.

        Raises a TypeError or ValueError unless the indices are int64 within ``shape``, with one
        value each.
        """
        lengths = read_shape(self.name, shape, "shape", "int64")
        points = read_coordinates(self.name, _INDICES_AND_VALUES, indices, values, lengths, "int64")
        order = np.argsort(ravel_coordinates(points, lengths), kind="stable")
        return to_int_tensor(points[order]), gather_rows(values, order)


class SparseReshape(_SparseOp):
    """Converts coordinates to those in a tensor of a different shape, where one length may be -1.

    >>> at, shape = Tensor(np.array([[0, 1], [1, 2]])), Tensor(np.array([2, 4]))
    >>> places, found = SparseReshape()(at, shape, Tensor(np.array([4, -1])))
    >>> print(places.asnumpy().tolist(), found)
    [[0, 1], [3, 0]] [4 2]
    """

    def __call__(self, indices: Tensor, shape: Tensor, new_shape: Tensor) -> Any:
        """Return the coordinates in the new shape, and this shape with -1 resolved; raise
        ValueError if the numbers of elements differ.
        """
        source_shape = read_shape(self.name, shape, "shape", "int64")
        target = read_shape(self.name, new_shape, "new_shape", "int64")
        points = read_integers(self.name, indices, "indices", 2, "int64")
        check_coordinates(self.name, "indices", points, source_shape)
        inferred_size = int(np.prod([n for n in target if n != -1]))
        count = int(np.prod(source_shape))
        if (
            target.count(-1) > 1
            or (inferred_size and count % inferred_size)
            or (-1 not in target) > (inferred_size == count)
        ):
            rule = f"be of the {count} elements of shape {source_shape}, with at most one -1"
            raise ValueError(checks.format_error(self.name, "new_shape", rule, f"{target}"))
        result_shape = tuple(count // max(inferred_size, 1) if n == -1 else n for n in target)
        flat_indices = ravel_coordinates(points, source_shape)
        output_points = unravel_coordinates(flat_indices, result_shape)
        return to_int_tensor(output_points), to_int_tensor(result_shape)


class SparseSlice(_SparseOp):
    """The part of the block of ``size`` at ``start`` that is within the shape.

    Args:
        indices (Tensor): int64 (n, axes), the coordinates.
        values (Tensor): (n,).
        shape (Tensor): int64 (axes,).
        start (Tensor): int64 (axes,), the first coordinate of the block.
        size (Tensor): int64 (axes,), the lengths of the block.

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
        """Return the coordinates in the block, relative to ``start``, their values, and the block's
        shape; raise ValueError unless ``start`` and ``size`` have a number for each axis.
        """
        lengths = read_shape(self.name, shape, "shape", "int64")
        points = read_coordinates(self.name, _INDICES_AND_VALUES, indices, values, lengths, "int64")
        begin = np.array(read_shape(self.name, start, "start", "int64"))
        requested = np.array(read_shape(self.name, size, "size", "int64"))
        for name, numbers in (("start", begin), ("size", requested)):
            if numbers.shape != (len(lengths),):
                rule = f"hold {len(lengths)} numbers, one for each axis"
                raise ValueError(checks.format_error(self.name, name, rule, f"{numbers.tolist()}"))
        block = np.maximum(np.minimum(requested, np.array(lengths) - begin), 0)
        selected = np.flatnonzero(((points >= begin) & (points < begin + block)).all(1))
        return (
            to_int_tensor(points[selected] - begin),
            gather_rows(values, selected),
            to_int_tensor(block),
        )


class SparseSplit(_SparseOp):
    """``num_split`` parts along the axis ``split_dim``, whose lengths differ by at most one.

    Longer parts come first.

    >>> at, shape = Tensor(np.array([[0, 1], [1, 3]])), Tensor(np.array([2, 5]))
    >>> split = SparseSplit(2)(Tensor(np.int64(1)), at, Tensor([1.0, 2.0]), shape)
    >>> [part.asnumpy().tolist() for part in split[2]]
    [[2, 3], [2, 2]]
    """

    num_split: int = 1

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``num_split`` is an int of at least 1."""
        checks.integer(self.name, "num_split", self.num_split, 1)

    def __call__(self, split_dim: Tensor, indices: Tensor, values: Tensor, shape: Tensor) -> Any:
        """Return the coordinates, the values and the shapes of all parts, each as a tuple.

        Coordinates are relative to the beginning of their part.

        Raises:
            ValueError: ``split_dim`` is out of range, or the axis is shorter than ``num_split``.
        """
        lengths = read_shape(self.name, shape, "shape", "int64")
        points = read_coordinates(self.name, _INDICES_AND_VALUES, indices, values, lengths, "int64")
        axis = check_axis(self.name, int(split_dim.asnumpy().item()), len(lengths), "split_dim")
        if self.num_split > lengths[axis]:
            rule = f"be at most {lengths[axis]}, the length of the axis"
            raise ValueError(checks.format_error(self.name, "num_split", rule, f"{self.num_split}"))
        base_size, longer_count = divmod(lengths[axis], self.num_split)
        pieces = []
        begin = 0
        for i in range(self.num_split):
            size = base_size + (i < longer_count)
            selected = np.flatnonzero((points[:, axis] >= begin) & (points[:, axis] < begin + size))
            piece_points = points[selected].copy()
            piece_points[:, axis] -= begin
            piece_shape = (*lengths[:axis], size, *lengths[axis + 1 :])
            piece_values = gather_rows(values, selected)
            pieces.append((to_int_tensor(piece_points), piece_values, to_int_tensor(piece_shape)))
            begin += size
        return tuple(zip(*pieces, strict=True))


class SparseConcat(_SparseOp):
    """Coordinate tensors concatenated along ``concat_dim``, with values in row-major order.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([3, 4]))
    >>> op, x = SparseConcat(1), Tensor([1.0])
    >>> places, values, _ = op((at, at), (x, x * 2), (shape, shape))
    >>> print(places.asnumpy().tolist(), values)
    [[0, 1], [0, 5]] [1. 2.]
    """

    concat_dim: int = 0

    def check(self) -> None:
        """Raise a TypeError unless ``concat_dim`` is an int."""
        checks.integer(self.name, "concat_dim", self.concat_dim)

    def __call__(self, sp_input_indices: Any, sp_input_values: Any, sp_input_shapes: Any) -> Any:
        """Return coordinates, values and shape of the result.

        Raises:
            TypeError: an input is not a list or tuple of Tensors.
            ValueError: there are fewer than 2 tensors, or their shapes differ along another axis.
        """
        values = check_tensor_list(self.name, sp_input_values, "sp_input_values")
        all_indices = check_tensor_list(self.name, sp_input_indices, "sp_input_indices")
        shapes = [
            read_shape(self.name, s, "sp_input_shapes", "int64")
            for s in check_tensor_list(self.name, sp_input_shapes, "sp_input_shapes")
        ]
        if not 1 < len(values) == len(all_indices) == len(shapes):
            raise ValueError(
                f"{self.name}: sp_input_indices, sp_input_values and sp_input_shapes must hold as "
                f"many tensors, at least 2, got {len(all_indices)}, {len(values)} and "
                f"{len(shapes)}."
            )
        axis = check_axis(self.name, self.concat_dim, len(shapes[0]), "concat_dim")
        all_points = []
        begin = 0
        for indices, value, shape in zip(all_indices, values, shapes, strict=True):
            other_lengths = (shape[:axis], shape[axis + 1 :])
            if other_lengths != (shapes[0][:axis], shapes[0][axis + 1 :]):
                raise ValueError(
                    f"{self.name}: sp_input_shapes must be equal but along axis {axis}, got "
                    f"{shapes}."
                )
            names = ("sp_input_indices", "sp_input_values")
            points = read_coordinates(self.name, names, indices, value, shape, "int64").copy()
            points[:, axis] += begin
            all_points.append(points)
            begin += shape[axis]
        output_shape = (*shapes[0][:axis], begin, *shapes[0][axis + 1 :])
        points = np.concatenate(all_points)
        order = np.argsort(ravel_coordinates(points, output_shape), kind="stable")
        return (
            to_int_tensor(points[order]),
            gather_rows(Concat(0)(values), order),
            to_int_tensor(output_shape),
        )


class SparseFillEmptyRows(_SparseOp):
    """A coordinate matrix whose empty rows get ``default_value`` in their first column.

    The third output is True for rows that were empty, the fourth has the new index of each old
    value.

    >>> at, shape = Tensor(np.array([[1, 0]])), Tensor(np.array([2, 3]))
    >>> out = SparseFillEmptyRows()(at, Tensor([1.0]), shape, Tensor(9.0))
    >>> print(out[0].asnumpy().tolist(), out[1], out[2])
    [[0, 0], [1, 0]] [9. 1.] [ True False]
    """

    def __call__(
        self, indices: Tensor, values: Tensor, dense_shape: Tensor, default_value: Tensor
    ) -> Any:
        """Return coordinates and values by rows, a mask of the rows that were empty, and the new
        index of each input value; raise ValueError unless the shape has 2 axes.
        """
        lengths = read_shape(self.name, dense_shape, "dense_shape", "int64")
        if len(lengths) != 2:
            rule = "hold 2 lengths"
            raise ValueError(checks.format_error(self.name, "dense_shape", rule, f"{lengths}"))
        points = read_coordinates(self.name, _INDICES_AND_VALUES, indices, values, lengths, "int64")
        is_empty = np.bincount(points[:, 0], minlength=lengths[0]) == 0
        empty_rows = np.flatnonzero(is_empty)
        rows = np.concatenate([points[:, 0], empty_rows])
        order = np.argsort(rows, kind="stable")
        filled_points = np.concatenate(
            [points, np.stack([empty_rows, np.zeros_like(empty_rows)], 1)]
        )[order]
        inverse_order = np.argsort(order, kind="stable")[: len(points)]
        all_values = values
        if len(empty_rows):
            all_values = concat_pair(values, repeat_scalar(default_value, len(empty_rows)))
        return (
            to_int_tensor(filled_points),
            gather_rows(all_values, order),
            Tensor(is_empty),
            to_int_tensor(inverse_order),
        )


class SparseToDenseV2(_SparseOp):
    """A dense tensor of ``values`` at their coordinates and ``default_value`` elsewhere.

    Args:
        validate_indices: raise for coordinates that are out of order or repeated.

    >>> at, shape = Tensor([[0, 1]]), Tensor([2, 2])
    >>> print(SparseToDenseV2()(at, shape, Tensor([5.0]), Tensor(7.0)))
    [[7. 5.]
     [7. 7.]]
    """

    validate_indices: bool = True

    def check(self) -> None:
        """Raise a TypeError unless ``validate_indices`` is a bool."""
        checks.boolean(self.name, "validate_indices", self.validate_indices)

    def __call__(
        self, indices: Tensor, output_shape: Tensor, values: Tensor, default_value: Tensor
    ) -> Tensor:
        """Return the dense tensor.

        Indices may have 0 or 1 axes for an output of one axis; a 0-d value is used for all of them.

        Raises:
            ValueError: the shapes do not fit; a coordinate is out of range, or with
                ``validate_indices`` out of order or repeated.
        """
        shape = read_shape(self.name, output_shape, "output_shape")
        check_tensors(self.name, indices=indices)
        if indices.ndim > 2:
            rule = "have at most 2 axes"
            raise ValueError(
                checks.format_error(self.name, "indices", rule, f"shape {indices.shape}")
            )
        points = read_integers(self.name, indices, "indices", indices.ndim)
        points = points if points.ndim == 2 else points.reshape(-1, 1)
        if values.ndim == 0:
            values = repeat_scalar(values, len(points))
        if values.shape != (len(points),):
            rule = f"have the shape {(len(points),)}, one for each place"
            raise ValueError(
                checks.format_error(self.name, "values", rule, f"shape {values.shape}")
            )
        check_coordinates(self.name, "indices", points, shape)
        flat_indices = ravel_coordinates(points, shape)
        if self.validate_indices and (np.diff(flat_indices) <= 0).any():
            rule = "be in row-major order, each once"
            raise ValueError(checks.format_error(self.name, "indices", rule, f"{points.tolist()}"))
        count = int(np.prod(shape))
        source = np.full(count, len(points))
        source[flat_indices] = np.arange(len(points))
        all_values = concat_pair(values, repeat_scalar(default_value, 1))
        return Reshape()(gather_rows(all_values, source), shape)


class SetSize(_SparseOp):
    """The number of distinct values in each row along the last axis.

    >>> at, shape = Tensor(np.array([[0, 0], [0, 1], [2, 0]])), Tensor(np.array([3, 4]))
    >>> print(SetSize()(at, Tensor([1, 1, 4]), shape))
    [1 0 1]
    """

    validate_indices: bool = True

    def check(self) -> None:
        """Raise a TypeError unless ``validate_indices`` is a bool."""
        checks.boolean(self.name, "validate_indices", self.validate_indices)

    def __call__(self, set_indices: Tensor, set_values: Tensor, set_shape: Tensor) -> Tensor:
        """Return the counts as int32, in the shape without its last axis; a shape of one axis is a
        single row.
        """
        shape = read_shape(self.name, set_shape, "set_shape", "int64")
        names = ("set_indices", "set_values")
        points = read_coordinates(self.name, names, set_indices, set_values, shape, "int64")
        if len(shape) > 1:
            rows = ravel_coordinates(points[:, :-1], shape[:-1])
        else:
            rows = np.zeros(len(points), int)
        values = set_values.asnumpy().astype(np.int64)
        unique_values = np.unique(np.stack([rows, values], 1), axis=0)  # values with their rows
        counts = np.bincount(unique_values[:, 0], minlength=int(np.prod(shape[:-1])))
        return to_int_tensor(counts.reshape(shape[:-1]), INT32)


def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any:
    """Return the sums of the values of equal coordinates, in row-major order of the coordinates.

    Args:
        x_indices (Tensor): int64 (axes, n), one coordinate per column.
        x_values (Tensor): (n,).
        x_shape (Tensor): int64 (axes,).

    Returns:
        ``(indices, values, shape)``: (axes, m), (m,) and (axes,).
    """
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
