"""Eigenvalues and eigenvectors of Hermitian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.linalg.solving import check_square, multiply_matrices, transpose_matrices
from minispore.ops.shape.views import ExpandDims


class Eigh(Primitive):
    """The eigenvalues w in ascending order and eigenvectors v of Hermitian matrices: x @ v = v * w.

    Only one triangle of each matrix is read.

    Args:
        lower: read the lower triangle, else the upper one.

    >>> w, v = Eigh()(Tensor([[2.0, 0.0], [0.0, 1.0]]))
    >>> print(w)
    [1. 2.]
    """

    lower: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "lower", self.lower)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        check_square(self.name, x, "x")
        real = np.empty(0, x.dtype).real.dtype
        return Spec(x.shape[:-1], real), x

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        w, v = np.linalg.eigh(x, "L" if self.lower else "U")
        np.copyto(out[0], w)
        np.copyto(out[1], v)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function for real x; the gradient is in the triangle that was
        read.
        """
        w, v = out
        dw, dv = dout
        if x.dtype.kind == "c":
            raise TypeError(f"{self.name}: x must be real to be differentiated, got {x.dtype}.")

        def compute_x_grad() -> Tensor:
            """Compute the gradient of x from the cotangents of eigenvalues and eigenvectors."""
            # Giles, 3.1: x' = v (diag(w') + F * (v^T v')) v^T, F[i, j] = 1 / (w[j] - w[i])
            n = x.shape[-1]
            eye = Tensor(np.eye(n), x.dtype)
            gaps = ExpandDims()(w, -2) - ExpandDims()(w, -1)
            f = (1 - eye) / (gaps + eye)
            inner = eye * ExpandDims()(dw, -1) + f * multiply_matrices(transpose_matrices(v), dv)
            full_grad = multiply_matrices(v, inner, transpose_matrices(v))
            full_grad = full_grad + transpose_matrices(full_grad)
            half = registry["Tril" if self.lower else "Triu"]()(full_grad)
            return half - eye * full_grad * 0.5

        return (compute_x_grad,)


__all__ = ["Eigh"]
