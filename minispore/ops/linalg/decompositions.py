"""Matrix decompositions: SVD, QR, eigenvalues, Householder reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.linalg.diagonal import Tril
from minispore.ops.linalg.solving import (
    MatrixTriangularSolve,
    call_numpy_linalg,
    check_square,
    multiply_matrices,
    transpose_matrices,
    truncate_columns,
)
from minispore.ops.linalg.vector_norms import matrix_norm
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


def check_matrices(op: str, x: Any, name: str = "x", kinds: str = "f") -> Spec:
    """Return ``x`` if it is the spec of matrices of floats, or of dtypes of ``kinds``.

    Raises:
        TypeError: ``x`` has the wrong dtype.
        ValueError: ``x`` has fewer than 2 axes.
    """
    if check_dtype_kind(op, x, kinds, name).ndim < 2:
        raise ValueError(f"{op}: {name} must hold matrices in its last two axes, got {x}.")
    return x


def _make_identity(x: Tensor) -> Tensor:
    """Return the identity matrix of the size of the last axis of ``x``, in its dtype."""
    return Tensor(np.eye(x.shape[-1]), x.dtype)


class Svd(Primitive):
    """The decomposition x = u @ diag(s) @ v^H: returns the singular values s in descending order, u
    and v.

    Args:
        full_matrices: make u and v square.
        compute_uv: if False, compute only s.

    Returns:
        ``(s, u, v)``, all in the dtype of ``input``; u and v are ``[0]`` if not computed.

    >>> s, u, v = Svd()(Tensor([[3.0, 0.0], [0.0, 2.0]]))
    >>> print(s)
    [3. 2.]
    """

    full_matrices: bool = False
    compute_uv: bool = True
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        checks.boolean(self.name, "full_matrices", self.full_matrices)
        checks.boolean(self.name, "compute_uv", self.compute_uv)

    def infer(self, x: Spec) -> Any:
        """Return the specs of s, u and v; without ``compute_uv``, u and v are one-element
        placeholders.
        """
        check_matrices(self.name, x, "input", "fc")
        *batch, m, n = x.shape
        k = min(m, n)
        values = Spec((*batch, k), x.dtype)
        if not self.compute_uv:
            return values, Spec((1,), x.dtype), Spec((1,), x.dtype)
        left, right = (m, n) if self.full_matrices else (k, k)
        return values, Spec((*batch, m, left), x.dtype), Spec((*batch, n, right), x.dtype)

    def kernel(self, x: np.ndarray, *, out: Any) -> None:
        """Decompose x, and write v, of which NumPy returns the conjugate transpose."""
        factors = call_numpy_linalg(
            self.name, np.linalg.svd, x, self.full_matrices, self.compute_uv
        )
        results = (factors, 0, 0)
        if self.compute_uv:
            u, s, vt = factors
            results = (s, u, vt.conj().swapaxes(-1, -2))
        for target, result in zip(out, results, strict=True):
            target[...] = result

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function for real x; the cotangents of s, u and v may each be
        None.
        """
        if x.dtype.kind == "c":
            raise TypeError(f"{self.name}: x must be real to be differentiated, got {x.dtype}.")
        s, ds = out[0], dout[0]
        if not self.compute_uv:

            def compute_grad_without_vectors() -> Tensor:
                """Compute u @ diag(ds) @ v^T by a new decomposition, since the op did not return u
                and v.
                """
                _, u, v = Svd()(x)
                return multiply_matrices(u * ExpandDims()(ds, -2), transpose_matrices(v))

            return (None if ds is None else compute_grad_without_vectors,)
        u, du = truncate_columns(out[1], dout[1], s.shape[-1])
        v, dv = truncate_columns(out[2], dout[2], s.shape[-1])

        def compute_x_grad() -> Tensor:
            """Compute the gradient of x from the cotangents of s, u and v."""
            # Townsend, https://j-towns.github.io/papers/svd-derivative.pdf
            row, column = ExpandDims()(s, -2), ExpandDims()(s, -1)
            gaps = row * row - column * column
            inverse_gaps = 1 / (gaps + _make_identity(s)) * (1 - _make_identity(s))
            # dx = u @ inner @ v^T, plus a term for the parts of du and dv outside the columns of u
            # and v
            inner = None if ds is None else ExpandDims()(ds, -1) * _make_identity(s)
            outside = None
            if du is not None:
                projection = multiply_matrices(transpose_matrices(u), du)
                term = inverse_gaps * (projection - transpose_matrices(projection)) * row
                inner = term if inner is None else inner + term
                if u.shape[-2] > u.shape[-1]:
                    residual = du - multiply_matrices(u, projection)
                    outside = multiply_matrices(residual / row, transpose_matrices(v))
            if dv is not None:
                projection = multiply_matrices(transpose_matrices(v), dv)
                term = inverse_gaps * (projection - transpose_matrices(projection)) * column
                inner = term if inner is None else inner + term
                if v.shape[-2] > v.shape[-1]:
                    residual = dv - multiply_matrices(v, projection)
                    term = multiply_matrices(u, transpose_matrices(residual / row))
                    outside = term if outside is None else outside + term
            grad = multiply_matrices(u, inner, transpose_matrices(v))  # type: ignore[arg-type]
            return grad if outside is None else grad + outside

        return (compute_x_grad,) if any(d is not None for d in dout) else (None,)


class Qr(Primitive):
    """The decomposition x = q @ r, with orthonormal columns in q and an upper triangular r.

    Args:
        full_matrices: make q square.

    >>> q, r = Qr()(Tensor([[3.0], [4.0]]))
    >>> print(r.asnumpy().round(4))
    [[-5.]]
    """

    full_matrices: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "full_matrices", self.full_matrices)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        check_matrices(self.name, x)
        *batch, m, n = x.shape
        k = m if self.full_matrices else min(m, n)
        return Spec((*batch, m, k), x.dtype), Spec((*batch, k, n), x.dtype)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        q, r = np.linalg.qr(x, "complete" if self.full_matrices else "reduced")
        np.copyto(out[0], q)
        np.copyto(out[1], r)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function; raise ValueError if x is tall and q is square."""
        q, r = out
        dq, dr = dout
        m, n = x.shape[-2:]
        if q.shape[-1] > n:
            raise ValueError("Qr: full_matrices must be False to differentiate a tall matrix.")

        def differentiate_square(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Tensor:
            """Return the gradient of x for a square r, from the cotangents of q and r."""
            # Walter & Lehmann, https://arxiv.org/abs/1009.6112
            r_term = multiply_matrices(r, transpose_matrices(dr))
            inner = r_term - multiply_matrices(transpose_matrices(dq), q)
            lower = Tril(-1)(inner)
            symmetric = lower + transpose_matrices(lower) + inner * _make_identity(inner)
            left = dq + multiply_matrices(q, symmetric)
            solution = MatrixTriangularSolve(lower=False)(r, transpose_matrices(left))
            return transpose_matrices(solution)

        def compute_x_grad() -> Tensor:
            if m >= n:
                return differentiate_square(q, r, dq, dr)
            # The first m columns of a wide x determine q, and the other columns are q @ r.
            wide_x, wide_dr = x[..., m:], dr[..., m:]
            total_dq = dq + multiply_matrices(wide_x, transpose_matrices(wide_dr))
            square_grad = differentiate_square(q, r[..., :m], total_dq, dr[..., :m])
            return Concat(-1)((square_grad, multiply_matrices(q, wide_dr)))

        return (compute_x_grad,)


class Eig(Primitive):
    """The complex eigenvalues of each square matrix, and with ``compute_v`` its eigenvectors as
    columns.

    Args:
        compute_v: if False, the second output is a single 0.

    >>> values, _ = Eig()(Tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> print(np.sort(values.asnumpy().real))
    [2. 3.]
    """

    compute_v: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "compute_v", self.compute_v)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the complex specs of the eigenvalues and the eigenvectors, or of a 0-d placeholder
        for these.
        """
        check_square(self.name, x)
        is_double = x.dtype.itemsize == (16 if x.dtype.kind == "c" else 8)
        dtype = np.dtype(np.complex128 if is_double else np.complex64)
        return Spec(x.shape[:-1], dtype), Spec(x.shape if self.compute_v else (), dtype)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        if self.compute_v:
            values, vectors = call_numpy_linalg(self.name, np.linalg.eig, x)
        else:
            values, vectors = call_numpy_linalg(self.name, np.linalg.eigvals, x), 0
        out[0][...], out[1][...] = values, vectors


class MatrixLogarithm(Primitive):
    """The matrix whose exponential is x, for diagonalizable complex matrices.

    >>> x = Tensor(np.array([[1, 0], [0, 1]], np.complex64))
    >>> print(MatrixLogarithm()(x).asnumpy().real)
    [[0. 0.]
     [0. 0.]]
    """

    def infer(self, x: Spec) -> Spec:
        check_dtype_kind(self.name, x, "c", "x")
        return check_square(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write v log(w) v^-1, with the eigenvalues w and eigenvectors v of each matrix."""
        values, vectors = call_numpy_linalg(self.name, np.linalg.eig, x)
        inverse = call_numpy_linalg(self.name, np.linalg.inv, vectors)
        np.copyto(out, (vectors * np.log(values)[..., None, :]) @ inverse)


# -- Householder reflections -----------------------------------------------------------------------


class Geqrf(Primitive):
    """QR in LAPACK's form: a matrix, and the factors of the Householder reflections.

    The matrix holds r on and above the diagonal, and the reflection vectors of q below it.

    >>> y, tau = Geqrf()(Tensor([[3.0], [4.0]]))
    >>> print(y.asnumpy().round(4).ravel(), tau)
    [-5.   0.5] [1.6]
    """

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        check_matrices(self.name, x, "input")
        return x, Spec((*x.shape[:-2], min(x.shape[-2:])), x.dtype)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        reflections, factors = np.linalg.qr(x, "raw")
        np.copyto(out[0], reflections.swapaxes(-1, -2))
        np.copyto(out[1], factors)


def _apply_reflections(x: Tensor, tau: Tensor, other: Tensor, forward: bool) -> Tensor:
    """Multiply ``other`` from the left by the reflections (I - tau v v^T), with v in the columns of
    x.

    Starts with the first reflection if ``forward``, else with the last.
    """
    m, k = x.shape[-2], tau.shape[-1]
    for i in range(k) if forward else reversed(range(k)):
        column = x[..., i : i + 1]
        is_below = Tensor((np.arange(m) > i)[:, None].astype(float), x.dtype)
        unit = Tensor((np.arange(m) == i)[:, None].astype(float), x.dtype)
        v = column * is_below + unit
        factor = Reshape()(tau[..., i], (*tau.shape[:-1], 1, 1))
        projection = multiply_matrices(transpose_matrices(v), other)
        other = other - multiply_matrices(v * factor, projection)
    return other


class Orgqr(_Composite):
    """The first columns of q from the result of :class:`Geqrf`.

    >>> x = Tensor([[3.0], [4.0]])
    >>> print(Orgqr()(*Geqrf()(x)).asnumpy().round(4).ravel())
    [-0.6 -0.8]
    """

    def __call__(self, x: Tensor, tau: Tensor) -> Tensor:
        """Apply the reflections to the first columns of an identity matrix."""
        if x.ndim < 2 or x.shape[-2] < x.shape[-1] or tau.shape[-1] > x.shape[-1]:
            raise ValueError(
                f"{self.name}: x must hold matrices with at least as many rows as columns, and tau "
                f"at most one number per column, got shapes {x.shape} and {tau.shape}."
            )
        m, n = x.shape[-2:]
        start = ZerosLike()(x) + Tensor(np.eye(m, n), x.dtype)
        return _apply_reflections(x, tau, start, forward=False)


class Ormqr(_Composite):
    """q @ other, or without ``left`` other @ q, for the q that :class:`Geqrf` returned.

    Args:
        left: multiply by q from the left, else from the right.
        transpose: use q^T in place of q.

    >>> x, eye = Tensor([[3.0], [4.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> print(Ormqr()(*Geqrf()(x), eye).asnumpy().round(4)[:, 0])
    [-0.6 -0.8]
    """

    left: bool = True
    transpose: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "left", self.left)
        checks.boolean(self.name, "transpose", self.transpose)

    def __call__(self, x: Tensor, tau: Tensor, other: Tensor) -> Tensor:
        """Apply the reflections to ``other``; without ``left``, to its transpose."""
        rows = other.shape[-2 if self.left else -1] if other.ndim > 1 else 0
        if x.ndim < 2 or rows != x.shape[-2]:
            raise ValueError(
                f"{self.name}: other must fit the {x.shape[-2:-1]} rows of x, got shapes "
                f"{other.shape} and {x.shape}."
            )
        if self.left:
            return _apply_reflections(x, tau, other, self.transpose)
        return transpose_matrices(
            _apply_reflections(x, tau, transpose_matrices(other), not self.transpose)
        )


class NuclearNorm(_Composite):
    """The sum of the singular values of the matrices in the axes ``dim``.

    >>> print(NuclearNorm()(Tensor([[3.0, 0.0], [0.0, 2.0]])))
    5.0
    """

    dim: Any = None
    keepdim: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "keepdim", self.keepdim)

    def __call__(self, x: Tensor) -> Tensor:
        return matrix_norm(x, "nuc", (-2, -1) if self.dim is None else self.dim, self.keepdim)


# -- functions -------------------------------------------------------------------------------------


@method("svd")
def svd(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Apply :class:`Svd` to ``input``; without ``compute_uv``, return only the singular values."""
    return Svd(full_matrices, compute_uv)(input)[slice(None) if compute_uv else 0]


def qr(input: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Apply :class:`Qr` to ``input``; ``mode`` is "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', got {mode!r}.")
    return Qr(mode == "complete")(input)


@method("qr")
def _qr_method(self: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    """Apply :class:`Qr` to the tensor; ``some=False`` gives a square q."""
    return Qr(not some)(self)


def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the complex eigenvalues of ``A``, and its eigenvectors as columns."""
    return Eig(compute_v=True)(A)


@method("eigvals")
def eigvals(A: Tensor) -> Tensor:
    """Return the complex eigenvalues of ``A``."""
    return Eig(compute_v=False)(A)[0]


@method("geqrf")
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """Return QR in LAPACK's form: a matrix, and the factors of the Householder reflections.

    The matrix holds r on and above the diagonal, and the reflection vectors of q below it.
    """
    return Geqrf()(input)


@method("orgqr")
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """Return the first columns of q from the two results of :func:`geqrf`."""
    return Orgqr()(input, input2)


@method("ormqr")
@also_spelled(input2="tau", input3="other")
def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False
) -> Tensor:
    """Return q @ other, or without ``left`` other @ q.

    :func:`geqrf` returned q as ``input`` and ``tau``; ``transpose`` uses q^T in place of q.
    """
    return Ormqr(left, transpose)(input, tau, other)


__all__ = [
    "Eig",
    "Geqrf",
    "MatrixLogarithm",
    "NuclearNorm",
    "Orgqr",
    "Ormqr",
    "Qr",
    "Svd",
    "eig",
    "eigvals",
    "geqrf",
    "orgqr",
    "ormqr",
    "qr",
    "svd",
]
