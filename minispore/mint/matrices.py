"""Matrix products, distances and triangular systems."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_arithmetic_operands, check_tensors


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector.

    >>> print(mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])))
    [3. 7.]
    """
    return ops.mv(input, vec)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the matrix products of two batches of matrices (B, M, K) and (B, K, N).

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: an argument does not have 3 axes, or the shapes do not fit.

    >>> print(bmm(Tensor([[[1.0, 2.0]]]), Tensor([[[3.0], [4.0]]])))
    [[[11.]]]
    """
    check_tensors("bmm", input=input, mat2=mat2)
    for name, x in (("input", input), ("mat2", mat2)):
        if x.ndim != 3:
            raise ValueError(f"bmm: {name} must have the axes (B, M, K), got {x.shape}.")
    return ops.bmm(input, mat2)


def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * batch1 @ batch2.

    The batches are (B, M, K) and (B, K, N); ``input`` is broadcast to (B, M, N). A batch without 3
    axes raises a RuntimeError.

    >>> print(baddbmm(Tensor([10.0]), Tensor([[[1.0, 2.0]]]), Tensor([[[3.0], [4.0]]])))
    [[[21.]]]
    """
    check_arithmetic_operands("baddbmm", input=input)
    check_tensors("baddbmm", batch1=batch1, batch2=batch2)
    for name, x in (("batch1", batch1), ("batch2", batch2)):
        if x.ndim != 3:
            raise RuntimeError(f"baddbmm: {name} must have the axes (B, M, K), got {x.shape}.")
    return ops.baddbmm(input, batch1, batch2, beta, alpha)


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Set ``input`` to beta * input + alpha * outer(vec1, vec2), in place, and return it."""
    check_tensors("addr_", input=input, vec1=vec1, vec2=vec2)
    return input.copy_(ops.addr(input, vec1, vec2, beta=beta, alpha=alpha))


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Return the dot product (0-d) of two vectors, with the first one conjugated.

    >>> print(vdot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    11.0
    """
    check_tensors("vdot", input=input)
    check_arithmetic_operands("vdot", other=other)
    conjugated = ops.conj(input) if input.dtype.kind == "c" else input
    return ReduceSum()(conjugated * other, ())


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Return the p-norm distances between each row of ``x1`` and each row of ``x2``.

    Shape: (*, P, M), (*, R, M) -> (*, P, R).
    ``compute_mode`` has no effect.
    """
    return ops.cdist(x1, x2, p)


def triangular_solve(
    b: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the solution X (..., N, K) of A @ X = b for a triangular A, and A itself.

    Args:
        b: right-hand sides (..., N, K).
        A: matrices (..., N, N), of which only one triangle is read.
        upper: whether to read the upper triangle.
        transpose: solve with A transposed.
        unitriangular: assume ones on the diagonal of A.

    >>> print(triangular_solve(Tensor([[4.0], [2.0]]), Tensor([[1.0, 1.0], [0.0, 2.0]]))[0])
    [[3.]
     [1.]]
    """
    triangle = ops.triu(A) if upper else ops.tril(A)
    if unitriangular:
        n = A.shape[-1]
        identity = ops.eye(n, n, A.dtype)
        triangle = triangle * (1 - identity) + identity
    return ops.MatrixTriangularSolve(not upper, transpose)(triangle, b), A


__all__ = ["addr_", "baddbmm", "bmm", "cdist", "mv", "triangular_solve", "vdot"]
