"""Tridiagonal systems, and MindSpore's op for eigenvalues of Hermitian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.linalg.eigh import Eigh
from minispore.ops.linalg.solving import MatrixSolve
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.views import ExpandDims
from minispore.ops.support.derive import _Composite


class TridiagonalSolve(_Composite):
    """The solution y of A y = rhs with a tridiagonal matrix A.

    Args:
        partial_pivoting: accepted as in MindSpore, but has no effect; pivoting is always used.
        diagonals (Tensor): float or complex (..., 3, N): the diagonals above, on and below the main
            one; the last element of the first and the first element of the last are ignored.
        rhs (Tensor): (..., N, K), of the same dtype.

    Returns:
        Tensor, (..., N, K).

    >>> diagonals = Tensor([[1.0, 0.0], [2.0, 4.0], [0.0, 0.0]])
    >>> print(TridiagonalSolve()(diagonals, Tensor([[3.0], [4.0]])).asnumpy().ravel())
    [1. 1.]
    """

    partial_pivoting: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "partial_pivoting", self.partial_pivoting)

    def __call__(self, diagonals: Tensor, rhs: Tensor) -> Tensor:
        """Build dense matrices from the diagonals (..., 3, N) and solve them."""
        check_dtype_kind(self.name, diagonals.value_.spec, "fc", "diagonals")
        if rhs.dtype != diagonals.dtype:
            rule = f"be of the dtype {diagonals.dtype} of diagonals"
            raise TypeError(checks.format_error(self.name, "rhs", rule, f"{rhs.dtype}"))
        batch_shape = diagonals.shape[:-2]
        if diagonals.ndim < 2 or diagonals.shape[-2] != 3:
            rule = "have the shape (..., 3, N)"
            raise ValueError(
                checks.format_error(self.name, "diagonals", rule, f"{diagonals.shape}")
            )
        n = diagonals.shape[-1]
        if rhs.ndim != diagonals.ndim or rhs.shape[:-1] != (*batch_shape, n):
            rule = f"have the shape {(*batch_shape, n)} and one axis more"
            raise ValueError(checks.format_error(self.name, "rhs", rule, f"{rhs.shape}"))
        above, main, below = (
            ExpandDims()(diagonals[..., i, :], -1) * Tensor(np.eye(n, k=1 - i), diagonals.dtype)
            for i in range(3)
        )
        return MatrixSolve()(above + main + below, rhs)


class SelfAdjointEig(_Composite):
    """The eigenvalues w in ascending order and eigenvectors v of Hermitian matrices: x @ v = v * w.

    Args:
        compute_v: compute the eigenvectors; else v holds zeros.
        x (Tensor): float or complex (..., N, N), of which only the lower triangle is read.

    Returns:
        ``(w, v)``, (..., N) and (..., N, N), of the dtype of x.

    >>> print(SelfAdjointEig()(Tensor([[2.0, 0.0], [0.0, 1.0]]))[0])
    [1. 2.]
    """

    compute_v: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "compute_v", self.compute_v)

    def __call__(self, x: Tensor) -> Any:
        """Return the eigenvalues in the dtype of x, and the eigenvectors; zeros without
        ``compute_v``.
        """
        check_dtype_kind(self.name, x.value_.spec, "fc", "x")
        w, v = Eigh()(x)
        return Cast()(w, x.dtype), v if self.compute_v else ZerosLike()(v)


__all__ = ["SelfAdjointEig", "TridiagonalSolve"]
