"""LU decomposition of any matrix with partial pivoting."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.index.select import OneHot
from minispore.ops.linalg.diagonal import Tril, Triu
from minispore.ops.linalg.least_squares import PivotRowOrder
from minispore.ops.linalg.solving import (
    MatrixTriangularSolve,
    multiply_matrices,
    transpose_matrices,
)


class Lu(Primitive):
    """The LU factors in one matrix, and the pivots: step i swapped rows i and pivots[i].

    L, with ones on its diagonal, is below U in the matrix.

    >>> factors, pivots = Lu()(Tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> print(factors, pivots)
    [[2.  2. ]
     [0.5 1. ]] [1 1]
    """

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        if check_dtype_kind(self.name, x, "f", "x").ndim < 2:
            raise ValueError(f"{self.name}: x must hold matrices in its last two axes, got {x}.")
        return x, Spec((*x.shape[:-2], min(x.shape[-2:])), np.dtype(np.int32))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Eliminate column by column with partial pivoting; a zero pivot is skipped."""
        factors, pivots = out
        for batch in np.ndindex(*x.shape[:-2]):
            a = np.array(x[batch], order="C")
            for i in range(min(a.shape)):
                best = i + int(np.argmax(np.abs(a[i:, i])))
                pivots[(*batch, i)] = best
                if best != i:
                    a[[i, best]] = a[[best, i]]
                if a[i, i] != 0:
                    a[i + 1 :, i] /= a[i, i]
                    a[i + 1 :, i + 1 :] -= a[i + 1 :, i, None] * a[i, None, i + 1 :]
            factors[batch] = a

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function; raise ValueError unless x is square."""
        factors, pivots = out
        if x.shape[-1] != x.shape[-2]:
            raise ValueError(f"{self.name}: x must be square to be differentiated, got {x.shape}.")

        def compute_x_grad() -> Tensor:
            """Compute the gradient of x from the cotangent of the factors."""
            # x' = P L^-T (strict_lower(L^T L') + upper(U' U^T)) U^-T
            n = x.shape[-1]
            eye = Tensor(np.eye(n), x.dtype)
            low = Tril(-1)(factors) + eye
            high = Triu()(factors)
            dlow = Tril(-1)(dout[0])
            dhigh = Triu()(dout[0])
            middle = Tril(-1)(multiply_matrices(transpose_matrices(low), dlow))
            middle = middle + Triu()(multiply_matrices(dhigh, transpose_matrices(high)))
            left = MatrixTriangularSolve(lower=True, adjoint=True)(low, middle)
            solution = MatrixTriangularSolve(lower=False)(high, transpose_matrices(left))
            permutation = make_permutation_matrix(pivots, n, x.dtype)
            return multiply_matrices(permutation, transpose_matrices(solution))

        return (compute_x_grad,)


def make_permutation_matrix(pivots: Tensor, rows: int, dtype: Any) -> Tensor:
    """Return the permutation matrix P with x = P @ L @ U, from the pivots of :class:`Lu`."""
    order = PivotRowOrder(rows)(pivots + 1)
    one_hot = OneHot(-1)(order, rows, Tensor(1, dtype), Tensor(0, dtype))
    return transpose_matrices(one_hot)


__all__ = ["Lu"]
