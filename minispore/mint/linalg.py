"""Linear algebra, as in ``mindspore.mint.linalg``."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings as _describe


def inv(input: Tensor) -> Tensor:
    """Return the inverse of square matrices (*, N, N).

    >>> print(inv(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    return ops.inverse(input)


def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the vector norm (sum |x|^ord)^(1/ord) along ``dim``, by default of all elements."""
    return ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the norm ``ord`` of the matrices in the two axes ``dim``: a number, "fro", "nuc", inf
    or -inf.
    """
    return ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the norm ``ord`` of vectors (``dim`` is one axis) or matrices (two axes); by default
    the 2-norm of all elements.

    >>> print(norm(Tensor([[3.0, 4.0]])))
    5.0
    """
    return ops.norm(A, ord, dim, keepdim, dtype=dtype)


def qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Return the QR decomposition of A: an orthogonal matrix and an upper triangular matrix.

    ``mode`` "reduced" gives (M, min(M, N)) and (min(M, N), N), "complete" (M, M) and (M, N).
    """
    return ops.qr(A, mode)


__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]

_describe(__name__)
