"""Matrix functions under the names of ``scipy.linalg``. Integers are computed as float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.linalg.cholesky import Cholesky
from minispore.ops.linalg.decompositions import Svd
from minispore.ops.linalg.eigh import Eigh
from minispore.ops.linalg.least_squares import pinv
from minispore.ops.linalg.lu import Lu, make_permutation_matrix
from minispore.ops.linalg.solving import MatrixTriangularSolve
from minispore.ops.support.arguments import check_tensors

_REAL = (mstype.int32, mstype.int64, mstype.float32, mstype.float64)


def _check_matrix(
    api_name: str, a: Any, dtypes: tuple[Any, ...] = _REAL, square: bool = True
) -> Tensor:
    """Return ``a``, cast to float64 if it holds integers.

    Raises:
        TypeError: ``a`` is not a Tensor, or its dtype is not one of ``dtypes``.
        ValueError: ``a`` does not hold matrices, or with ``square`` not square matrices.
    """
    if not isinstance(a, Tensor):
        raise TypeError(f"{api_name}: a must be a Tensor, got {a!r} ({type(a).__name__}).")
    if a.dtype not in dtypes:
        raise TypeError(f"{api_name}: a must be one of {list(dtypes)}, got {a.dtype}.")
    if a.ndim < 2 or (square and a.shape[-1] != a.shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise ValueError(f"{api_name}: a must hold {kind}, got the shape {a.shape}.")
    return a if a.dtype.kind in "fc" else ops.cast(a, mstype.float64)


def _check_flags(api_name: str, **flags: Any) -> None:
    """Raise TypeError unless each of these arguments is a bool."""
    for flag, value in flags.items():
        checks.boolean(api_name, flag, value)


def block_diag(*arrs: Any) -> Tensor:
    """Return a matrix with ``arrs`` as blocks along the diagonal, and 0 elsewhere.

    A vector is a block of one row, a number a block of one element; without ``arrs``, the result is
    (1, 0). An array of more than 2 axes raises a ValueError.

    >>> print(block_diag(Tensor([1.0, 2.0]), Tensor([[3.0]])))
    [[1. 2. 0.]
     [0. 0. 3.]]
    """
    if not arrs:
        return Tensor(np.zeros((1, 0), np.float32))
    blocks = []
    for arr in arrs:
        block = arr if isinstance(arr, Tensor) else Tensor(arr)
        if block.ndim > 2:
            raise ValueError(f"block_diag: arrs must be matrices, got the shape {block.shape}.")
        blocks.append(ops.reshape(block, (1,) * (2 - block.ndim) + block.shape))
    width = sum(b.shape[1] for b in blocks)
    rows = []
    columns_before = 0
    for block in blocks:
        columns_after = width - columns_before - block.shape[1]
        left, right = (
            ops.zeros((block.shape[0], n), block.dtype) for n in (columns_before, columns_after)
        )
        rows.append(ops.concat([left, block, right], 1))
        columns_before += block.shape[1]
    return ops.concat(rows, 0)


def inv(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Return the inverse of the square matrix ``a``, or of each of a batch (*, N, N).

    The two flags have no effect.

    >>> print(inv(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    _check_flags("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return ops.inverse(_check_matrix("inv", a))


def det(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Return the determinant of the square matrix ``a``, or of each of a batch (*, N, N).

    The two flags have no effect.

    >>> print(det(Tensor([[2.0, 1.0], [0.0, 4.0]])))
    8.0
    """
    _check_flags("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return ops.det(_check_matrix("det", a))


def cholesky(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Tensor:
    """Return the triangular factor U with a = U^T @ U, or L with a = L @ L^T (``lower``).

    The other flags have no effect.

    >>> print(cholesky(Tensor([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 1.]
     [0. 2.]]
    """
    _check_flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return Cholesky(not lower)(_check_matrix("cholesky", a))


def cho_factor(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, bool]:
    """Return the factor of :func:`cholesky`, and whether it is the lower triangle, for
    :func:`cho_solve`.

    The triangle outside the factor is 0; ``overwrite_a`` and ``check_finite`` have no effect.
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


def cho_solve(
    c_and_lower: tuple[Tensor, bool],
    b: Tensor,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Tensor:
    """Return the solution x of a @ x = b, from the factor of a that :func:`cho_factor` returns.

    ``b`` is cast to the dtype of the factor; the flags have no effect.

    >>> print(cho_solve(cho_factor(Tensor([[4.0, 0.0], [0.0, 2.0]])), Tensor([8.0, 8.0])))
    [2. 4.]
    """
    _check_flags("cho_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    c, lower = c_and_lower
    c = _check_matrix("cho_solve", c)
    y = solve_triangular(c, ops.cast(b, c.dtype), 0 if lower else 1, lower)
    return solve_triangular(c, y, 1 if lower else 0, lower)


def eigh(
    a: Tensor,
    b: Any = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: Any = None,
    type: int = 1,
    check_finite: bool = True,
) -> Any:
    """Return the eigenvalues of a Hermitian matrix in ascending order, and (by default) its
    eigenvectors.

    Args:
        a: the matrix, of which only one triangle is read.
        b, eigvals: None.
        lower: whether to read the lower triangle.
        eigvals_only: do not return the eigenvectors.
        overwrite_a, overwrite_b, turbo, check_finite: checked, but otherwise ignored.
        type: ignored.

    Raises:
        TypeError: ``a`` is not a Tensor, or has the wrong dtype; a flag is not a bool.
        ValueError: ``a`` is not one square matrix; ``b`` or ``eigvals`` is not None.

    >>> print(eigh(Tensor([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True))
    [1. 2.]
    """
    _check_flags(
        "eigh",
        lower=lower,
        eigvals_only=eigvals_only,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        turbo=turbo,
        check_finite=check_finite,
    )
    a = _check_matrix("eigh", a, (*_REAL, mstype.complex64, mstype.complex128))
    if a.ndim != 2:
        raise ValueError(f"eigh: a must be one matrix, got the shape {a.shape}. Use ops.eigh.")
    if b is not None or eigvals is not None:
        raise ValueError("eigh: b and eigvals must be None, got others. Solve for inv(b) @ a.")
    w, v = Eigh(lower)(a)
    return w if eigvals_only else (w, v)


def lu_factor(
    a: Tensor, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the LU factors of ``a`` in one matrix, and the pivot rows (counted from 0), for
    :func:`lu_solve`.

    Row i was exchanged with row ``pivots[i]``, in order. The ones on the diagonal of L are not
    stored.

    >>> factors, pivots = lu_factor(Tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> print(pivots)
    [1 1]
    """
    _check_flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    return Lu()(_check_matrix("lu_factor", a))


def lu_solve(
    lu_and_piv: tuple[Tensor, Tensor],
    b: Tensor,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Tensor:
    """Return the solution x of a @ x = b (with ``trans``, of a^T @ x = b) from :func:`lu_factor`'s
    result.

    ``b`` is (*, N) or (*, N, K), as x. ``trans`` is 0, 1 or 2; anything else raises a ValueError.
    ``overwrite_b`` and ``check_finite`` have no effect.

    >>> print(lu_solve(lu_factor(Tensor([[1.0, 2.0], [2.0, 2.0]])), Tensor([5.0, 6.0])))
    [1. 2.]
    """
    _check_flags("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    if trans not in (0, 1, 2):
        raise ValueError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}.")
    factors, pivots = lu_and_piv
    check_tensors("lu_solve", b=b)
    factors = _check_matrix("lu_solve", factors)
    rows = make_permutation_matrix(pivots, factors.shape[-1], factors.dtype)
    x = ops.expand_dims(b, -1) if b.ndim == factors.ndim - 1 else b
    x = ops.cast(x, factors.dtype)
    if trans:
        x = solve_triangular(factors, x, 1)
        x = solve_triangular(factors, x, 1, lower=True, unit_diagonal=True)
        x = ops.matmul(rows, x)
    else:
        x = ops.matmul(ops.swapaxes(rows, -1, -2), x)
        x = solve_triangular(factors, x, 0, lower=True, unit_diagonal=True)
        x = solve_triangular(factors, x)
    return ops.squeeze(x, -1) if b.ndim == factors.ndim - 1 else x


def lu(
    a: Tensor, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Return P, L and U with a = P @ L @ U; with ``permute_l``, return P @ L and U.

    P is a permutation matrix of int32. The other flags have no effect.

    >>> _, l, u = lu(Tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> print(u)
    [[2. 2.]
     [0. 1.]]
    """
    _check_flags("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    a = _check_matrix("lu", a, square=False)
    factors, pivots = Lu()(a)
    m, n = a.shape[-2:]
    k = min(m, n)
    lower_factor = ops.tril(factors[..., :k], -1) + Tensor(np.eye(m, k), a.dtype)
    upper_factor = ops.triu(factors[..., :k, :])
    rows = make_permutation_matrix(pivots, m, a.dtype)
    if permute_l:
        return ops.matmul(rows, lower_factor), upper_factor
    return ops.cast(rows, mstype.int32), lower_factor, upper_factor


_DRIVERS = ("gels", "gelsy", "gelss", "gelsd")


def lstsq(
    A: Tensor, B: Tensor, rcond: Any = None, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the X that minimizes |A @ X - B|; of several solutions, the one with the smallest
    norm.

    Args:
        A: matrices (*, M, N).
        B: matrices (*, M, K) or vectors (*, M) of the same dtype.
        rcond: ignored, as in MindSpore.
        driver: LAPACK's name, which selects the further outputs: "gelsy" (the default) the rank,
            "gels" the residuals, "gelss" and "gelsd" both and the singular values. X is the same.

    Returns:
        X; the residuals, |A @ X - B| ** 2 of each column, if M > N; the rank of each matrix, int64;
        its singular values. Outputs that ``driver`` does not select are empty tensors.

    Raises:
        TypeError: the dtypes differ, or are neither float nor complex.
        ValueError: the shapes do not fit, or the driver is unknown.

    >>> x, _, rank, _ = lstsq(Tensor([[1.0], [1.0]]), Tensor([1.0, 3.0]))
    >>> print(x.asnumpy().round(4), rank)
    [2.] 1
    """
    if driver is not None and driver not in _DRIVERS:
        raise ValueError(f"lstsq: driver must be one of {_DRIVERS}, got {driver!r}.")
    for operand in (A, B):
        if not isinstance(operand, Tensor):
            raise TypeError(f"lstsq: A and B must be Tensors, got {operand!r}.")
    if A.dtype != B.dtype or A.dtype.kind not in "fc":
        raise TypeError(
            f"lstsq: A and B must be of one dtype of floats or complex numbers, got {A.dtype} "
            f"and {B.dtype}."
        )
    is_vector = B.ndim == A.ndim - 1
    if A.ndim < 2 or B.shape[: A.ndim - 1] != A.shape[:-1] or not (is_vector or B.ndim == A.ndim):
        raise ValueError(
            f"lstsq: B must be (*, M, K) or (*, M) for A (*, M, N), got the shapes {B.shape} and "
            f"{A.shape}."
        )
    dtype = A.dtype
    a, b = (ops.cast(t, mstype.float32) if dtype == mstype.float16 else t for t in (A, B))
    b = ops.expand_dims(b, -1) if is_vector else b
    x = ops.matmul(pinv(a), b)
    empty, no_rank = Tensor(np.zeros(0), dtype), Tensor(np.zeros(0, np.int64))
    m, n = A.shape[-2:]
    residuals, rank, values = empty, no_rank, empty
    if driver in ("gels", "gelss", "gelsd") and m > n:
        residual = ops.abs(ops.matmul(a, x) - b)
        residuals = ops.reduce_sum(residual * residual, -2)
        residuals = ops.squeeze(residuals, -1) if is_vector else residuals
        residuals = ops.cast(residuals, dtype) if dtype.kind == "f" else ops.real(residuals)
    if driver != "gels":
        singular_values, _, _ = Svd(full_matrices=False, compute_uv=False)(a)
        singular_values = ops.real(singular_values) if dtype.kind == "c" else singular_values
        threshold = singular_values[..., :1] * (max(m, n) * np.finfo(mstype.to_numpy(a.dtype)).eps)
        rank = ops.reduce_sum(ops.cast(singular_values > threshold, mstype.int64), -1)
        if driver in ("gelss", "gelsd"):
            values = ops.cast(singular_values, dtype) if dtype.kind == "f" else singular_values
    x = ops.squeeze(x, -1) if is_vector else x
    return ops.cast(x, dtype), residuals, rank, values


_TRANS = {0: False, "N": False, 1: True, "T": True, 2: True, "C": True}


def solve_triangular(
    a: Tensor,
    b: Tensor,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Tensor:
    """Return the solution x of a @ x = b for a triangular matrix ``a``.

    Args:
        a: the matrix; int64 is computed as float64, other integers as float32.
        b: a vector or matrix of the same data type.
        trans: 0 or "N", 1 or "T" for the transpose, 2 or "C" for the conjugate transpose.
        lower: read the lower triangle instead of the upper one.
        unit_diagonal: assume ones on the diagonal.
        overwrite_b, check_finite: checked, but otherwise ignored.
        debug: ignored.

    Raises:
        TypeError: ``a`` or ``b`` is not a Tensor, their dtypes differ or are not supported, or
            ``trans`` is neither an int nor a string.
        ValueError: ``trans`` is invalid, ``a`` is not square, or ``b`` does not fit.

    >>> print(solve_triangular(Tensor([[2.0, 9.0], [0.0, 4.0]]), Tensor([0.0, 4.0])))
    [-4.5  1. ]
    """
    name = "solve_triangular"
    _check_flags(
        name,
        lower=lower,
        unit_diagonal=unit_diagonal,
        overwrite_b=overwrite_b,
        check_finite=check_finite,
    )
    if isinstance(trans, bool) or not isinstance(trans, int | str):
        raise TypeError(f"{name}: trans must be an int or a str, got {trans!r}.")
    if trans not in _TRANS:
        raise ValueError(f"{name}: trans must be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}.")
    for operand in (a, b):
        if not isinstance(operand, Tensor):
            raise TypeError(f"{name}: a and b must be Tensors, got {operand!r}.")
    if a.dtype != b.dtype:
        raise TypeError(f"{name}: a and b must be of one dtype, got {a.dtype} and {b.dtype}.")
    if a.dtype.kind not in "fc":
        float_dtype = mstype.float64 if a.dtype == mstype.int64 else mstype.float32
        a, b = ops.cast(a, float_dtype), ops.cast(b, float_dtype)
    dtypes = (mstype.float32, mstype.float64, mstype.complex64, mstype.complex128)
    a = _check_matrix(name, a, dtypes)
    is_vector = b.ndim == a.ndim - 1
    x = ops.expand_dims(b, -1) if is_vector else b
    if x.ndim < 2 or x.shape[-2] != a.shape[-1]:
        raise ValueError(
            f"{name}: b must have {a.shape[-1]} rows like a, got the shapes {b.shape} and "
            f"{a.shape}."
        )
    if unit_diagonal:
        eye = Tensor(np.eye(a.shape[-1]), a.dtype)
        a = a * (1 - eye) + eye
    if trans in (2, "C") and a.dtype.kind == "c":
        a = ops.conj(a)
    solution = MatrixTriangularSolve(lower, _TRANS[trans])(a, x)
    return ops.squeeze(solution, -1) if is_vector else solution


__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]
