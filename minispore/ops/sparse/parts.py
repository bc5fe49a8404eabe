"""What ops of places and values share: they read the places, and move values by them.

Places are known only when an op runs, so these ops are no part of a graph. What becomes of the
values is said in ops, so gradients of any order flow through them.
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

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


class _Sparse(_Composite):
    """An op whose output depends on places, so on values of its inputs."""

    dynamic = True


def whole_numbers(op: str, x: Any, name: str, axes: int, *known: str) -> np.ndarray:
    """The array of ``x``, a tensor of whole numbers with ``axes`` axes.

    Raises:
        TypeError: it is none, or not of one of the dtypes ``known``.
        ValueError: it has other axes.
    """
    check_tensors(op, **{name: x})
    check_dtype(op, x.value_.spec, name, *(known or ("int32", "int64")))
    if x.ndim != axes:
        raise ValueError(checks.format_error(op, name, f"have {axes} axes", f"shape {x.shape}"))
    return x.asnumpy()


def sizes(op: str, x: Any, name: str, *known: str) -> tuple[int, ...]:
    """A shape, given as a tensor of one axis or as a tuple of ints."""
    if isinstance(x, tuple | list) and not any(isinstance(n, Tensor) for n in x):
        return tuple(checks.integer(op, name, n) for n in x)
    return tuple(whole_numbers(op, x, name, 1, *known).tolist())


def coordinates(
    op: str, names: tuple[str, str], indices: Any, values: Any, shape: tuple[int, ...], *known: str
) -> np.ndarray:
    """The places (n, axes) of ``values`` (n,) in a tensor of ``shape``.

    Raises:
        TypeError: the places are no whole numbers, or the values no tensor.
        ValueError: the shapes do not fit, or a place lies outside.
    """
    at = whole_numbers(op, indices, names[0], 2, *known)
    check_tensors(op, **{names[1]: values})
    if values.shape != at.shape[:1]:
        rule = f"have the shape {at.shape[:1]}, one for each place"
        raise ValueError(checks.format_error(op, names[1], rule, f"shape {values.shape}"))
    inside(op, names[0], at, shape)
    return at


def inside(op: str, name: str, at: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise a ValueError unless each row of ``at`` is a place in ``shape``."""
    if at.shape[1] != len(shape):
        rule = f"hold {len(shape)} numbers for each place, one for each axis of {shape}"
        raise ValueError(checks.format_error(op, name, rule, f"shape {at.shape}"))
    if at.size and not ((at >= 0) & (at < np.array(shape))).all():
        wrong = at[((at < 0) | (at >= np.array(shape))).any(1)][0].tolist()
        raise ValueError(
            checks.format_error(op, name, f"be places in the shape {shape}", f"{wrong}")
        )


def flat(at: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The number of each place, in row-major order."""
    return np.ravel_multi_index(tuple(at.T), shape) if at.size else np.zeros(len(at), INT64)


def unflat(numbers: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of :func:`flat`, (n, axes)."""
    return np.stack(np.unravel_index(numbers, shape), 1).reshape(-1, len(shape))


def taken(values: Tensor, rows: np.ndarray) -> Tensor:
    """``values`` at ``rows``."""
    return Gather()(values, Tensor(rows.astype(INT64)), 0)


def summed(values: Tensor, groups: np.ndarray, count: int) -> Tensor:
    """The sums of the values of each of ``count`` groups."""
    if not count:
        return taken(values, np.zeros(0, INT64))
    return UnsortedSegmentSum()(values, Tensor(groups.astype(INT64)), count)


def both(a: Tensor, b: Tensor) -> Tensor:
    """The one behind the other."""
    return Concat(0)((a, b))


def repeated(number: Tensor, count: int) -> Tensor:
    """A tensor of one element, ``count`` times."""
    return taken(Reshape()(number, (1,)), np.zeros(count, INT64))


def made(array: Any, dtype: Any = INT64) -> Tensor:
    """A tensor of whole numbers."""
    return Tensor(np.asarray(array, dtype))


__all__: list[str] = []
