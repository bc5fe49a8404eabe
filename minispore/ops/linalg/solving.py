"""Linear systems: inverses, determinants, triangular and general solvers.

Leading axes are batch axes. Derivatives are those of Giles,
https://people.maths.ox.ac.uk/gilesm/files/NA-08-01.pdf
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind, unbroadcast
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.elementwise.powers import Log
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_arithmetic_operands, to_static
from minispore.ops.support.derive import _Composite


def check_square(op: str, x: Any, name: str = "x") -> Spec:
    """Return ``x`` if it is the spec of square matrices of floats.

    Raises:
        TypeError: ``x`` does not hold floats.
        ValueError: the last two lengths differ.
    """
    if check_dtype_kind(op, x, "fc", name).ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{op}: {name} must hold square matrices in its last two axes, got {x}.")
    return x


def call_numpy_linalg(op: str, function: Callable[..., Any], *args: Any) -> Any:
    """Return ``function(*args)``; a LinAlgError of NumPy becomes a ValueError."""
    try:
        return function(*args)
    except np.linalg.LinAlgError as exc:
        raise ValueError(f"{op}: the matrix must be regular, got one for which: {exc}.") from None


def transpose_matrices(x: Tensor) -> Tensor:
    """Transpose the last two axes."""
    return Transpose()(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def truncate_columns(w: Tensor, dw: Tensor | None, k: int) -> tuple[Tensor, Tensor | None]:
    """Return the first ``k`` columns of an orthogonal ``w`` and their cotangent.

    The other columns span the orthogonal complement, so their cotangent contributes a term.
    """
    retained = w[..., :k]
    if w.shape[-1] == k or dw is None:
        return retained, dw
    projection = multiply_matrices(transpose_matrices(retained), dw[..., k:])
    return retained, dw[..., :k] - multiply_matrices(w[..., k:], transpose_matrices(projection))


def conjugate_transpose(x: Tensor) -> Tensor:
    """Return the conjugate transpose of each matrix."""
    return transpose_matrices(Conj()(x) if x.dtype.kind == "c" else x)


def multiply_matrices(*matrices: Tensor) -> Tensor:
    """Multiply the matrices from left to right."""
    return functools.reduce(MatMulExt(), matrices)


class MatrixInverse(Primitive):
    """The inverse of each matrix, or (``adjoint``) of its conjugate transpose.

    >>> print(MatrixInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """

    adjoint: bool = False
    vjp_rule = VjpRule(hermitian=True)

    def check(self) -> None:
        checks.boolean(self.name, "adjoint", self.adjoint)

    def infer(self, x: Spec) -> Spec:
        return check_square(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write the inverses, conjugate transposed with ``adjoint``; raise ValueError for a
        singular matrix.
        """
        result = call_numpy_linalg(self.name, np.linalg.inv, x)
        np.copyto(out, result.swapaxes(-1, -2).conj() if self.adjoint else result)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        if self.adjoint:
            return (lambda: -multiply_matrices(out, conjugate_transpose(dout), out),)
        return (
            lambda: -multiply_matrices(conjugate_transpose(out), dout, conjugate_transpose(out)),
        )


class MatrixDeterminant(Primitive):
    """The determinant of each matrix.

    >>> print(MatrixDeterminant()(Tensor([[2.0, 1.0], [0.0, 4.0]])).asnumpy().round(4))
    8.0
    """

    def infer(self, x: Spec) -> Spec:
        check_square(self.name, x)
        return Spec(x.shape[:-2], x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = np.linalg.det(x)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: transpose_matrices(MatrixInverse()(x)) * _reshape_to_1x1(dout * out),)


def _reshape_to_1x1(x: Tensor) -> Tensor:
    """Reshape one element per matrix to 1x1 matrices."""
    return Reshape()(x, (*x.shape, 1, 1))


class LogMatrixDeterminant(Primitive):
    """The sign of the determinant of each matrix, and the logarithm of its absolute value.

    >>> sign, log = LogMatrixDeterminant()(Tensor([[-1.0, 0.0], [0.0, 1.0]]))
    >>> print(sign, log)
    -1.0 0.0
    """

    vjp_rule = VjpRule(partial=True)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        spec = Spec(check_square(self.name, x).shape[:-2], x.dtype)
        return spec, spec

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        sign, log = np.linalg.slogdet(x)
        out[0][...], out[1][...] = sign, log

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function of the logarithm for real x; the sign has no gradient."""
        if x.dtype.kind == "c":
            raise TypeError(f"{self.name}: x must be real to be differentiated, got {x.dtype}.")
        if dout[1] is None:
            return (None,)
        return (lambda: MatrixInverse(adjoint=True)(x) * _reshape_to_1x1(dout[1]),)


class MatrixSolve(Primitive):
    """The solution x of ``matrix @ x = rhs``; with ``adjoint``, for the conjugate transpose.

    >>> print(MatrixSolve()(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]
    """

    adjoint: bool = False
    vjp_rule = VjpRule(hermitian=True)

    def check(self) -> None:
        checks.boolean(self.name, "adjoint", self.adjoint)

    def infer(self, matrix: Spec, rhs: Spec) -> Spec:
        """Return the spec of the solution; raise unless the matrix is square and ``rhs`` has its
        number of rows and its dtype.
        """
        check_square(self.name, matrix, "matrix")
        check_dtype_kind(self.name, rhs, "fc", "rhs")
        if rhs.ndim < 2 or rhs.shape[-2] != matrix.shape[-1]:
            raise ValueError(
                f"{self.name}: rhs must have {matrix.shape[-1]} rows like matrix, got {rhs} and "
                f"{matrix}."
            )
        if rhs.dtype != matrix.dtype:
            raise TypeError(f"{self.name}: rhs must be {matrix.dtype} like matrix, got {rhs}.")
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
        return Spec((*batch, *rhs.shape[-2:]), matrix.dtype)

    def get_system_matrix(self, m: np.ndarray) -> np.ndarray:
        """Return the matrix of the system, conjugate transposed with ``adjoint``."""
        return m.swapaxes(-1, -2).conj() if self.adjoint else m

    def kernel(self, matrix: np.ndarray, rhs: np.ndarray, *, out: np.ndarray) -> None:
        system = self.get_system_matrix(matrix)
        np.copyto(out, call_numpy_linalg(self.name, np.linalg.solve, system, rhs))

    def vjp(self, matrix: Tensor, rhs: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions, which solve the adjoint system and sum over broadcast
        axes.
        """

        def compute_rhs_grad() -> Tensor:
            return MatrixSolve(not self.adjoint)(matrix, dout)

        def compute_matrix_grad() -> Tensor:
            grad = -multiply_matrices(compute_rhs_grad(), conjugate_transpose(out))
            return unbroadcast(conjugate_transpose(grad) if self.adjoint else grad, matrix)

        return compute_matrix_grad, lambda: unbroadcast(compute_rhs_grad(), rhs)


class MatrixTriangularSolve(MatrixSolve):
    """The solution x of ``triangle @ x = rhs``, for the lower or upper triangle of a matrix.

    Args:
        lower: use the lower triangle, else the upper one.
        adjoint: solve for the conjugate transpose of the triangle.

    >>> print(MatrixTriangularSolve()(Tensor([[2.0, 9.0], [2.0, 4.0]]), Tensor([[2.0], [4.0]])))
    [[1. ]
     [0.5]]
    """

    lower: bool = True
    adjoint: bool = False

    def check(self) -> None:
        super().check()
        checks.boolean(self.name, "lower", self.lower)

    def get_system_matrix(self, m: np.ndarray) -> np.ndarray:
        """Return the triangle of ``m``, conjugate transposed with ``adjoint``."""
        return super().get_system_matrix(np.tril(m) if self.lower else np.triu(m))

    def kernel(self, matrix: np.ndarray, rhs: np.ndarray, *, out: np.ndarray) -> None:
        """Solve the system as an upper triangle, which NumPy's LU solves without elimination."""
        upper = self.get_system_matrix(matrix)
        # A lower triangle is reversed to an upper one, which LAPACK's LU leaves unchanged.
        if self.lower != self.adjoint:
            upper, rhs, out = upper[..., ::-1, ::-1], rhs[..., ::-1, :], out[..., ::-1, :]
        np.copyto(out, call_numpy_linalg(self.name, np.linalg.solve, upper, rhs))

    def vjp(self, matrix: Tensor, rhs: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions; the gradient of the matrix keeps only the triangle."""

        def compute_rhs_grad() -> Tensor:
            return MatrixTriangularSolve(self.lower, not self.adjoint)(matrix, dout)

        def compute_matrix_grad() -> Tensor:
            grad = -multiply_matrices(compute_rhs_grad(), conjugate_transpose(out))
            grad = conjugate_transpose(grad) if self.adjoint else grad
            return unbroadcast(registry["Tril" if self.lower else "Triu"]()(grad), matrix)

        return compute_matrix_grad, lambda: unbroadcast(compute_rhs_grad(), rhs)


class MatrixSolveLs(_Composite):
    """The x that minimises |matrix @ x - rhs|^2 + l2_regularizer * |x|^2.

    Args:
        fast: accepted as in MindSpore, but has no effect.

    >>> import minispore as ms
    >>> matrix, rhs = Tensor([[1.0], [1.0]]), Tensor([[1.0], [3.0]])
    >>> print(MatrixSolveLs()(matrix, rhs, Tensor(0.0, ms.float64)))
    [[2.]]
    """

    fast: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "fast", self.fast)

    def __call__(self, matrix: Tensor, rhs: Tensor, l2_regularizer: Any) -> Tensor:
        """Solve the normal equations, with ``l2_regularizer`` added to their diagonal."""
        check_arithmetic_operands(self.name, l2_regularizer=l2_regularizer)
        if matrix.ndim < 2 or rhs.shape[-2:-1] != matrix.shape[-2:-1]:
            raise ValueError(
                f"{self.name}: rhs must have as many rows as matrix, got shapes {rhs.shape} and "
                f"{matrix.shape}."
            )
        transposed = transpose_matrices(matrix)
        ridge = Tensor(np.eye(matrix.shape[-1]), matrix.dtype) * to_static(l2_regularizer)
        return MatrixSolve()(
            multiply_matrices(transposed, matrix) + ridge, multiply_matrices(transposed, rhs)
        )


class TridiagonalMatMul(_Composite):
    """The product of a tridiagonal matrix, given by its diagonals, and ``rhs``.

    Shape: superdiag, maindiag, subdiag: (..., 1, M); rhs: (..., M, N).

    >>> one = Tensor([[1.0, 1.0]])
    >>> print(TridiagonalMatMul()(one, one, one, Tensor([[1.0], [2.0]])))
    [[3.]
     [3.]]
    """

    def __call__(self, superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor) -> Tensor:
        """Add the products of the three diagonals with ``rhs`` or with ``rhs`` shifted by one
        row.
        """
        m = rhs.shape[-2]
        for name, d in (("superdiag", superdiag), ("maindiag", maindiag), ("subdiag", subdiag)):
            if d.shape != (*rhs.shape[:-2], 1, m):
                raise ValueError(
                    f"{self.name}: {name} must have the shape {(*rhs.shape[:-2], 1, m)}, got "
                    f"{d.shape}."
                )
        upper, middle, lower = (transpose_matrices(d) for d in (superdiag, maindiag, subdiag))
        empty = ZerosLike()(rhs[..., :1, :])
        stack = Concat(-2)
        below, above = stack((rhs[..., 1:, :], empty)), stack((empty, rhs[..., :-1, :]))
        return middle * rhs + upper * below + lower * above


# -- functions -------------------------------------------------------------------------------------


@method("inverse")
def inverse(input: Tensor) -> Tensor:
    """Apply :class:`MatrixInverse` to ``input``."""
    return MatrixInverse()(input)


@method("det")
def det(input: Tensor) -> Tensor:
    """Apply :class:`MatrixDeterminant` to ``input``."""
    return MatrixDeterminant()(input)


@method("matrix_determinant")
def matrix_determinant(input: Tensor) -> Tensor:
    """Apply :class:`MatrixDeterminant` to ``input``."""
    return MatrixDeterminant()(input)


@method("slogdet")
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """Apply :class:`LogMatrixDeterminant` to ``input``."""
    return LogMatrixDeterminant()(input)


@method("log_matrix_determinant")
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """Apply :class:`LogMatrixDeterminant` to ``input``."""
    return LogMatrixDeterminant()(input)


@method("logdet")
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant of ``input``; NaN where the determinant is
    negative.
    """
    return Log()(MatrixDeterminant()(input))


def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = False) -> Tensor:
    """Apply :class:`MatrixSolve` to ``matrix`` and ``rhs``."""
    return MatrixSolve(adjoint)(matrix, rhs)


__all__ = [
    "LogMatrixDeterminant",
    "MatrixDeterminant",
    "MatrixInverse",
    "MatrixSolve",
    "MatrixSolveLs",
    "MatrixTriangularSolve",
    "TridiagonalMatMul",
    "det",
    "inverse",
    "log_matrix_determinant",
    "logdet",
    "matrix_determinant",
    "matrix_solve",
    "slogdet",
]
