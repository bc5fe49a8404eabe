"""Triangular factors of any matrix, rows exchanged so that each pivot is the largest."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.index.select import OneHot
from minispore.ops.linalg.diagonal import Tril, Triu
from minispore.ops.linalg.least_squares import RowsOfPivots
from minispore.ops.linalg.solving import MatrixTriangularSolve, product, turned


class Lu(Primitive):
    """The triangles L (below the diagonal, where 1 is meant) and U in one matrix, and the pivots:
    in step i the rows i and pivots[i] were exchanged.

    >>> factors, pivots = Lu()(Tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> print(factors, pivots)
    [[2.  2. ]
     [0.5 1. ]] [1 1]
    """

    internal = True

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        if a_kind(self.name, x, "f", "x").ndim < 2:
            raise ValueError(f"{self.name}: x must hold matrices in its last two axes, got {x}.")
        return x, Spec((*x.shape[:-2], min(x.shape[-2:])), np.dtype(np.int32))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
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

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        factors, pivots = out
        if x.shape[-1] != x.shape[-2]:
            raise ValueError(f"{self.name}: x must be square to be differentiated, got {x.shape}.")

        def slope() -> Tensor:
            # x' = P L^-T (strict_lower(L^T L') + upper(U' U^T)) U^-T
            n = x.shape[-1]
            eye = Tensor(np.eye(n), x.dtype)
            low = Tril(-1)(factors) + eye
            high = Triu()(factors)
            dlow = Tril(-1)(dout[0])
            dhigh = Triu()(dout[0])
            middle = Tril(-1)(product(turned(low), dlow))
            middle = middle + Triu()(product(dhigh, turned(high)))
            left = MatrixTriangularSolve(True, True)(low, middle)
            made = turned(MatrixTriangularSolve(False)(high, turned(left)))
            return product(permutation(pivots, n, x.dtype), made)

        return (slope,)


def permutation(pivots: Tensor, rows: int, dtype: Any) -> Tensor:
    """The matrix P with x = P @ L @ U."""
    order = RowsOfPivots(rows)(pivots + 1)
    one_hot = OneHot(-1)(order, rows, Tensor(1, dtype), Tensor(0, dtype))
    return turned(one_hot)


__all__ = ["Lu"]
