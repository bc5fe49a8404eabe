"""Initialisers: the distribution of what they draw, and the shapes that they refuse."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import minispore
from minispore import Parameter, Tensor, float16, nn, ops, set_seed
from minispore.core.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)
from minispore.execution import random
from tests.nn import initializer_cases as cases
from tests.nn.initializer_cases import CASES, some
from tests.nn.initializer_cases import drawn as drawn_by_case

SHAPE = (400, 500)  # 200,000 numbers: a mean within 4 sigma / sqrt(200,000) = 0.9 % of sigma


@pytest.fixture(autouse=True)
def seeded():
    state = random.get_state()
    set_seed(7)
    yield
    random.set_state(state)


GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "initializers.npz")


def draw_values(init, shape=SHAPE):
    return initializer(init, shape).asnumpy().astype(np.float64)


@pytest.mark.parametrize(
    ("init", "low", "high", "sigma"),
    [
        (Uniform(), -0.07, 0.07, 0.07 / math.sqrt(3)),
        (Normal(2.0), -math.inf, math.inf, 2.0),
        # a standard normal variable cut at 2 has the standard deviation 0.8796
        (TruncatedNormal(1.0), -2, 2, 0.8796),
        (XavierUniform(2), -2 * math.sqrt(6 / 900), 2 * math.sqrt(6 / 900), 2 * math.sqrt(2 / 900)),
        (XavierNormal(), -math.inf, math.inf, math.sqrt(2 / 900)),
        (HeUniform(math.sqrt(5)), -math.sqrt(1 / 500), math.sqrt(1 / 500), math.sqrt(1 / 1500)),
        (HeNormal(nonlinearity="relu"), -math.inf, math.inf, math.sqrt(2 / 500)),
        (
            HeNormal(mode="fan_out", nonlinearity="tanh"),
            -math.inf,
            math.inf,
            5 / 3 / math.sqrt(400),
        ),
        (
            VarianceScaling(2, "fan_avg", "uniform"),
            -math.sqrt(6 / 450),
            math.sqrt(6 / 450),
            math.sqrt(2 / 450),
        ),
        (
            VarianceScaling(1, "fan_out", "untruncated_normal"),
            -math.inf,
            math.inf,
            math.sqrt(1 / 400),
        ),
    ],
    ids=lambda x: str(x) if isinstance(x, Initializer) else "",
)
def test_initializers_draw_the_bounds_mean_and_deviation_of_their_formula(init, low, high, sigma):
    x = draw_values(init)
    assert x.min() >= low * (1 + 1e-4)
    assert x.max() <= high * (1 + 1e-4)
    assert abs(x.mean()) < 0.01 * sigma
    assert abs(x.std() / sigma - 1) < 0.01


@pytest.mark.parametrize(("case", "shape"), CASES, ids=lambda c: str(c))
def test_under_a_seed_draws_are_those_of_mindspore(case, shape):
    ours, golden = some(drawn_by_case(minispore, case, shape)), GOLDEN[cases.name(case, shape)]
    if "Orthogonal" in case:  # by LAPACK, whose rounding is its own
        np.testing.assert_allclose(ours, golden, atol=2e-6)
    else:
        np.testing.assert_array_equal(ours, golden)


@pytest.mark.parametrize("layer", cases.LAYERS)
def test_under_a_seed_layers_begin_with_the_weights_of_mindspore(layer):
    ours = cases.weights(minispore, layer)
    golden = [GOLDEN[key] for key in GOLDEN.files if key.rpartition(" ")[0] == layer]
    assert len(ours) == len(golden) > 0
    for mine, theirs in zip(ours, golden, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def test_numpys_seed_determines_the_weights():
    np.random.seed(5)  # noqa: NPY002
    first = draw_values("normal", (5,))
    np.random.seed(5)  # noqa: NPY002
    np.testing.assert_array_equal(first, draw_values("normal", (5,)))


def test_bounds_are_absolute():
    x = draw_values(TruncatedNormal(sigma=0.5, mean=10.0, a=-1.0, b=3.0))
    assert x.min() > 2
    assert 2.99 < x.max() <= 3


def test_without_spread_a_truncated_normal_is_its_mean():
    assert (draw_values(TruncatedNormal(0.0, 0.5), (3,)) == 0.5).all()


@pytest.mark.parametrize(("low", "high"), [(9.0, 10.0), (-42.0, -40.0), (40.0, 41.0), (-9.0, 40)])
def test_a_truncated_tail_has_the_right_distribution(low, high):
    """MindSpore's numbers leave such bounds."""
    x = draw_values(TruncatedNormal(sigma=1.0, a=low, b=high))
    assert ((x >= low) & (x <= high)).all()
    if low > 0 or high < 0:
        near = min(abs(low), abs(high))
        # Mills' ratio: beyond ``near`` the mean is near + 1 / near - 2 / near**3 + ...
        assert np.abs(x).mean() - near == pytest.approx(1 / near - 2 / near**3, rel=0.03)


def test_the_receptive_field_of_a_kernel_counts_in_both_fans():
    x = draw_values(XavierUniform(), (20, 30, 5, 5))
    bound = math.sqrt(6 / (30 * 25 + 20 * 25))
    assert bound * 0.99 < np.abs(x).max() <= bound


def test_the_same_seed_draws_the_same():
    set_seed(3)
    first = draw_values("normal", (5,))
    set_seed(3)
    np.testing.assert_array_equal(first, draw_values("normal", (5,)))


@pytest.mark.parametrize(
    ("init", "value"),
    [("zeros", 0), ("zero", 0), ("ones", 1), ("One", 1), (0.5, 0.5), (Constant(3), 3), (True, 1)],
)
def test_constants_fill(init, value):
    np.testing.assert_array_equal(draw_values(init, (2, 2)), value)


def test_identity_and_dirac_pass_their_input_on():
    np.testing.assert_array_equal(draw_values(Identity(), (2, 3)), np.eye(2, 3))
    kernel = draw_values(Dirac(groups=2), (4, 2, 3, 3))
    assert np.argwhere(kernel).tolist() == [[0, 0, 1, 1], [1, 1, 1, 1], [2, 0, 1, 1], [3, 1, 1, 1]]


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (3, 2, 4)])
def test_orthogonal_has_orthonormal_rows_or_columns(shape):
    q = draw_values(Orthogonal(2.0), shape).reshape(shape[0], -1) / 2
    small = q @ q.T if q.shape[0] <= q.shape[1] else q.T @ q
    np.testing.assert_allclose(small, np.eye(len(small)), atol=1e-6)


def test_sparse_has_that_many_zeros_in_each_column():
    x = draw_values(Sparse(0.3), (10, 6))
    assert (x == 0).sum(axis=0).tolist() == [3] * 6


def test_initializer_preserves_the_dtype_and_returns_a_tensor_unchanged():
    assert initializer("normal", (2,), float16).dtype is float16
    t = Tensor([1.0, 2.0])
    assert initializer(t, (2,)) is t


def test_an_int_or_a_list_is_a_shape():
    assert initializer("ones", 3).shape == (3,)
    assert initializer("ones", [2, 3]).shape == (2, 3)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: initializer("noraml", 3), ValueError, "Did you mean 'normal'"),
        (
            lambda: initializer(None, 3),
            TypeError,
            "init must be a Tensor, number, name or Initializer, got None",
        ),
        (lambda: initializer("ones", (0,)), ValueError, "positive ints"),
        (lambda: initializer("ones", (2.0,)), ValueError, "positive ints"),
        (lambda: initializer("ones"), ValueError, "shape must be given"),
        (lambda: initializer(Tensor([1.0]), (2,)), ValueError, r"must have the shape \(2,\)"),
        (lambda: initializer("xavier_uniform", 3), ValueError, "at least 2 axes"),
        (lambda: initializer(Normal(-1), 3), ValueError, "sigma must be >= 0"),
        (lambda: initializer("identity", 3), ValueError, "2 axes"),
        (lambda: initializer("dirac", (2, 2)), ValueError, "3 or 4 or 5 axes"),
        (lambda: initializer(Dirac(2), (3, 1, 1)), ValueError, "groups must divide"),
        (lambda: initializer(HeUniform(mode="fan"), (2, 2)), ValueError, "mode must be one of"),
        (
            lambda: initializer(HeUniform(nonlinearity="x"), (2, 2)),
            ValueError,
            "nonlinearity must be one of",
        ),
        (
            lambda: initializer(HeUniform(True), (2, 2)),
            ValueError,
            "negative_slope must be a number",
        ),
        (lambda: VarianceScaling(0), ValueError, "scale must be above 0"),
        (lambda: VarianceScaling(distribution="normal"), ValueError, "distribution must be one of"),
    ],
)
def test_what_can_not_be_filled_is_refused(act, error, message):
    with pytest.raises(error, match=message):
        act().init_data()


@pytest.mark.parametrize("mode", [minispore.PYNATIVE_MODE, minispore.GRAPH_MODE])
@pytest.mark.parametrize(
    "compute",
    [lambda t: t + 1, lambda t: t[0], lambda t: nn.ReLU()(t), lambda t: ops.stack([t, t])],
    ids=["add", "index", "cell", "stack"],
)
def test_ops_refuse_an_uninitialized_tensor(mode: int, compute) -> None:
    minispore.set_context(mode=mode)
    compute(minispore.Tensor([1.0, 2.0]))  # that its shapes are known already makes no difference
    with pytest.raises(RuntimeError, match=r"float32\[2\] without any.* init_data\(\)"):
        compute(initializer("ones", [2]))


@pytest.mark.parametrize(
    "fill",
    [lambda t: t.init_data(), lambda t: t.asnumpy(), lambda t: np.array(t)],
    ids=["init_data", "asnumpy", "array"],
)
def test_what_fills_a_tensor_of_an_initializer_fills_it_for_good(fill) -> None:
    output = initializer("ones", [2])
    assert str(output) == "Tensor(shape=[2], dtype=Float32, value=<uninitialized>)"
    fill(output)
    np.testing.assert_array_equal((output + 1).asnumpy(), [2, 2])
    assert str(output) == "[1. 1.]"


def parts() -> list[np.ndarray]:
    set_seed(5)
    requests = [(0, (2, 2)), (1, (2, 2)), (0,), (None, (3,)), ()]
    return [initializer("normal", (4, 2)).init_data(*a).asnumpy() for a in requests]


def test_a_weight_slice_is_initialized_by_its_index_as_in_mindspore() -> None:
    first, second, whole, later, last = parts()
    assert [p.shape for p in (first, second, whole, later, last)] == [
        (2, 2), (2, 2), (4, 2), (3,), (4, 2),
    ]  # fmt: skip
    start = np.array([-0.00509966, 0.01792588, -0.00589162, -0.00381643], np.float32)
    other = np.array([-0.00051577, -0.00355273, 0.01114322, -0.02276216], np.float32)
    for part, expected in ((first, start), (second, other), (whole, start), (later, start[:3])):
        flat = part.reshape(-1)[: len(expected)]
        np.testing.assert_allclose(flat, expected, rtol=1e-6, atol=5e-9)
    np.testing.assert_allclose(last[0], [0.0094111, -0.00179385], rtol=1e-5)


def test_without_set_seed_slices_are_seeded_by_a_counter_plus_index(monkeypatch) -> None:
    monkeypatch.setattr(random, "_seed", None)
    monkeypatch.setattr(random, "_unseeded_slice_seed", 0)
    a, b = (initializer("normal", (2,)).init_data(i).asnumpy() for i in (2, 0))
    np.testing.assert_array_equal(a, b)  # 2 + 0 and 0 + 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("a",), TypeError, "slice_index must be an int, got 'a'"),
        ((-1,), ValueError, "slice_index must be >= 0, got -1"),
        ((0, (2.5,)), TypeError, "shape must be an int, got 2.5"),
    ],
)
def test_bad_slice_arguments_are_refused_before_initialization(arguments, error, message) -> None:
    output = initializer("normal", (4, 2))
    with pytest.raises(error, match=message):
        output.init_data(*arguments)
    assert output.has_init


@pytest.mark.parametrize("arguments", [(0,), (None, (2,))])
def test_a_slice_of_an_initialized_tensor_is_refused(arguments) -> None:
    for output in (Tensor([1.0]), initializer("ones", (1,)).init_data()):
        assert output.init_data() is output
        with pytest.raises(TypeError, match="draws a part of what initializer"):
            output.init_data(*arguments)


def test_a_parameter_of_an_initializer_is_filled_at_once() -> None:
    assert not Parameter(initializer("ones", [2])).has_init


@pytest.mark.parametrize("init", [Constant(5), Zero(), One()])
def test_a_number_fills_an_array_and_no_tensor(init):
    """A Tensor's ``fill`` gives a new one, in MindSpore too, so the layer of a script stays."""
    layer, array = nn.Dense(2, 2, bias_init=9), np.full((2,), 9.0, np.float32)
    init(layer.bias)
    assert layer.bias.asnumpy().tolist() == [9, 9]
    init(array)
    assert (array != 9).all()
