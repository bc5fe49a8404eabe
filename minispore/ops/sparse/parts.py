"""Shared helpers of operators on coordinates and values.

Coordinates are known only when an op runs, so these ops cannot be part of a graph. The values pass
through differentiable ops, so gradients of any order flow through them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.index.gather import Gather
from minispore.ops.index.segment import UnsortedSegmentSum
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_dtype, check_tensors
from minispore.ops.support.derive import _Composite

INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)


class _SparseOp(_Composite):
    """Base of ops whose output shape depends on coordinates, which are values of inputs."""

    dynamic = True


def read_integers(api_name: str, x: Any, name: str, ndim: int, *dtypes: str) -> np.ndarray:
    """Return the array of an integer tensor with ``ndim`` axes.

    Raises:
        TypeError: it is not a tensor, or its dtype is not one of ``dtypes``, by default int32 and
            int64.
        ValueError: it has a different number of axes.
    """
    check_tensors(api_name, **{name: x})
    check_dtype(api_name, x.value_.spec, name, *(dtypes or ("int32", "int64")))
    if x.ndim != ndim:
        raise ValueError(
            checks.format_error(api_name, name, f"have {ndim} axes", f"shape {x.shape}")
        )
    return x.asnumpy()


def read_shape(api_name: str, x: Any, name: str, *dtypes: str) -> tuple[int, ...]:
    """Return a shape that is passed as a 1-D integer tensor, or as a tuple or list of ints.

    Raises:
        TypeError: it is neither, or the dtype of the tensor is not one of ``dtypes``.
        ValueError: the tensor has a different number of axes.
    """
    if isinstance(x, tuple | list) and not any(isinstance(n, Tensor) for n in x):
        return tuple(checks.integer(api_name, name, n) for n in x)
    return tuple(read_integers(api_name, x, name, 1, *dtypes).tolist())


def read_coordinates(
    api_name: str,
    names: tuple[str, str],
    indices: Any,
    values: Any,
    shape: tuple[int, ...],
    *dtypes: str,
) -> np.ndarray:
    """Return the coordinates (n, axes) of ``values`` (n,) in a tensor of ``shape``.

    ``names`` are those of indices and values in errors, ``dtypes`` the allowed ones of indices.

    Raises:
        TypeError: the coordinates are not integers, or the values are not a tensor.
        ValueError: the shapes do not fit, or a coordinate is outside ``shape``.
    """
    points = read_integers(api_name, indices, names[0], 2, *dtypes)
    check_tensors(api_name, **{names[1]: values})
    if values.shape != points.shape[:1]:
        rule = f"have the shape {points.shape[:1]}, one for each place"
        raise ValueError(checks.format_error(api_name, names[1], rule, f"shape {values.shape}"))
    check_coordinates(api_name, names[0], points, shape)
    return points


def check_coordinates(api_name: str, name: str, points: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless each row of ``points`` (n, axes) is a coordinate within ``shape``."""
    if points.shape[1] != len(shape):
        rule = f"hold {len(shape)} numbers for each place, one for each axis of {shape}"
        raise ValueError(checks.format_error(api_name, name, rule, f"shape {points.shape}"))
    if points.size and not ((points >= 0) & (points < np.array(shape))).all():
        invalid_point = points[((points < 0) | (points >= np.array(shape))).any(1)][0].tolist()
        raise ValueError(
            checks.format_error(
                api_name, name, f"be places in the shape {shape}", f"{invalid_point}"
            )
        )


def ravel_coordinates(points: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the flat, row-major index of each coordinate (n, axes), as int64 (n,).

    Coordinates with no axes give index 0.
    """
    if not points.size:
        return np.zeros(len(points), INT64)
    return np.ravel_multi_index(tuple(points.T), shape)


def unravel_coordinates(flat_indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the coordinates (n, axes) of flat indices, the inverse of
    :func:`ravel_coordinates`.
    """
    return np.stack(np.unravel_index(flat_indices, shape), 1).reshape(-1, len(shape))


def gather_rows(values: Tensor, rows: np.ndarray) -> Tensor:
    """Return the elements of ``values`` at the indices ``rows`` along the first axis,
    differentiably.
    """
    return Gather()(values, Tensor(rows.astype(INT64)), 0)


def sum_groups(values: Tensor, groups: np.ndarray, count: int) -> Tensor:
    """Return the sum of the values of each of ``count`` groups, differentiably; ``groups`` has the
    group of each value.
    """
    if not count:
        return gather_rows(values, np.zeros(0, INT64))
    return UnsortedSegmentSum()(values, Tensor(groups.astype(INT64)), count)


def concat_pair(a: Tensor, b: Tensor) -> Tensor:
    """Concatenate two tensors along the first axis."""
    return Concat(0)((a, b))


def repeat_scalar(number: Tensor, count: int) -> Tensor:
    """Return a vector of ``count`` times the one-element tensor ``number``; differentiable."""
    return gather_rows(Reshape()(number, (1,)), np.zeros(count, INT64))


def to_int_tensor(array: Any, dtype: Any = INT64) -> Tensor:
    """Convert an array or a sequence of ints to a tensor of an integer dtype."""
    return Tensor(np.asarray(array, dtype))


__all__: list[str] = []
