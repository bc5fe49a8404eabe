"""Powers and the exponential of a square matrix."""

from __future__ import annotations

import math

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.linalg.solving import (
    MatrixInverse,
    check_square,
    multiply_matrices,
    transpose_matrices,
)
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.shape.join import Concat
from minispore.ops.support.derive import _Composite


class MatrixPower(_Composite):
    """The n-th power of each matrix; n < 0 uses the inverse.

    >>> print(MatrixPower(2)(Tensor([[1.0, 1.0], [0.0, 1.0]])))
    [[1. 2.]
     [0. 1.]]
    """

    n: int

    def check(self) -> None:
        checks.integer(self.name, "n", self.n)

    def __call__(self, x: Tensor) -> Tensor:
        """Multiply by repeated squaring, and return the identity for n = 0."""
        base = MatrixInverse()(x) if self.n < 0 else x
        if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
            raise ValueError(f"{self.name}: x must hold square matrices, got shape {x.shape}.")
        if not self.n:
            return ZerosLike()(x) + Tensor(np.eye(x.shape[-1]), x.dtype)
        power = None
        for k, bit in enumerate(reversed(f"{abs(self.n):b}")):
            base = multiply_matrices(base, base) if k else base
            if bit == "1":
                power = base if power is None else multiply_matrices(power, base)
        return power  # type: ignore[return-value]  # n has a bit that is 1


class MatrixExp(Primitive):
    """The matrix exponential, the sum of x^k / k!.

    >>> print(MatrixExp()(Tensor([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """

    def infer(self, x: Spec) -> Spec:
        return check_square(self.name, x, "input")

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Divide x by 2^k, sum its Taylor series in float64, and square the result k times."""
        # e^x = (e^(x / 2^k))^(2^k), with a Taylor series for e^(x / 2^k)
        widened = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
        norm = float(np.abs(widened).sum(-2).max(initial=0))
        halvings = max(0, math.ceil(math.log2(norm)) + 3) if norm > 0 else 0
        small = widened / 2**halvings
        term = result = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
        for k in range(1, 20):
            term = term @ small / k
            result = result + term
        for _ in range(halvings):
            result = result @ result
        np.copyto(out, result, casting="same_kind")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which computes the exponential of a matrix of twice
        the size.
        """

        def compute_x_grad() -> Tensor:
            # the upper right block of exp([[x^T, dout], [0, x^T]]) is the adjoint derivative
            n, concat_columns, concat_rows = x.shape[-1], Concat(-1), Concat(-2)
            upper = concat_columns((transpose_matrices(x), dout))
            lower = concat_columns((ZerosLike()(x), transpose_matrices(x)))
            return MatrixExp()(concat_rows((upper, lower)))[..., :n, n:]

        return (compute_x_grad,)


@method("matrix_power")
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Apply :class:`MatrixPower` to ``input``."""
    return MatrixPower(n)(input)


def matrix_exp(input: Tensor) -> Tensor:
    """Apply :class:`MatrixExp` to ``input``."""
    return MatrixExp()(input)


__all__ = [
    "MatrixExp",
    "MatrixPower",
    "matrix_exp",
    "matrix_power",
]
