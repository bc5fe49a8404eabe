"""Cholesky factors of positive definite matrices, and solvers that use them."""

from __future__ import annotations

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.linalg.solving import (
    MatrixInverse,
    MatrixTriangularSolve,
    check_square,
    multiply_matrices,
    transpose_matrices,
)
from minispore.ops.support.arguments import check_real
from minispore.ops.support.derive import _Composite


class Cholesky(Primitive):
    """The lower triangle L with x = L @ L^T, or (``upper``) L^T; x is positive definite.

    For a matrix that is not symmetric, this is the factor of its symmetric part.

    >>> print(Cholesky()(Tensor([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 0.]
     [1. 2.]]
    """

    upper: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "upper", self.upper)

    def infer(self, x: Spec) -> Spec:
        check_real(self.name, check_square(self.name, x, "input_x"))
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Factorise the symmetric part of x; raise ValueError if it is not positive definite."""
        try:
            factor = np.linalg.cholesky((x + x.swapaxes(-1, -2)) / 2)
        except np.linalg.LinAlgError:
            raise ValueError(f"{self.name}: input_x must be positive definite, got {x}.") from None
        np.copyto(out, factor.swapaxes(-1, -2) if self.upper else factor)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_x_grad() -> Tensor:
            """Compute the symmetric gradient of x: L^-T half(L^T dL) L^-1.

            Here half() keeps the lower triangle, and half of the diagonal.
            """
            low, dlow = out, dout
            if self.upper:
                low, dlow = transpose_matrices(out), transpose_matrices(dout)
            n = x.shape[-1]
            half = Tensor(np.tril(np.ones((n, n)), -1) + np.eye(n) / 2, x.dtype)
            middle = multiply_matrices(transpose_matrices(low), dlow) * half
            left = MatrixTriangularSolve(lower=True, adjoint=True)(low, middle)
            grad = MatrixTriangularSolve(lower=True, adjoint=True)(low, transpose_matrices(left))
            return (grad + transpose_matrices(grad)) * 0.5

        return (compute_x_grad,)


class CholeskyInverse(_Composite):
    """The inverse of L @ L^T, or (``upper``) of U^T @ U.

    >>> print(CholeskyInverse()(Tensor([[2.0, 0.0], [0.0, 1.0]])))
    [[0.25 0.  ]
     [0.   1.  ]]
    """

    upper: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "upper", self.upper)

    def __call__(self, input_x: Tensor) -> Tensor:
        """Multiply the factors, and invert the product."""
        check_real(self.name, input_x)
        if input_x.ndim < 2 or input_x.shape[-1] != input_x.shape[-2]:
            raise ValueError(
                f"{self.name}: input_x must hold square matrices, got {input_x.shape}."
            )
        low = transpose_matrices(input_x) if self.upper else input_x
        return MatrixInverse()(multiply_matrices(low, transpose_matrices(low)))


class CholeskySolve(_Composite):
    """The solution x of ``L @ L^T @ x = rhs``, or (``upper``) of ``U^T @ U @ x = rhs``.

    >>> print(CholeskySolve()(Tensor([[4.0], [1.0]]), Tensor([[2.0, 0.0], [0.0, 1.0]])))
    [[1.]
     [1.]]
    """

    upper: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "upper", self.upper)

    def __call__(self, rhs: Tensor, factor: Tensor) -> Tensor:
        check_real(self.name, rhs, factor)
        intermediate = MatrixTriangularSolve(not self.upper, self.upper)(factor, rhs)
        return MatrixTriangularSolve(not self.upper, not self.upper)(factor, intermediate)


@method("cholesky")
def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """Apply :class:`Cholesky` to ``input_x``."""
    return Cholesky(upper)(input_x)


@method("cholesky_inverse")
def cholesky_inverse(input_x: Tensor, upper: bool = False) -> Tensor:
    """Return the inverse of L @ L^T for the factor L = ``input_x``, or (``upper``) of U^T @ U."""
    return CholeskyInverse(upper)(input_x)


@method("cholesky_solve")
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """Return the solution x of ``L @ L^T @ x = input`` for the factor L = ``input2``.

    With ``upper``, return the solution of ``U^T @ U @ x = input``.
    """
    return CholeskySolve(upper)(input, input2)


__all__ = [
    "Cholesky",
    "CholeskyInverse",
    "CholeskySolve",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
]
