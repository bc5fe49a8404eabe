"""What is least, by SciPy's names: minimize, line_search and linear_sum_assignment."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import minispore as ms
from minispore import Tensor, ops
from minispore.scipy.optimize import line_search, linear_sum_assignment, minimize

METHODS = pytest.mark.parametrize("method", ["BFGS", "LBFGS", "bfgs"])


def rosenbrock(x: Tensor) -> Tensor:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def himmelblau(p: Tensor) -> Tensor:
    x, y = p
    return (x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2


@METHODS
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_valleys_are_followed_to_their_ends(method: str, dtype: Any) -> None:
    bound = 1e-3 if dtype is np.float32 else 1e-6
    for f, start, end in (
        (rosenbrock, np.zeros(4), np.ones(4)),
        (himmelblau, np.zeros(2), np.array([3.0, 2.0])),
        (lambda x: ops.cosh(x - 2).sum(), np.zeros(1), np.array([2.0])),
    ):
        actual = minimize(f, Tensor(start.astype(dtype)), method=method)
        np.testing.assert_allclose(actual.x.asnumpy(), end, atol=bound)
        assert actual.x.dtype == actual.jac.dtype == ms.Tensor(start.astype(dtype)).dtype
        assert actual.status == 0 or dtype is np.float32  # whose digits may end before
        assert (
            actual.success == (actual.status == 0) == (np.abs(actual.jac.asnumpy()).max() <= 1e-5)
        )
        assert actual.fun == pytest.approx(float(f(actual.x)), abs=1e-12)
        assert actual.nfev == actual.njev > actual.nit > 0


def test_the_curvature_that_bfgs_has_learnt_is_the_inverse_of_the_hessian() -> None:
    a = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    hessian = Tensor(a)
    actual = minimize(
        lambda x, b: (x * (ops.matmul(hessian, x))).sum() / 2 - (b * x).sum(),
        Tensor(np.zeros(3)),
        args=(Tensor(np.array([1.0, 2.0, 3.0])),),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    assert actual.success
    np.testing.assert_allclose(actual.x.asnumpy(), np.linalg.solve(a, [1, 2, 3]), atol=1e-8)
    np.testing.assert_allclose(actual.hess_inv.asnumpy(), np.linalg.inv(a), atol=5e-3)


@METHODS
def test_minimize_uses_the_jac_argument(method: str) -> None:
    requests = []

    def slope(x: Tensor, c: float) -> Tensor:
        requests.append(c)
        return 2 * (x - c)

    start = Tensor(np.zeros(2))
    actual = minimize(lambda x, c: ((x - c) ** 2).sum(), start, (3.0,), method, jac=slope)
    assert actual.success and actual.njev == len(requests)
    np.testing.assert_allclose(actual.x.asnumpy(), [3, 3], atol=1e-6)


def test_options_bound_the_work_and_the_end() -> None:
    start = Tensor(np.zeros(4))
    short = minimize(rosenbrock, start, method="BFGS", options={"maxiter": 3})
    assert (short.nit, short.status, short.success) == (3, 1, False)
    rough = minimize(rosenbrock, start, method="BFGS", tol=0.5)
    fine = minimize(rosenbrock, start, method="BFGS", options={"gtol": 1e-9, "maxiter": None})
    assert rough.success and fine.success and rough.nit < fine.nit
    assert 1e-9 < np.abs(rough.jac.asnumpy()).max() <= 0.5
    assert np.abs(fine.jac.asnumpy()).max() <= 1e-9


def test_a_function_that_falls_for_ever_or_is_nan_is_no_success() -> None:
    down = minimize(lambda x: -x.sum(), Tensor(np.zeros(2)), method="BFGS")
    assert not down.success
    nan = minimize(lambda x: (x * np.nan).sum(), Tensor(np.zeros(2)), method="LBFGS")
    assert not nan.success and nan.status == 3


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"method": None}, ValueError, "method must be 'BFGS' or 'LBFGS', got None"),
        ({"method": "LAGRANGE"}, ValueError, "got 'LAGRANGE'. For constraints"),
        ({"bounds": [(0, 1)]}, ValueError, "bounds must be None for BFGS"),
        ({"constraints": [len]}, ValueError, "constraints must be None"),
        ({"args": 1}, TypeError, "args must be a tuple, got 1"),
        ({"x0": np.zeros(2)}, TypeError, "x0 must be a Tensor of floats"),
        ({"x0": Tensor([1, 2])}, TypeError, "x0 must be a Tensor of floats"),
        ({"x0": Tensor([[1.0]])}, ValueError, "x0 must be a vector"),
        ({"options": {"gtoll": 1}}, TypeError, "got 'gtoll'"),
        ({"options": {"maxiter": 0}}, ValueError, "maxiter must be >= 1, got 0"),
        ({"func": 3}, TypeError, "func must be callable, got 3"),
        ({"func": lambda x: x}, ValueError, "func must return one number"),
        ({"jac": lambda x: x.sum()}, ValueError, "jac must return the shape of x"),
    ],
)
def test_arguments_that_do_not_fit_are_named(change: Any, error: Any, words: str) -> None:
    options = {"func": himmelblau, "x0": Tensor([0.0, 0.0]), "method": "BFGS"}
    with pytest.raises(error, match=words):
        minimize(**{**options, **change})


@given(st.floats(0.05, 20), st.floats(-3, 3), st.floats(0.1, 0.9))
def test_a_step_along_a_line_fulfils_both_conditions(steep: float, at: float, c2: float) -> None:
    def f(x: Tensor) -> Tensor:
        return (ops.cosh((x - 1) * steep / 20) * 20 / steep + x * x * steep / 40).sum()

    x = Tensor(np.array([at]))
    value, slope = ms.value_and_grad(f)(x)
    step = -slope
    actual = line_search(f, x, step, c2=c2, gfk=slope, old_fval=value)
    if abs(float(slope[0])) < 1e-6:
        return
    fall = float((slope * step).sum())
    assert not actual.failed and actual.status == 0 and actual.nfev == actual.ngev >= actual.k > 0
    assert actual.f_k <= float(value) + 1e-4 * actual.a_k * fall + 1e-12
    assert abs(float((actual.g_k * step).sum())) <= -c2 * fall + 1e-12
    assert actual.f_k == pytest.approx(float(f(x + actual.a_k * step)))


def test_a_line_that_does_not_fall_fails_with_the_step_one() -> None:
    start, up = Tensor(np.ones(2, np.float32)), Tensor(np.array([-1, -1], np.float32))
    actual = line_search(lambda x: x[0] ** 2 - x[1] ** 3, start, up)
    assert actual.failed and actual.status == 1 and actual.a_k == 1.0 and actual.f_k == 0.0
    with pytest.raises(ValueError, match="pk must have the shape of xk"):
        line_search(himmelblau, start, Tensor([1.0]))


# -- assignments -----------------------------------------------------------------------------------


def least(costs: np.ndarray) -> float:
    if costs.shape[0] > costs.shape[1]:
        costs = costs.T
    columns = permutations(range(costs.shape[1]), costs.shape[0])
    return min(float(costs[range(len(c)), c].sum()) for c in columns)


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5),
              elements=st.integers(-4, 4)), st.booleans(), st.integers(1, 6))  # fmt: skip
def test_an_assignment_is_the_best_of_all(costs: np.ndarray, most: bool, limit: int) -> None:
    rows, columns = (
        t.asnumpy() for t in linear_sum_assignment(Tensor(costs), most, Tensor(limit, ms.int64))
    )
    assert rows.dtype == columns.dtype == np.int64 and rows.shape == (min(costs.shape),)
    count = min(costs.shape[0], min(limit, costs.shape[1]))
    assert (rows[count:] == -1).all() and (columns[count:] == -1).all()
    rows, columns = rows[:count], columns[:count]
    assert (np.diff(rows) > 0).all() and len(set(columns)) == count and (columns < limit).all()
    sign = -1 if most else 1
    assert sign * costs[rows, columns].sum() == least(sign * costs[:, :limit])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32"])
def test_linear_sum_assignment_runs_in_a_graph_for_every_dtype(dtype: str) -> None:
    costs = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]]).astype(dtype)
    rows, columns = ms.jit(lambda c: linear_sum_assignment(c, False))(Tensor(costs))
    assert (rows.asnumpy().tolist(), columns.asnumpy().tolist()) == ([0, 1, 2], [1, 0, 2])


@pytest.mark.parametrize("shape", [(120, 150), (150, 120)])
def test_linear_sum_assignment_returns_the_only_zero_cost_assignment(
    shape: tuple[int, int],
) -> None:
    rng = np.random.default_rng(0)
    costs, count = rng.uniform(0.1, 1.0, shape), min(shape)
    pairs = np.array([rng.permutation(n)[:count] for n in shape])
    pairs = pairs[:, np.argsort(pairs[0])]
    costs[tuple(pairs)] = 0
    outputs = [t.asnumpy() for t in linear_sum_assignment(Tensor(costs), False)]
    np.testing.assert_array_equal(outputs, pairs)


@pytest.mark.parametrize(
    ("costs", "limit", "error", "words"),
    [
        ([1.0], None, ValueError, "cost_matrix must have two axes"),
        ([[np.nan]], None, RuntimeError, "neither NaN"),
        ([[-np.inf]], None, RuntimeError, "neither NaN"),
        ([[np.inf, 1.0], [np.inf, 2.0]], None, RuntimeError, "a column of finite cost"),
        ([[1.0]], Tensor(0, ms.int64), RuntimeError, "dimension_limit must be positive, got 0"),
        ([[1.0]], Tensor(1, ms.int32), TypeError, "dimension_limit must be a Tensor of int64"),
        ([[1.0]], 1, TypeError, "dimension_limit must be a Tensor"),
        ([[1j]], None, TypeError, "cost_matrix must be of"),
    ],
)
def test_costs_without_an_assignment_are_refused(
    costs: Any, limit: Any, error: Any, words: str
) -> None:
    with pytest.raises(error, match=words):
        linear_sum_assignment(Tensor(np.array(costs)), False, limit)
    with pytest.raises(TypeError, match="maximize must be a bool, got 1"):
        linear_sum_assignment(Tensor([[1.0]]), 1)
