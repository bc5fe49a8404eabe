"""Where the rows of a sparse matrix begin, and the row of each of its values."""

from __future__ import annotations

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.statistics.sort import SearchSorted


def _bounds(op: str, argument: str, places: Tensor) -> Tensor:
    if not isinstance(places, Tensor):
        raise TypeError(f"{op}: {argument} must be a Tensor, got {checks.format_value(places)}.")
    if places.dtype != mstype.int32:
        raise TypeError(f"{op}: {argument} must be int32, got {places.dtype}. Cast it.")
    if places.ndim != 1:
        raise ValueError(f"{op}: {argument} must have one axis, got shape {places.shape}.")
    return places


def _length(op: str, argument: str, given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ValueError(f"{op}: {argument} must be an int from 0 on, got {given!r}.")
    return given


def coo2csr(row_indices: Tensor, height: int) -> Tensor:
    """Where each row begins, and where the last one ends, from the row of each value.

    Args:
        row_indices (Tensor): the row of each value, (n,), int32, in order.
        height (int): how many rows there are.

    Returns:
        Tensor, (height + 1,), int32.

    Raises:
        TypeError: ``row_indices`` is no Tensor of int32.
        ValueError: ``height`` is no int from 0 on.

    >>> print(coo2csr(Tensor([0, 0, 1, 3], mstype.int32), 4))
    [0 2 3 3 4]
    """
    rows = _bounds("coo2csr", "row_indices", row_indices)
    starts = Tensor(np.arange(_length("coo2csr", "height", height) + 1, dtype=np.int32))
    return SearchSorted(mstype.int32)(rows, starts)


def csr2coo(indptr: Tensor, nnz: int) -> Tensor:
    """The row of each value, from where each row begins and the last one ends.

    Args:
        indptr (Tensor): where rows begin and the last one ends, (rows + 1,), int32.
        nnz (int): how many values there are.

    Returns:
        Tensor, (nnz,), int32.

    Raises:
        TypeError: ``indptr`` is no Tensor of int32.
        ValueError: ``nnz`` is no int from 0 on.

    >>> print(csr2coo(Tensor([0, 2, 3, 3, 4], mstype.int32), 4))
    [0 0 1 3]
    """
    bounds = _bounds("csr2coo", "indptr", indptr)
    values = Tensor(np.arange(_length("csr2coo", "nnz", nnz), dtype=np.int32))
    return SearchSorted(mstype.int32, right=True)(bounds[1:], values)


__all__ = ["coo2csr", "csr2coo"]

attach_docstrings("minispore.ops", __name__)
