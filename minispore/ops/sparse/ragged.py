"""Ragged tensors: rows of different lengths, stored as row splits and concatenated elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.shape.views import Reshape, broadcast_to
from minispore.ops.sparse.parts import (
    _SparseOp,
    concat_pair,
    gather_rows,
    read_integers,
    read_shape,
    to_int_tensor,
)
from minispore.ops.support.arguments import check_dtype, check_tensor_list, check_tensors


def _check_splits(api_name: str, name: str, splits: np.ndarray, count: int) -> np.ndarray:
    """Return ``splits``, the row splits of ``count`` elements: where each row begins, and the end.

    Raises:
        ValueError: the splits do not begin with 0, decrease, or do not end with ``count``.
    """
    if not len(splits) or splits[0] or (np.diff(splits) < 0).any() or splits[-1] != count:
        raise ValueError(
            checks.format_error(api_name, name, f"grow from 0 to {count}", f"{splits.tolist()}")
        )
    return splits


class RaggedRange(_SparseOp):
    """The ranges from ``starts`` up to ``limits`` in steps of ``deltas``, as a ragged tensor.

    Args:
        Tsplits: dtype of the splits, int32 or int64.
        starts (Tensor): int32, int64, float32 or float64, (n,) or ().
        limits (Tensor): same shape and dtype; exclusive ends of the ranges.
        deltas (Tensor): same shape and dtype, not 0.

    Returns:
        ``(splits, elements)``: where each sequence begins, (n + 1,), and the elements.

    >>> splits, numbers = RaggedRange(mstype.int64)(Tensor([2, 5]), Tensor([4, 6]), Tensor([1, 1]))
    >>> print(splits, numbers)
    [0 2 3] [2 3 5]
    """

    Tsplits: Any

    def check(self) -> None:
        """Raise a ValueError unless ``Tsplits`` is int32 or int64."""
        checks.one_of(self.name, "Tsplits", self.Tsplits, (mstype.int32, mstype.int64))

    def __call__(self, starts: Tensor, limits: Tensor, deltas: Tensor) -> Any:
        """Return the row splits and the concatenated numbers of all ranges; raise ValueError if a
        step is 0.
        """
        check_tensors(self.name, starts=starts, limits=limits, deltas=deltas)
        check_dtype(self.name, starts.value_.spec, "starts", "int32", "int64", "float32", "float64")
        for name, x in (("limits", limits), ("deltas", deltas)):
            if x.shape != starts.shape or x.ndim > 1:
                rule = f"have the shape {starts.shape} of starts, one axis or none"
                raise ValueError(checks.format_error(self.name, name, rule, f"{x.shape}"))
            if x.dtype != starts.dtype:
                rule = f"be of the dtype {starts.dtype} of starts"
                raise TypeError(checks.format_error(self.name, name, rule, f"{x.dtype}"))
        start, limit, step = (np.atleast_1d(x.asnumpy()) for x in (starts, limits, deltas))
        if (step == 0).any():
            raise ValueError(
                checks.format_error(self.name, "deltas", "not be 0", f"{step.tolist()}")
            )
        counts = np.maximum(np.ceil((limit - start) / step), 0).astype(np.int64)
        splits = np.concatenate([[0], counts.cumsum()])
        position = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
        numbers = np.repeat(start, counts)
        steps = np.repeat(step, counts)
        for _ in range(int(counts.max(initial=0))):  # repeated addition, to round like a loop
            is_pending = position > 0
            numbers = np.where(is_pending, numbers + steps, numbers)
            position = position - 1
        return to_int_tensor(splits, mstype.to_numpy(self.Tsplits)), Tensor(numbers, starts.dtype)


class RaggedTensorToSparse(_SparseOp):
    """A ragged tensor as a coordinate tensor: its indices, values and shape.

    Args:
        Tsplits: dtype of the splits, int32 or int64.

    >>> splits = [Tensor(np.array([0, 2, 3]))]
    >>> places, values, shape = RaggedTensorToSparse(mstype.int64)(splits, Tensor([5, 6, 7]))
    >>> print(places.asnumpy().tolist(), shape)
    [[0, 0], [0, 1], [1, 0]] [2 2]
    """

    Tsplits: Any

    def check(self) -> None:
        """Raise a ValueError unless ``Tsplits`` is int32 or int64."""
        checks.one_of(self.name, "Tsplits", self.Tsplits, (mstype.int32, mstype.int64))

    def __call__(self, rt_nested_splits: Any, rt_dense_values: Tensor) -> Any:
        """Return the coordinates, the flat values and the smallest shape that holds all rows.

        ``rt_nested_splits`` holds the row splits of each ragged axis, the outermost first.

        Raises:
            TypeError: an input is not a Tensor, or splits are not integers.
            ValueError: splits do not ascend from 0 to the number of elements, or there are none.
        """
        nested = check_tensor_list(self.name, rt_nested_splits, "rt_nested_splits")
        if not nested:
            raise ValueError(f"{self.name}: rt_nested_splits must hold 1 tensor or more, got none.")
        check_tensors(self.name, rt_dense_values=rt_dense_values)
        if not rt_dense_values.ndim:
            rule = "have an axis"
            raise ValueError(checks.format_error(self.name, "rt_dense_values", rule, "shape ()"))
        arrays = [read_integers(self.name, x, "rt_nested_splits", 1) for x in nested]
        counts = [len(a) - 1 for a in arrays[1:]] + [rt_dense_values.shape[0]]
        points = np.zeros((len(arrays[0]) - 1, 1), np.int64)
        points[:, 0] = np.arange(len(points))
        shape = [len(points)]
        for splits, count in zip(arrays, counts, strict=True):
            row_sizes = np.diff(_check_splits(self.name, "rt_nested_splits", splits, count))
            column = np.arange(count) - np.repeat(splits[:-1], row_sizes)
            points = np.concatenate([np.repeat(points, row_sizes, axis=0), column[:, None]], 1)
            shape.append(int(row_sizes.max(initial=0)))
        inner_shape = rt_dense_values.shape[1:]
        if inner_shape:
            inner_points = np.indices(inner_shape).reshape(len(inner_shape), -1).T
            points = np.concatenate(
                [
                    np.repeat(points, len(inner_points), axis=0),
                    np.tile(inner_points, (len(points), 1)),
                ],
                1,
            )
        values = Reshape()(rt_dense_values, (-1,))
        return to_int_tensor(points), values, to_int_tensor([*shape, *inner_shape])


class RaggedTensorToTensor(_SparseOp):
    """A ragged tensor as a dense tensor of ``shape``; rows are cropped or padded with
    ``default_value``.

    Args:
        row_partition_types: the kind of each of ``row_partition_tensors``: "ROW_SPLITS" holds where
            rows begin, "VALUE_ROWIDS" the row of each element. If the first partition is one of row
            ids, "FIRST_DIM_SIZE" precedes it and holds the number of rows. Any other order raises
            a ValueError.

    >>> splits = (Tensor(np.array([0, 2, 3])),)
    >>> op, shape = RaggedTensorToTensor(["ROW_SPLITS"]), Tensor(np.array([2, 2]))
    >>> print(op(shape, Tensor([5, 6, 7]), Tensor(0), splits))
    [[5 6]
     [7 0]]
    """

    row_partition_types: Any

    def check(self) -> None:
        """Raise a TypeError or ValueError unless the types are known names, "FIRST_DIM_SIZE" is
        only the first, and "VALUE_ROWIDS" is not.
        """
        types = self.row_partition_types
        names = ("ROW_SPLITS", "VALUE_ROWIDS", "FIRST_DIM_SIZE")
        if not isinstance(types, tuple) or not types:
            rule = "be a list of names"
            raise TypeError(
                checks.format_error(self.name, "row_partition_types", rule, f"{types!r}")
            )
        for type_name in types:
            checks.one_of(self.name, "row_partition_types", type_name, names)
        if types[0] == "VALUE_ROWIDS" or "FIRST_DIM_SIZE" in types[1:]:
            rule = "begin with 'FIRST_DIM_SIZE' before 'VALUE_ROWIDS', or hold none"
            raise ValueError(
                checks.format_error(self.name, "row_partition_types", rule, f"{types}")
            )

    def __call__(
        self, shape: Tensor, values: Tensor, default_value: Tensor, row_partition_tensors: Any
    ) -> Tensor:
        """Return the dense tensor of ``shape``: values outside it are left out, and missing
        elements are ``default_value``.

        Raises:
            TypeError: ``row_partition_tensors`` is not a list or tuple of Tensors.
            ValueError: the partitions do not fit the types, the values or each other; or the number
                of axes of ``shape`` is wrong.
        """
        output_shape = read_shape(self.name, shape, "shape")
        tensors = check_tensor_list(self.name, row_partition_tensors, "row_partition_tensors")
        arrays = [x.asnumpy() for x in tensors]
        types = list(self.row_partition_types)
        if len(arrays) != len(types):
            rule = f"hold {len(types)} tensors, one for each type"
            raise ValueError(
                checks.format_error(self.name, "row_partition_tensors", rule, f"{len(arrays)}")
            )
        rows = None
        if types[0] == "FIRST_DIM_SIZE":
            rows, types, arrays = int(arrays[0].item()), types[1:], arrays[1:]
        if len(output_shape) != len(types) + values.ndim:
            rule = f"hold {len(types) + values.ndim} lengths"
            raise ValueError(checks.format_error(self.name, "shape", rule, f"{output_shape}"))
        rows = len(arrays[0]) - 1 if rows is None else rows
        points = np.arange(rows)[:, None]
        for type_name, partition in zip(types, arrays, strict=True):
            ids = partition
            if "SPLITS" in type_name:
                ids = np.repeat(np.arange(len(partition) - 1), np.diff(partition))
            if len(ids) and (ids.max() >= len(points) or (np.diff(ids) < 0).any()):
                rule = f"name rows in order, below {len(points)}"
                raise ValueError(
                    checks.format_error(
                        self.name, "row_partition_tensors", rule, f"{partition.tolist()}"
                    )
                )
            begins = np.searchsorted(ids, np.arange(len(points)))
            points = np.concatenate([points[ids], (np.arange(len(ids)) - begins[ids])[:, None]], 1)
        row_shape, inner_shape = output_shape[: len(types) + 1], output_shape[len(types) + 1 :]
        if inner_shape != values.shape[1:] or len(points) != values.shape[0]:
            rule = f"be {len(points)} elements of shape {inner_shape}"
            raise ValueError(
                checks.format_error(self.name, "values", rule, f"shape {values.shape}")
            )
        selected = np.flatnonzero((points < np.array(row_shape)).all(1))
        source = np.full(row_shape, values.shape[0])
        source[tuple(points[selected].T)] = selected
        padding = broadcast_to(default_value, (1, *inner_shape))
        return Reshape()(
            gather_rows(concat_pair(values, padding), source.reshape(-1)), output_shape
        )


__all__ = ["RaggedRange", "RaggedTensorToSparse", "RaggedTensorToTensor"]

attach_docstrings("minispore.ops", __name__)
