"""Matrices that are solved for: inverses, determinants, triangular and general systems, powers.

Leading axes are batches. Derivatives are those of Giles, https://people.maths.ox.ac.uk/gilesm/files/NA-08-01.pdf
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, method
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.bases import a_kind, unbroadcast
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.elementwise.powers import Log
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import ZerosLike
from minispore.ops.support.arguments import check_arithmetic_operands, to_static
from minispore.ops.support.derive import _Composite


def a_square(op: str, x: Any, name: str = "x") -> Spec:
    """``x`` if it is the spec of square float matrices.

    Raises:
        TypeError: it holds no floats.
        ValueError: the last two lengths differ.
    """
    if a_kind(op, x, "fc", name).ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{op}: {name} must hold square matrices in its last two axes, got {x}.")
    return x


def computed(op: str, function: Callable[..., Any], *args: Any) -> Any:
    """``function(*args)`` of NumPy, with its LinAlgError as an error of ours."""
    try:
        return function(*args)
    except np.linalg.LinAlgError as exc:
        raise ValueError(f"{op}: the matrix must be regular, got one for which: {exc}.") from None


def turned(x: Tensor) -> Tensor:
    """The transposes of the matrices."""
    return Transpose()(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def thin(w: Tensor, dw: Tensor | None, k: int) -> tuple[Tensor, Tensor | None]:
    """The first ``k`` columns of an orthogonal ``w``, and their cotangent: the others span what
    these leave, so theirs is moved to them.
    """
    if w.shape[-1] == k or dw is None:
        return w[..., :k], dw
    first, rest = w[..., :k], w[..., k:]
    return first, dw[..., :k] - product(rest, turned(product(turned(first), dw[..., k:])))


def adjoint(x: Tensor) -> Tensor:
    """The transposes of the matrices, conjugated."""
    return turned(Conj()(x) if x.dtype.kind == "c" else x)


def product(*matrices: Tensor) -> Tensor:
    """The matrix product, from the left."""
    made, *rest = matrices
    for m in rest:
        made = MatMulExt()(made, m)
    return made


class MatrixInverse(Primitive):
    """The inverse of each matrix, or (``adjoint``) of its conjugate transpose.

    >>> print(MatrixInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """

    adjoint: bool = False
    hermitian = True

    def check(self) -> None:
        checks.boolean(self.name, "adjoint", self.adjoint)

    def infer(self, x: Spec) -> Spec:
        return a_square(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        made = computed(self.name, np.linalg.inv, x)
        np.copyto(out, made.swapaxes(-1, -2).conj() if self.adjoint else made)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        if self.adjoint:
            return (lambda: -product(out, adjoint(dout), out),)
        return (lambda: -product(adjoint(out), dout, adjoint(out)),)


class MatrixDeterminant(Primitive):
    """The determinant of each matrix.

    >>> print(MatrixDeterminant()(Tensor([[2.0, 1.0], [0.0, 4.0]])).asnumpy().round(4))
    8.0
    """

    def infer(self, x: Spec) -> Spec:
        a_square(self.name, x)
        return Spec(x.shape[:-2], x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = np.linalg.det(x)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: turned(MatrixInverse()(x)) * _matrix(dout * out),)


def _matrix(x: Tensor) -> Tensor:
    """A number per matrix as a 1x1 matrix."""
    return Reshape()(x, (*x.shape, 1, 1))


class LogMatrixDeterminant(Primitive):
    """The sign of the determinant of each matrix, and the logarithm of its size.

    >>> sign, log = LogMatrixDeterminant()(Tensor([[-1.0, 0.0], [0.0, 1.0]]))
    >>> print(sign, log)
    -1.0 0.0
    """

    partial = True

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        spec = Spec(a_square(self.name, x).shape[:-2], x.dtype)
        return spec, spec

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        sign, log = np.linalg.slogdet(x)
        out[0][...], out[1][...] = sign, log

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        if x.dtype.kind == "c":
            raise TypeError(f"{self.name}: x must be real to be differentiated, got {x.dtype}.")
        if dout[1] is None:
            return (None,)
        return (lambda: MatrixInverse(True)(x) * _matrix(dout[1]),)


class MatrixSolve(Primitive):
    """The x of ``matrix @ x = rhs``; with ``adjoint`` of the conjugate transpose.

    >>> print(MatrixSolve()(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]
    """

    adjoint: bool = False
    hermitian = True

    def check(self) -> None:
        checks.boolean(self.name, "adjoint", self.adjoint)

    def infer(self, matrix: Spec, rhs: Spec) -> Spec:
        a_square(self.name, matrix, "matrix")
        if a_kind(self.name, rhs, "fc", "rhs").ndim < 2 or rhs.shape[-2] != matrix.shape[-1]:
            raise ValueError(
                f"{self.name}: rhs must have {matrix.shape[-1]} rows like matrix, got {rhs} and "
                f"{matrix}."
            )
        if rhs.dtype != matrix.dtype:
            raise TypeError(f"{self.name}: rhs must be {matrix.dtype} like matrix, got {rhs}.")
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
        return Spec((*batch, *rhs.shape[-2:]), matrix.dtype)

    def matrix(self, m: np.ndarray) -> np.ndarray:
        """What is solved for."""
        return m.swapaxes(-1, -2).conj() if self.adjoint else m

    def kernel(self, matrix: np.ndarray, rhs: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, computed(self.name, np.linalg.solve, self.matrix(matrix), rhs))

    def vjp(self, matrix: Tensor, rhs: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def by_rhs() -> Tensor:
            return MatrixSolve(not self.adjoint)(matrix, dout)

        def by_matrix() -> Tensor:
            made = -product(by_rhs(), adjoint(out))
            return unbroadcast(adjoint(made) if self.adjoint else made, matrix)

        return by_matrix, lambda: unbroadcast(by_rhs(), rhs)


class MatrixTriangularSolve(MatrixSolve):
    """The x of ``triangle @ x = rhs``, the triangle being one half of a matrix.

    Args:
        lower: take the lower half, else the upper one.
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

    def matrix(self, m: np.ndarray) -> np.ndarray:
        return super().matrix(np.tril(m) if self.lower else np.triu(m))

    def kernel(self, matrix: np.ndarray, rhs: np.ndarray, *, out: np.ndarray) -> None:
        upper = self.matrix(matrix)
        if self.lower != self.adjoint:  # upside down: LAPACK has nothing to eliminate or exchange
            upper, rhs, out = upper[..., ::-1, ::-1], rhs[..., ::-1, :], out[..., ::-1, :]
        np.copyto(out, computed(self.name, np.linalg.solve, upper, rhs))

    def vjp(self, matrix: Tensor, rhs: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def by_rhs() -> Tensor:
            return MatrixTriangularSolve(self.lower, not self.adjoint)(matrix, dout)

        def by_matrix() -> Tensor:
            made = -product(by_rhs(), adjoint(out))
            made = adjoint(made) if self.adjoint else made
            return unbroadcast(registry["Tril" if self.lower else "Triu"]()(made), matrix)

        return by_matrix, lambda: unbroadcast(by_rhs(), rhs)


class MatrixSolveLs(_Composite):
    """The x with the least |matrix @ x - rhs|^2 + l2_regularizer * |x|^2.

    Args:
        fast: kept for MindSpore's sake.

    >>> import minispore as ms
    >>> matrix, rhs = Tensor([[1.0], [1.0]]), Tensor([[1.0], [3.0]])
    >>> print(MatrixSolveLs()(matrix, rhs, Tensor(0.0, ms.float64)))
    [[2.]]
    """

    fast: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "fast", self.fast)

    def __call__(self, matrix: Tensor, rhs: Tensor, l2_regularizer: Any) -> Tensor:
        check_arithmetic_operands(self.name, l2_regularizer=l2_regularizer)
        if matrix.ndim < 2 or rhs.shape[-2:-1] != matrix.shape[-2:-1]:
            raise ValueError(
                f"{self.name}: rhs must have as many rows as matrix, got shapes {rhs.shape} and "
                f"{matrix.shape}."
            )
        across = turned(matrix)
        ridge = Tensor(np.eye(matrix.shape[-1]), matrix.dtype) * to_static(l2_regularizer)
        return MatrixSolve()(product(across, matrix) + ridge, product(across, rhs))


class TridiagonalMatMul(_Composite):
    """The product of a matrix, of which three diagonals are given, and ``rhs``.

    Shape: superdiag, maindiag, subdiag: (..., 1, M); rhs: (..., M, N).

    >>> one = Tensor([[1.0, 1.0]])
    >>> print(TridiagonalMatMul()(one, one, one, Tensor([[1.0], [2.0]])))
    [[3.]
     [3.]]
    """

    def __call__(self, superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor) -> Tensor:
        m = rhs.shape[-2]
        for name, d in (("superdiag", superdiag), ("maindiag", maindiag), ("subdiag", subdiag)):
            if d.shape != (*rhs.shape[:-2], 1, m):
                raise ValueError(
                    f"{self.name}: {name} must have the shape {(*rhs.shape[:-2], 1, m)}, got "
                    f"{d.shape}."
                )
        upper, middle, lower = (turned(d) for d in (superdiag, maindiag, subdiag))
        empty = ZerosLike()(rhs[..., :1, :])
        stack = Concat(-2)
        below, above = stack((rhs[..., 1:, :], empty)), stack((empty, rhs[..., :-1, :]))
        return middle * rhs + upper * below + lower * above


# -- functions -------------------------------------------------------------------------------------


@method("inverse")
def inverse(input: Tensor) -> Tensor:
    """:class:`MatrixInverse` of ``input``."""
    return MatrixInverse()(input)


@method("det")
def det(input: Tensor) -> Tensor:
    """:class:`MatrixDeterminant` of ``input``."""
    return MatrixDeterminant()(input)


@method("matrix_determinant")
def matrix_determinant(input: Tensor) -> Tensor:
    """:class:`MatrixDeterminant` of ``input``."""
    return MatrixDeterminant()(input)


@method("slogdet")
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """:class:`LogMatrixDeterminant` of ``input``."""
    return LogMatrixDeterminant()(input)


@method("log_matrix_determinant")
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """:class:`LogMatrixDeterminant` of ``input``."""
    return LogMatrixDeterminant()(input)


@method("logdet")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of ``input``, nan where that is negative."""
    return Log()(MatrixDeterminant()(input))


def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = False) -> Tensor:
    """:class:`MatrixSolve` of ``matrix`` and ``rhs``."""
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
