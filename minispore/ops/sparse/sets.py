"""Set operations on the rows of two tensors: difference, intersection, union."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.sparse.parts import (
    _SparseOp,
    ravel_coordinates,
    read_coordinates,
    read_shape,
    to_int_tensor,
    unravel_coordinates,
)
from minispore.ops.support.arguments import check_dtype

_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16")
_OPERATIONS = {
    "a-b": lambda a, b: a & ~b,
    "b-a": lambda a, b: b & ~a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


class _SetOperation(_SparseOp):
    """Base of set operations: sets are (row, value) pairs, unique and sorted."""

    set_operation: str = "a-b"
    validate_indices: bool = True

    def check(self) -> None:
        """Raise a TypeError or ValueError unless the operation, in any case, is a known one and
        ``validate_indices`` is a bool.
        """
        operation = checks.string(self.name, "set_operation", self.set_operation)
        checks.one_of(self.name, "set_operation", operation.lower(), tuple(_OPERATIONS))
        checks.boolean(self.name, "validate_indices", self.validate_indices)

    def _flatten_values(self, name: str, x: Tensor, axes: int) -> np.ndarray:
        """Return the flat values of an integer tensor.

        Raises:
            TypeError: its dtype is not one of ``_DTYPES``.
            ValueError: it has fewer than ``axes`` axes.
        """
        check_dtype(self.name, x.value_.spec, name, *_DTYPES)
        if x.ndim < axes:
            rule = f"have {axes} axes or more"
            raise ValueError(checks.format_error(self.name, name, rule, f"shape {x.shape}"))
        return x.asnumpy().reshape(-1)

    def _check_alike(self, property_name: str, x1_value: Any, x2_value: Any) -> None:
        """Raise TypeError (for the property "dtype") or ValueError unless both values of a property
        are equal.
        """
        if x1_value != x2_value:
            raise (TypeError if property_name == "dtype" else ValueError)(
                f"{self.name}: x1 and x2 must be alike in their {property_name}, got {x1_value} "
                f"and {x2_value}."
            )

    def _make_pairs(self, name: str, x: Tensor) -> np.ndarray:
        """Return the (row, value) pairs (n, 2) of a dense integer tensor, whose rows extend along
        the last axis; raise unless it has 2 axes.
        """
        values, width = self._flatten_values(name, x, 2), max(x.shape[-1], 1)
        return np.stack([np.arange(values.size) // width, values.astype(np.int64)], 1)

    def _apply_operation(
        self, a: np.ndarray, b: np.ndarray, row_shape: tuple[int, ...], dtype: Any
    ) -> Any:
        """Return indices, values and shape of the set operation on two arrays of pairs (n, 2).

        Args:
            a: pairs of a flat row index and a value.
            b: the same for the second operand.
            row_shape: the shape of the axes that the flat row index counts.
            dtype: of the values.

        Returns:
            The coordinates, with the position within the row last; the values, sorted within each
            row; and ``row_shape`` with the size of the largest set.
        """
        pairs, pair_index = np.unique(np.concatenate([a, b]), axis=0, return_inverse=True)
        membership = np.zeros((2, len(pairs)), bool)
        membership[0, pair_index.reshape(-1)[: len(a)]] = True
        membership[1, pair_index.reshape(-1)[len(a) :]] = True
        rows, values = pairs[_OPERATIONS[self.set_operation.lower()](*membership)].T
        counts = np.bincount(rows, minlength=1)
        positions = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
        indices = np.concatenate([unravel_coordinates(rows, row_shape), positions[:, None]], 1)
        numpy_dtype = mstype.to_numpy(dtype)
        return (
            to_int_tensor(indices),
            to_int_tensor(values, numpy_dtype),
            to_int_tensor((*row_shape, counts.max())),
        )


class DenseToDenseSetOperation(_SetOperation):
    """The difference, intersection or union of the rows of two tensors along their last axes.

    Args:
        set_operation (str): ``"a-b"``, ``"b-a"``, ``"intersection"`` or ``"union"``.
        validate_indices (bool): stored as an attribute, without effect.
        x1 (Tensor): (..., M), int8 to int64, uint8 or uint16.
        x2 (Tensor): (..., N), of the same dtype.

    Returns:
        tuple of Tensors: the coordinates (n, axes), the values (n,), and the shape, whose last
        length is that of the largest set.

    Raises:
        TypeError: an argument has the wrong type or dtype.
        ValueError: the shapes differ before the last axis, or have only one axis.

    >>> made = DenseToDenseSetOperation()(Tensor([[1, 2], [3, 3]]), Tensor([[2, 2], [4, 5]]))
    >>> print(made[0].asnumpy().tolist(), made[1], made[2])
    [[0, 0], [1, 0]] [1 3] [2 1]
    """

    def __call__(self, x1: Tensor, x2: Tensor) -> Any:
        """Check that dtypes and rows agree, and return indices, values and shape of the
        operation.
        """
        a, b = self._make_pairs("x1", x1), self._make_pairs("x2", x2)
        self._check_alike("dtype", x1.dtype, x2.dtype)
        self._check_alike("shape but for the last axis", x1.shape[:-1], x2.shape[:-1])
        return self._apply_operation(a, b, x1.shape[:-1], x1.dtype)


class DenseToSparseSetOperation(_SetOperation):
    """:class:`DenseToDenseSetOperation` whose second input is a coordinate tensor.

    Args:
        set_operation (str): ``"a-b"``, ``"b-a"``, ``"intersection"`` or ``"union"``.
        validate_indices (bool): stored as an attribute, without effect.
        x1 (Tensor): (..., M), int8 to int64, uint8 or uint16.
        x2_indices (Tensor): int64 (n, axes), the coordinates.
        x2_values (Tensor): (n,), of the dtype of x1.
        x2_shape (Tensor): int64 (axes,).

    Returns:
        tuple of Tensors: the coordinates (n, axes), the values (n,), and the shape.

    Raises:
        TypeError: an argument has the wrong type or dtype.
        ValueError: the shapes differ before the last axis, or a coordinate is out of range.

    >>> at, shape = Tensor(np.array([[0, 0], [1, 2]])), Tensor(np.array([2, 3]))
    >>> made = DenseToSparseSetOperation("union")(Tensor([[1], [3]]), at, Tensor([2, 3]), shape)
    >>> print(made[0].asnumpy().tolist(), made[1], made[2])
    [[0, 0], [0, 1], [1, 0]] [1 2 3] [2 2]
    """

    def __call__(self, x1: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor) -> Any:
        """Check that dtypes and rows agree, and return indices, values and shape of the
        operation.
        """
        a, values = self._make_pairs("x1", x1), self._flatten_values("x2_values", x2_values, 1)
        self._check_alike("dtype", x1.dtype, x2_values.dtype)
        shape = read_shape(self.name, x2_shape, "x2_shape", "int64")
        self._check_alike("shape but for the last axis", x1.shape[:-1], shape[:-1])
        names = ("x2_indices", "x2_values")
        points = read_coordinates(self.name, names, x2_indices, x2_values, shape, "int64")
        b = np.stack([ravel_coordinates(points[:, :-1], shape[:-1]), values.astype(np.int64)], 1)
        return self._apply_operation(a, b, x1.shape[:-1], x1.dtype)


__all__ = ["DenseToDenseSetOperation", "DenseToSparseSetOperation"]

attach_docstrings("minispore.ops", __name__)
