"""Matrices by SciPy's names: what each factor is, in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.scipy import linalg

RNG = np.random.default_rng(0)
A = RNG.normal(size=(5, 5))
B, COLUMN = RNG.normal(size=(5, 2)), RNG.normal(size=5)
SYMMETRIC = A @ A.T + np.eye(5)
MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


def close(actual: Any, expected: Any) -> None:
    actual = actual.asnumpy() if isinstance(actual, Tensor) else actual
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


def run(f: Any, *args: Any) -> Any:
    """As a graph in GRAPH_MODE."""
    return (ms.jit(f) if ms.get_context("mode") == ms.GRAPH_MODE else f)(*map(Tensor, args))


@MODES
@pytest.mark.parametrize("b", [B, COLUMN], ids=["matrix", "vector"])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, "T", 2])
def test_a_triangle_is_solved_for(trans: Any, lower: bool, unit: bool, b: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    half = np.tril(A) if lower else np.triu(A)
    if unit:
        np.fill_diagonal(half, 1)
    x = run(lambda a, b: linalg.solve_triangular(a, b, trans, lower, unit), A, b)
    close((half.T if trans else half) @ x.asnumpy(), b)


@MODES
def test_factors_multiply_to_the_matrix(mode: int) -> None:
    ms.set_context(mode=mode)
    p, low, high = run(linalg.lu, A)
    close(p.asnumpy() @ low.asnumpy() @ high.asnumpy(), A)
    low, high = run(lambda a: linalg.lu(a, permute_l=True), A[:, :3].copy())
    close(low.asnumpy() @ high.asnumpy(), A[:, :3])
    for lower in (False, True):
        c = run(lambda a, lower=lower: linalg.cholesky(a, lower), SYMMETRIC).asnumpy()
        close(c @ c.T if lower else c.T @ c, SYMMETRIC)


@MODES
@pytest.mark.parametrize("b", [B, COLUMN], ids=["matrix", "vector"])
def test_factors_solve_systems(b: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    for trans in (0, 1):
        x = run(lambda a, b, t=trans: linalg.lu_solve(linalg.lu_factor(a), b, t), A, b)
        close((A.T if trans else A) @ x.asnumpy(), b)
    for lower in (False, True):
        x = run(lambda a, b, w=lower: linalg.cho_solve(linalg.cho_factor(a, w), b), SYMMETRIC, b)
        close(SYMMETRIC @ x.asnumpy(), b)


@MODES
@pytest.mark.parametrize("lower", [False, True])
def test_eigenvectors_diagonalise_the_half_that_counts(lower: bool, mode: int) -> None:
    ms.set_context(mode=mode)
    half = np.tril(A) if lower else np.triu(A)
    whole = half + half.T - np.diag(np.diag(A))
    w, v = run(lambda a: linalg.eigh(a, lower=lower), A)
    close(whole @ v.asnumpy(), v.asnumpy() * w.asnumpy())
    close(run(lambda a: linalg.eigh(a, lower=lower, eigvals_only=True), A), w.asnumpy())


def test_eigenvalues_of_complex_matrices_are_real() -> None:
    z = A + 1j * A[::-1]
    hermitian = z + z.conj().T
    w, v = linalg.eigh(Tensor(hermitian))
    assert (w.dtype, v.dtype) == (ms.float64, ms.complex128)
    close(hermitian @ v.asnumpy(), v.asnumpy() * w.asnumpy())


def test_inverse_and_determinant() -> None:
    close(linalg.inv(Tensor(A)).asnumpy() @ A, np.eye(5))
    close(linalg.det(Tensor(A)), np.linalg.det(A))
    assert linalg.det(Tensor([[2, 1], [0, 4]])).dtype == ms.float64


def test_blocks_stand_along_the_diagonal() -> None:
    output = linalg.block_diag(Tensor([1.0, 2.0]), Tensor([[3.0], [4.0]]), Tensor(5.0))
    assert output.asnumpy().tolist() == [[1, 2, 0, 0], [0, 0, 3, 0], [0, 0, 4, 0], [0, 0, 0, 5]]
    assert linalg.block_diag().shape == (1, 0)


T = Tensor(A)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: linalg.eigh(Tensor(np.eye(3)[None])), ValueError, "a must be one matrix"),
        (lambda: linalg.solve_triangular(T, Tensor(B), 3), ValueError, "trans must be 0, 1, 2"),
        (lambda: linalg.solve_triangular(T, Tensor(B), 1.5), TypeError, "trans must be an int"),
        (lambda: linalg.solve_triangular(T, Tensor(B), lower=1), TypeError, "lower must be a bool"),
        (lambda: linalg.solve_triangular(A, Tensor(B)), TypeError, "a and b must be Tensors"),
        (lambda: linalg.solve_triangular(T, Tensor(B[:2])), ValueError, "b must have 5 rows"),
        (lambda: linalg.solve_triangular(T[:2], T), ValueError, "a must hold square matrices"),
        (lambda: linalg.eigh(T, T), ValueError, "b and eigvals must be None"),
        (lambda: linalg.eigh(T.astype(ms.float16)), TypeError, "a must be one of"),
        (lambda: linalg.lu_factor(A), TypeError, "a must be a Tensor"),
        (lambda: linalg.lu_solve((T, T), T, trans=3), ValueError, "trans must be 0, 1 or 2"),
    ],
)
def test_linalg_functions_refuse_bad_arguments(
    call: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("lower", [False, True])
def test_a_triangle_is_solved_row_by_row_and_keeps_its_digits(lower: bool) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(50, 50)), rng.normal(size=50)
    rows = range(50) if lower else range(49, -1, -1)
    a, x = (np.tril(a) if lower else np.triu(a)), np.zeros(50)
    for row in rows:  # substitution
        x[row] = (b[row] - a[row] @ x) / a[row, row]
    output = linalg.solve_triangular(Tensor(a), Tensor(b), lower=lower).asnumpy()
    np.testing.assert_allclose(output, x, rtol=1e-6)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(ms.int32, ms.float32), (ms.int64, ms.float64), (ms.float32, ms.float32)],
)
def test_a_triangle_of_long_integers_is_solved_in_float64(value: Any, expected: Any) -> None:
    a, b = Tensor([[2, 0], [1, 3]], value), Tensor([2, 7], value)
    assert linalg.solve_triangular(a, b, lower=True).dtype == expected


@MODES
@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelss", "gelsd"])
@pytest.mark.parametrize("b", [B, COLUMN], ids=["matrix", "vector"])
@pytest.mark.parametrize(
    "a", [A, A[:, :3], np.hstack([A, A[:, :2] * 2]), A[:, [0, 1, 0]]],
    ids=["square", "tall", "wide", "dependent"],
)  # fmt: skip
def test_least_squares_tell_what_their_driver_does(a: Any, b: Any, driver: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    expected, _, rank, values = np.linalg.lstsq(a, b, rcond=None)
    output, residuals, ranks, singular = run(lambda s, t: linalg.lstsq(s, t, driver=driver), a, b)
    close(output, expected)
    tells = driver in ("gels", "gelss", "gelsd") and a.shape[0] > a.shape[1]
    close(residuals, ((a @ expected - b) ** 2).sum(0) if tells else np.zeros(0))
    assert ranks.asnumpy().tolist() == ([] if driver == "gels" else rank)
    close(singular, values if driver in ("gelss", "gelsd") else np.zeros(0))


def test_least_squares_of_many_of_complex_numbers_and_of_halves() -> None:
    many, right = RNG.normal(size=(3, 5, 2)), RNG.normal(size=(3, 5, 4))
    output, residuals, rank, _ = linalg.lstsq(Tensor(many), Tensor(right), driver="gelsd")
    expected = [np.linalg.lstsq(p, q, rcond=None) for p, q in zip(many, right, strict=True)]
    close(output, np.stack([w[0] for w in expected]))
    close(residuals, np.stack([w[1] for w in expected]))
    assert rank.asnumpy().tolist() == [2, 2, 2]
    a, b = A[:, :3] + 1j * A[:, 2:], B + 1j * B[::-1]
    output, residuals, _, values = linalg.lstsq(Tensor(a), Tensor(b), driver="gelsd")
    expected, squares, _, singular = np.linalg.lstsq(a, b, rcond=None)
    close(output, expected)
    close(residuals, squares)
    close(values, singular)
    half = [Tensor(t.astype(np.float16)) for t in (A[:, :3], B)]
    output = linalg.lstsq(*half, driver="gelsd")
    assert [t.dtype for t in output] == [ms.float16, ms.float16, ms.int64, ms.float16]


def test_least_squares_have_the_derivative_of_the_normal_equations() -> None:
    a, b = Tensor(A[:, :3]), Tensor(B)

    def by_normal_equations(s: Tensor, t: Tensor) -> Tensor:
        turned = ops.swapaxes(s, 0, 1)
        return ops.matmul(linalg.inv(ops.matmul(turned, s)), ops.matmul(turned, t))

    for i in (0, 1):
        got = ms.grad(lambda s, t: (linalg.lstsq(s, t)[0] ** 2).sum(), i)(a, b)
        close(got, ms.grad(lambda s, t: (by_normal_equations(s, t) ** 2).sum(), i)(a, b).asnumpy())


@pytest.mark.parametrize(
    ("a", "b", "driver", "error", "words"),
    [
        (A, B, "gel", ValueError, "driver must be one of"),
        (A, B[:3], None, ValueError, "B must be"),
        (A[0], B, None, ValueError, "B must be"),
        (A, B.astype("float32"), None, TypeError, "of one dtype"),
        (A.astype(int), B.astype(int), None, TypeError, "of one dtype of floats"),
    ],
)
def test_systems_that_do_not_fit_are_refused(a: Any, b: Any, driver: Any, error: Any, words: str):
    with pytest.raises(error, match=words):
        linalg.lstsq(Tensor(a), Tensor(b), driver=driver)
