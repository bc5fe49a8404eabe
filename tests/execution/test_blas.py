"""Sums and copies by BLAS say what ufuncs say, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import ops
from minispore.execution.kernels import blas
from minispore.execution.layout import make_copy_call
from minispore.graph import program_of
from minispore.ops.optim.adam import Adam, AdamWeightDecay
from minispore.ops.optim.momentum import ApplyMomentum


def random_array(shape: Any, dtype: Any, seed: int = 0) -> np.ndarray:
    """Numbers of all sizes, and at some places none."""
    draw = np.random.default_rng(seed)
    output = draw.standard_normal(shape) * 10.0 ** draw.integers(-30, 30, shape)
    flat = output.reshape(-1)
    flat[::37] = np.resize([np.inf, -np.inf, np.nan, 0.0, -0.0], len(flat[::37]))
    with np.errstate(all="ignore"):
        return output.astype(dtype)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    numbers = ~np.isnan(b)
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(
        np.signbit(a[numbers]), np.signbit(b[numbers])
    )


@pytest.fixture(params=[True, False], ids=["blas", "ufuncs"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With what BLAS has, and without."""
    if not request.param:
        monkeypatch.setattr(blas, "_find_exact_function", lambda name, dtype: None)
    return request.param


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_blas_that_rounds_differently_from_ufuncs_is_rejected(dtype: str) -> None:
    assert not blas._ger_matches_ufuncs(lambda *args: None, np.dtype(dtype))


def test_numpys_openblas_is_detected_with_its_functions() -> None:
    if "openblas" not in str(np.show_config(mode="dicts")).lower():
        pytest.skip("NumPy has another BLAS")
    assert blas.find_thread_functions() is not None
    for dtype in (np.dtype("float32"), np.dtype("float64")):
        assert all(blas._load_function(name, dtype) is not None for name in blas._FUNCTIONS)
    assert blas._find_exact_function("ger", np.dtype("float16")) is None


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", ">f4"])
@pytest.mark.parametrize("shape", [(3, 7), (64, 64), (1, 5000), (5000, 1), (300, 70)])
@np.errstate(all="ignore")
def test_blas_row_add_and_column_subtract_match_ufuncs(
    way: bool, shape: tuple[int, int], dtype: str
) -> None:
    x, row, column = (random_array(s, dtype, i) for i, s in enumerate((shape, shape[1], shape[0])))
    column[column == 0] = 0  # BLAS leaves what it would add -0 to
    for out in (x.copy(), np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2]):
        expected = out + row
        blas.bind_add_row(out, row)()
        assert same(out, expected)
        expected = out - column[:, None]
        blas.bind_subtract_column(out, column)()
        assert same(out, expected)
    every = np.repeat(column, 2)[::2]
    expected = x - every[:, None]
    blas.bind_subtract_column(x, every)()
    assert same(x, expected)


def test_a_graph_adds_a_bias_in_place(way: bool) -> None:
    x, w, b = (
        ms.Tensor(np.random.default_rng(i).random(s, np.float32))
        for i, s in enumerate(((64, 9), (9, 80), 80))
    )

    def layer(x: ms.Tensor, w: ms.Tensor, b: ms.Tensor) -> ms.Tensor:
        return ops.bias_add(ops.matmul(x, w), b)

    program = program_of(layer, x, w, b)
    assert ("FuncPtr" in repr([call for _, call in program.steps()])) == way
    for of in (layer, ms.jit(layer)):
        assert same(of(x, w, b).asnumpy(), (x.asnumpy() @ w.asnumpy()) + b.asnumpy())


def test_a_bound_blas_call_keeps_its_arrays_alive(way: bool) -> None:
    call = blas.bind_add_row(np.zeros((100, 100), "f"), np.ones(100, "f"))
    stored = [np.zeros((100, 100), "f") for _ in range(20)]  # where they were, if they are gone
    call()
    assert not any(a.any() for a in stored)


# -- updates --

f32 = np.float32
RATES = {"lr": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "decay": 0.1, "momentum": 0.9}


def by_hand(op: Any, var: Any, grad: Any, *moments: Any) -> list[np.ndarray]:
    """What an update makes, line by line."""
    lr, b1, b2, eps, decay, mu = (f32(RATES[k]) for k in RATES)
    if isinstance(op, ApplyMomentum):
        grad = grad * f32(op.gradient_scale)
        accum = moments[0] * mu + grad
        ahead = accum * mu + grad if op.use_nesterov else accum
        return [var - lr * ahead, accum]
    rest1, rest2 = f32(1) - b1, f32(1) - b2
    m = moments[0] * b1 + grad * rest1
    v = moments[1] * b2 + (grad * grad) * rest2
    if isinstance(op, AdamWeightDecay):
        return [var - lr * (m / (np.sqrt(v) + eps) + var * decay), m, v]
    ahead = m * b1 + grad * rest1 if op.use_nesterov else m
    rate = lr * np.sqrt(f32(1) - f32(0.99)) / (f32(1) - f32(0.81))
    return [var - rate * (ahead / (np.sqrt(v) + eps)), m, v]


def inputs(op: Any, var: Any, grad: Any, moments: Any, wrap: Any) -> list[Any]:
    r = {k: wrap(v) for k, v in RATES.items()}
    if isinstance(op, ApplyMomentum):
        return [var, *moments, r["lr"], grad, r["momentum"]]
    betas = [r["beta1"], r["beta2"], r["epsilon"]]
    if isinstance(op, AdamWeightDecay):
        return [var, *moments, r["lr"], *betas, r["decay"], grad]
    return [var, *moments, wrap(0.81), wrap(0.99), r["lr"], *betas, grad]


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("wrap", [f32, lambda v: np.array([v], f32)], ids=["number", "tensor"])
@pytest.mark.parametrize("shape", [(5,), (70, 100), (300, 250), (33_000,)], ids=str)
@pytest.mark.parametrize(
    "op",
    [
        ApplyMomentum(),
        ApplyMomentum(True),
        ApplyMomentum(gradient_scale=0.3),
        ApplyMomentum(True, gradient_scale=0.3),
        Adam(),
        Adam(use_nesterov=True),
        AdamWeightDecay(),
    ],
    ids=repr,
)
def test_updates_are_what_their_lines_say(op: Any, shape: Any, wrap: Any, in_place: bool) -> None:
    draw = np.random.default_rng(0)
    var, grad, *moments = (draw.standard_normal(shape).astype("f4") for _ in range(4))
    moments = [np.abs(a) for a in moments[: len(op.mutates) - 1]]
    for args in (grad, np.asfortranarray(grad)):
        mine = [a.copy() for a in (var, *moments)]
        out = tuple(mine if in_place else [np.empty_like(a) for a in mine])
        op.kernel(*inputs(op, mine[0], args, mine[1:], wrap), out=out)
        for output, expected in zip(out, by_hand(op, var, grad, *moments), strict=True):
            assert output.tobytes() == expected.tobytes()


# -- copies that turn --

SHAPES = [
    ((300, 70), (1, 0)),
    ((4, 100, 90), (0, 2, 1)),
    ((4, 100, 90), (2, 0, 1)),
    ((4, 100, 90), (1, 2, 0)),
    ((4, 100, 90), (2, 1, 0)),
    ((8, 64, 65, 2), (0, 2, 1, 3)),
    ((6, 5, 64, 65), (1, 0, 3, 2)),
    ((32, 3, 20, 20), (1, 2, 3, 0)),
    ((90, 1, 100, 1), (3, 2, 1, 0)),
    ((70, 3), (1, 0)),
    ((2000, 4), (1, 0)),
    ((0, 5000), (1, 0)),
]


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int32", "float16", ">f4", "complex64", "bool"]
)
@pytest.mark.parametrize(("shape", "perm"), SHAPES, ids=str)
def test_copies_that_turn_are_those_of_numpy(shape: Any, perm: Any, dtype: str) -> None:
    with np.errstate(all="ignore"):
        x = random_array(shape, "float32").astype(dtype)
    for seen in (x, x[:, ::2], x[..., 1:], x[::-1]):
        view = seen.transpose(perm)
        room = np.full((view.shape[0] + 1, *view.shape[1:]), 7, dtype)
        for out in (np.full(view.shape, 7, dtype), room[1:], np.full(shape, 7, dtype)):
            out = out if out.shape == view.shape else out.transpose(perm)
            if out.shape == view.shape:
                make_copy_call(out, view)()
                assert out.tobytes() == view.tobytes()
        assert (room[0] == np.array(7, dtype)).all()


def test_a_large_matrix_is_turned_by_blas() -> None:
    if blas._find_exact_function("omatcopy", np.dtype("float32")) is None:
        pytest.skip("NumPy's BLAS has no such copies")
    x = random_array((200, 300), "float32")
    out = np.empty((300, 200), "float32")
    call = make_copy_call(out, x.T)
    assert call.func is blas._find_exact_function("omatcopy", np.dtype("float32"))  # type: ignore[attr-defined]
    call()
    assert same(out, x.T)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
@pytest.mark.parametrize("shape", [(32, 3, 9, 8), (5, 1000), (3, 4), (4200,), (), (0, 7)])
@pytest.mark.parametrize("last", [True, False])
def test_copier_fills_buffers_whose_first_axis_is_innermost(
    way: bool, shape: Any, last: bool, dtype: str
) -> None:
    """Whatever they lie like themselves."""
    x = np.arange(int(np.prod(shape)) * 2).reshape(*shape, 2).astype(dtype)
    out = np.full(shape, 77, dtype)
    if last and shape:
        out = np.moveaxis(np.full((*shape[1:], shape[0]), 77, dtype), -1, 0)
    copy = blas.make_copier(out)
    fixed = x[..., 0].copy()
    fixed.flags.writeable = False
    for args in (x[..., 1].copy(), x[..., 0], fixed, x[..., 1].copy("F")):
        copy(args)
        assert np.array_equal(out, args)


def test_an_input_in_planes_is_turned_by_blas_where_it_can(way: bool) -> None:
    x = random_array((32, 300), "float32")
    out = np.empty((300, 32), "float32").T
    copy = blas.make_copier(out)
    turns = blas._find_exact_function("omatcopy", np.dtype("float32")) is not None
    assert getattr(copy, "func", None) is (None if turns else np.copyto)
    copy(x)
    assert same(out, x)
    assert blas.make_copier(np.empty((32, 300), "float32")).func is np.copyto  # type: ignore[attr-defined]
