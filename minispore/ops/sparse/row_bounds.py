"""Conversions between CSR row pointers and COO row indices."""

from __future__ import annotations

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.statistics.sort import SearchSorted


def _check_int32_vector(api_name: str, argument: str, x: Tensor) -> Tensor:
    """Return ``x``, the argument named ``argument``, if it is a 1-D int32 Tensor.

    Raises:
        TypeError: it is not an int32 Tensor.
        ValueError: it does not have one axis.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{api_name}: {argument} must be a Tensor, got {checks.format_value(x)}.")
    if x.dtype != mstype.int32:
        raise TypeError(f"{api_name}: {argument} must be int32, got {x.dtype}. Cast it.")
    if x.ndim != 1:
        raise ValueError(f"{api_name}: {argument} must have one axis, got shape {x.shape}.")
    return x


def _check_length(api_name: str, argument: str, length: int) -> int:
    """Return ``length``, the argument named ``argument``, if it is a non-negative int, else raise
    ValueError.
    """
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        raise ValueError(f"{api_name}: {argument} must be an int from 0 on, got {length!r}.")
    return length


def coo2csr(row_indices: Tensor, height: int) -> Tensor:
    """Convert the row index of each value to row pointers.

    Row pointers are the start of each row and the end of the last row.

    Args:
        row_indices (Tensor): the row of each value, (n,), int32, in order.
        height (int): the number of rows.

    Returns:
        Tensor, (height + 1,), int32.

    Raises:
        TypeError: ``row_indices`` is not an int32 Tensor.
        ValueError: ``row_indices`` is not 1-D, or ``height`` is not a non-negative int.

    >>> print(coo2csr(Tensor([0, 0, 1, 3], mstype.int32), 4))
    [0 2 3 3 4]
    """
    rows = _check_int32_vector("coo2csr", "row_indices", row_indices)
    starts = Tensor(np.arange(_check_length("coo2csr", "height", height) + 1, dtype=np.int32))
    return SearchSorted(mstype.int32)(rows, starts)


def csr2coo(indptr: Tensor, nnz: int) -> Tensor:
    """Convert row pointers to the row index of each value.

    Row pointers are the start of each row and the end of the last row.

    Args:
        indptr (Tensor): the row pointers, (rows + 1,), int32.
        nnz (int): the number of values.

    Returns:
        Tensor, (nnz,), int32.

    Raises:
        TypeError: ``indptr`` is not an int32 Tensor.
        ValueError: ``indptr`` is not 1-D, or ``nnz`` is not a non-negative int.

    >>> print(csr2coo(Tensor([0, 2, 3, 3, 4], mstype.int32), 4))
    [0 0 1 3]
    """
    bounds = _check_int32_vector("csr2coo", "indptr", indptr)
    values = Tensor(np.arange(_check_length("csr2coo", "nnz", nnz), dtype=np.int32))
    return SearchSorted(mstype.int32, right=True)(bounds[1:], values)


__all__ = ["coo2csr", "csr2coo"]

attach_docstrings("minispore.ops", __name__)
