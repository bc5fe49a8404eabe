"""Solvers that use LU factors, least squares, pseudo-inverses and condition numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.compare import Equal, Greater
from minispore.ops.elementwise.complex_numbers import Conj, Real
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.index.select import Select
from minispore.ops.linalg.decompositions import Svd
from minispore.ops.linalg.diagonal import Tril, Triu
from minispore.ops.linalg.solving import (
    MatrixInverse,
    MatrixSolveLs,
    MatrixTriangularSolve,
    multiply_matrices,
    transpose_matrices,
)
from minispore.ops.linalg.vector_norms import matrix_norm
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import ReduceMax, ReduceMin
from minispore.ops.support.arguments import check_dtype
from minispore.ops.support.derive import _Composite


class PivotRowOrder(Primitive):
    """The order of rows after swapping row i with row pivots[i] - 1 for each i, in ascending order.

    >>> print(PivotRowOrder(3)(Tensor([3, 3])))
    [2 0 1]
    """

    rows: int

    def infer(self, pivots: Spec) -> Spec:
        if check_dtype_kind("LuUnpack", pivots, "iu", "LU_pivots").ndim < 1:
            raise ValueError(f"LuUnpack: LU_pivots must have at least one axis, got {pivots}.")
        return Spec((*pivots.shape[:-1], self.rows), np.dtype(np.int64))

    def kernel(self, pivots: np.ndarray, *, out: np.ndarray) -> None:
        """Apply each matrix's row swaps to its row numbers; raise for pivots outside [1, rows]."""
        if pivots.size and not (pivots.min() >= 1 and pivots.max() <= self.rows):
            raise ValueError(
                f"LuUnpack: LU_pivots must be in [1, {self.rows}], got {pivots.min()} to "
                f"{pivots.max()}."
            )
        for batch in np.ndindex(*pivots.shape[:-1]):
            order = np.arange(self.rows)
            for i, p in enumerate(pivots[batch] - 1):
                order[[i, p]] = order[[p, i]]
            out[batch] = order


class LuUnpack(_Composite):
    """Unpacks LU factors into a permutation P and triangles L and U; the matrix is P @ L @ U.

    Args:
        unpack_data: accepted as in MindSpore, but has no effect; L and U are always returned.
        unpack_pivots: accepted as in MindSpore, but has no effect; P is always returned.

    >>> p, low, up = LuUnpack()(Tensor([[4.0, 2.0], [0.5, 3.0]]), Tensor([1, 2]))
    >>> print(low, up)
    [[1.  0. ]
     [0.5 1. ]] [[4. 2.]
     [0. 3.]]
    """

    unpack_data: bool = True
    unpack_pivots: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "unpack_data", self.unpack_data)
        checks.boolean(self.name, "unpack_pivots", self.unpack_pivots)

    def __call__(self, LU_data: Tensor, LU_pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Extract L and U from the joint matrix, and build P from the row order."""
        m, n = LU_data.shape[-2:] if LU_data.ndim > 1 else (0, -1)
        if LU_data.ndim < 2 or LU_pivots.shape != (*LU_data.shape[:-2], min(m, n)):
            raise ValueError(
                f"{self.name}: LU_data must hold matrices and LU_pivots one number for each step, "
                f"got shapes {LU_data.shape} and {LU_pivots.shape}."
            )
        k = min(m, n)
        lower = Tril(-1)(LU_data[..., :k]) + Tensor(np.eye(m, k), LU_data.dtype)
        upper = Triu()(LU_data[..., :k, :])
        order = PivotRowOrder(m)(LU_pivots)
        row_numbers = Tensor(np.arange(m)[:, None])
        is_source = Equal()(row_numbers, ExpandDims()(order, -2))
        return Cast()(is_source, LU_data.dtype), lower, upper


class LuSolve(_Composite):
    """The solution x of ``A @ x = rhs``, from the LU factors of A and their pivots.

    >>> data, pivots = Tensor([[4.0, 2.0], [0.5, 3.0]]), Tensor([1, 2], mstype.int32)
    >>> print(LuSolve()(Tensor([[6.0], [6.0]]), data, pivots))
    [[1.]
     [1.]]
    """

    def __call__(self, x: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Unpack the factors, permute ``x``, the right-hand side, and solve both triangles."""
        if LU_data.ndim < 2 or x.shape[-2:-1] != LU_data.shape[-1:]:
            raise ValueError(
                f"{self.name}: x must have as many rows as LU_data, got shapes {x.shape} and "
                f"{LU_data.shape}."
            )
        check_dtype(self.name, LU_pivots, "LU_pivots", "int32")
        permutation, lower, upper = LuUnpack()(LU_data, LU_pivots)
        permuted = multiply_matrices(transpose_matrices(permutation), x)
        intermediate = MatrixTriangularSolve(lower=True)(lower, permuted)
        return MatrixTriangularSolve(lower=False)(upper, intermediate)


# -- least squares ---------------------------------------------------------------------------------


class Lstsq(_Composite):
    """The least-squares solution: the x that minimises |matrix @ x - rhs|, and among these |x|.

    Args:
        fast: accepted as in MindSpore, but has no effect.
        l2_regularizer: the factor of a penalty |x|^2.

    >>> print(Lstsq()(Tensor([[1.0], [1.0]]), Tensor([[1.0], [3.0]])).asnumpy().round(4))
    [[2.]]
    """

    fast: bool = True
    l2_regularizer: float = 0.0

    def check(self) -> None:
        checks.boolean(self.name, "fast", self.fast)

    def __call__(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        """Solve by the pseudo-inverse; with ``l2_regularizer``, by the regularised normal
        equations.
        """
        if matrix.ndim < 2 or rhs.shape[:1] != matrix.shape[-2:-1]:
            raise ValueError(
                f"{self.name}: rhs must have as many rows as matrix, got shapes {rhs.shape} and "
                f"{matrix.shape}."
            )
        if self.l2_regularizer:
            solution = MatrixSolveLs()(matrix, _as_column(rhs), self.l2_regularizer)
        else:
            solution = multiply_matrices(pinv(matrix), _as_column(rhs))
        return solution if rhs.ndim > 1 else Reshape()(solution, (-1,))


def _as_column(x: Tensor) -> Tensor:
    """Return a vector as a matrix of one column, and other tensors unchanged."""
    return x if x.ndim > 1 else ExpandDims()(x, -1)


# -- functions -------------------------------------------------------------------------------------


@method("lu_solve")
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Return the solution x of ``A @ x = b``, from the LU factors of A and their pivots."""
    return LuSolve()(b, LU_data, LU_pivots)


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Unpack LU factors into a permutation P and triangles L and U; the matrix is P @ L @ U.

    The flags have no effect: all three are always returned.
    """
    return LuUnpack(unpack_data, unpack_pivots)(LU_data, LU_pivots)


@method("lstsq")
def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """Return the least-squares solution x of ``input @ x = A`` with the smallest norm."""
    return Lstsq()(input, A)


def pinv(x: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Return the pseudo-inverse; singular values up to max(atol, rtol * largest value) count as 0.

    Args:
        x: matrices (..., M, N).
        atol: the absolute bound, 0 by default.
        rtol: the relative bound. By default it is 0 if ``atol`` is given, else max(M, N) times the
            dtype's epsilon.
        hermitian: accepted, but has no effect; matrices are always treated as general.

    >>> print(pinv(Tensor([[2.0], [0.0]])).asnumpy().round(4))
    [[0.5 0. ]]
    """
    s, u, v = Svd()(x)
    if x.dtype.kind == "c":
        s, u = Real()(s), Conj()(u)
    epsilon = float(np.finfo(mstype.to_numpy(x.dtype)).eps)
    if rtol is None:
        rtol = 0.0 if atol else max(x.shape[-2:]) * epsilon
    cutoff = ReduceMax()(s, s.ndim - 1) * rtol
    cutoff = Maximum()(cutoff, 0.0 if atol is None else atol)
    is_significant = Greater()(s, ExpandDims()(cutoff, -1))
    factors = Select()(is_significant, 1 / Select()(is_significant, s, 1.0), 0.0)
    scaled = v * Cast()(ExpandDims()(factors, -2), x.dtype)
    return multiply_matrices(scaled, transpose_matrices(u))


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number of ``A``: its norm times the norm of its inverse.

    With p = None, 2 or -2, this is a ratio of singular values.

    >>> print(cond(Tensor([[4.0, 0.0], [0.0, 2.0]])))
    2.0
    """
    if p in (None, 2, -2):
        s, _, _ = Svd(full_matrices=False, compute_uv=False)(A)
        largest, smallest = ReduceMax()(s, s.ndim - 1), ReduceMin()(s, s.ndim - 1)
        return smallest / largest if p == -2 else largest / smallest
    return matrix_norm(A, p) * matrix_norm(MatrixInverse()(A), p)


__all__ = [
    "Lstsq",
    "LuSolve",
    "LuUnpack",
    "PivotRowOrder",
    "cond",
    "lstsq",
    "lu_solve",
    "lu_unpack",
    "pinv",
]
