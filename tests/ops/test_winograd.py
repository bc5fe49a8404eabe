"""Winograd's way of a convolution is the convolution, gradients too; its rounding is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.core.primitive import Primitive
from minispore.graph import jit, program_of
from minispore.ir.operator import Steps
from minispore.ops.steps import winograd
from minispore.ops.steps.lowering import choose_lowering
from minispore.ops.steps.winograd import WinogradLowering

#: (C, F, H, W, N) of convolutions as networks have them.
SHAPES = [(16, 16, 32, 32, 8), (32, 64, 16, 16, 16), (64, 64, 8, 8, 32), (128, 64, 4, 4, 32)]
#: The largest error of each way, by the largest result.
ROUNDING = {0: 1e-6, 2: 1e-6, 4: 2e-6}


@pytest.fixture(autouse=True)
def setting() -> Iterator[None]:
    before = context.current().conv_winograd
    yield
    ms.set_context(conv_winograd=before)


def run(steps: Steps, *args: Any, out: np.ndarray) -> np.ndarray:
    """What ``steps`` make of ``args``, run as the kernel of an op runs them."""

    class _Lowered(Primitive):
        def lower_to_steps(self, *args: Any) -> Steps:
            return steps

    _Lowered().kernel(*args, out=out)
    return out


def arrays(c: int, f: int, h: int, w: int, n: int, dtype: Any) -> list[np.ndarray]:
    """x, weight and dy."""
    rng = np.random.default_rng(0)
    shapes = (n, c, h, w), (f, c, 3, 3), (n, f, h, w)
    return [rng.standard_normal(s).astype(dtype) for s in shapes]


def triad(op: Any, x: np.ndarray, w: np.ndarray, dy: np.ndarray) -> list[np.ndarray]:
    """The output of ``op`` and both gradients, as public ops compute them."""
    x_, w_, dy_ = (Tensor(a) for a in (x, w, dy))
    output = (
        op(x_, w_),
        op.make_sibling("BackpropInput")(dy_, w_, x.shape),
        op.make_sibling("BackpropFilter")(dy_, x_, w.shape),
    )
    return [m.asnumpy() for m in output]


@st.composite
def small_integers(draw: Any) -> tuple[int, list[np.ndarray]]:
    """Blocks of 2, for which all transforms are exact in halves."""
    m = draw(st.sampled_from([2, 4]))
    c, f, h, blocks, n = [draw(st.integers(1, 4)) for _ in range(5)]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    shapes = (n, c, h, m * blocks), (f, c, 3, 3), (n, f, h, m * blocks)
    return m, [rng.integers(-4, 5, s).astype(np.float64) for s in shapes]


@given(small_integers())
def test_forward_is_the_sum_over_all_taps(case: tuple[int, list[np.ndarray]]) -> None:
    m, (x, w, dy) = case
    xp = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    h, wide = x.shape[2:]
    taps = [
        np.einsum("nchw,fc->nfhw", xp[:, :, i : i + h, j : j + wide], w[:, :, i, j])
        for i in range(3)
        for j in range(3)
    ]
    output = run(WinogradLowering(m).forward(dy.shape), x, w, out=np.empty_like(dy))
    np.testing.assert_allclose(output, sum(taps), atol=1e-11)


@given(small_integers(), st.booleans())
def test_gradients_are_the_adjoints_of_forward(
    case: tuple[int, list[np.ndarray]], turned: bool
) -> None:
    """<dy, forward(x, w)> = <dx, x> = <dw, w>, for it is linear in both."""
    m, (x, w, dy) = case
    how = WinogradLowering(m, turned)
    y = run(how.forward(dy.shape), x, w, out=np.empty_like(dy))
    dx = run(how.input_gradient(x.shape), dy, w, x.shape, out=np.empty_like(x))
    dw = run(how.weight_gradient(w.shape), dy, x, w.shape, out=np.empty_like(w))
    np.testing.assert_allclose([np.vdot(dx, x), np.vdot(dw, w)], np.vdot(dy, y), atol=1e-9)


@pytest.mark.parametrize("small", [0, 1_000_000])
@pytest.mark.parametrize(
    "channels, filters, length, turned",
    [(32, 32, 128, True), (16, 16, 64, True), (16, 16, 256, False), (128, 128, 128, False)],
)
def test_points_of_dy_are_turned_where_that_makes_quick_products(
    monkeypatch: pytest.MonkeyPatch, small: int, channels: int, filters: int, length: int,
    turned: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(winograd, "get_small_product_limit", lambda: small)
    chosen = winograd.make_winograd_lowering(4, channels, filters, length)
    assert chosen == WinogradLowering(4, turned and small > 0)


@pytest.mark.parametrize("small", [0, 1_000_000])
@pytest.mark.parametrize("largest", sorted(ROUNDING))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_each_way_rounds_as_it_says(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], largest: int, small: int
) -> None:
    monkeypatch.setattr(winograd, "get_small_product_limit", lambda: small)
    choose_lowering.cache_clear()
    ms.set_context(conv_winograd=largest)
    op = ops.Conv2D(shape[1], 3, pad_mode="same")
    wide = triad(op, *arrays(*shape, dtype=np.float64))
    for exact, output in zip(wide, triad(op, *arrays(*shape, dtype=np.float32)), strict=True):
        assert np.abs(output - exact).max() <= ROUNDING[largest] * np.abs(exact).max()
    choose_lowering.cache_clear()


@pytest.mark.parametrize("largest", [2, 4])
def test_both_modes_agree_to_the_last_bit(largest: int) -> None:
    ms.set_context(conv_winograd=largest)
    ms.set_seed(0)
    net = nn.SequentialCell(
        nn.Conv2d(8, 16, 3, has_bias=True), nn.ReLU(), nn.Conv2d(16, 8, 3), nn.BatchNorm2d(8),
        nn.Tanh(), nn.Conv2d(8, 8, 3), nn.MaxPool2d(2, 2), nn.Conv2d(8, 8, 3),
    ).set_train()  # fmt: skip
    both = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), 0, net.trainable_params())
    x = Tensor(np.random.default_rng(0).standard_normal((8, 8, 16, 16)).astype(np.float32))
    graph = jit(lambda x: both(x))
    assert any(n.prim.name == "WinogradGemm" for n in program_of(graph, x).nodes)
    flat = [
        [t.asnumpy().tobytes() for t in (value, dx, *dws)]
        for value, (dx, dws) in (graph(x), both(x))
    ]
    assert flat[0] == flat[1]


def test_output_and_weight_gradient_share_the_winograd_points() -> None:
    x, w, _ = (Tensor(a) for a in arrays(16, 16, 16, 16, 8, np.float32))
    op = ops.Conv2D(16, 3, pad_mode="same")
    graph = program_of(ms.grad(lambda x, w: (op(x, w) ** 2).sum(), 1), x, w).graph
    assert [n.prim.name for n in graph.nodes].count("WinogradPoints") == 1


def test_a_setting_says_how_convolutions_are_computed() -> None:
    x, w, _ = (Tensor(a) for a in arrays(16, 16, 16, 16, 8, np.float32))
    convolve = jit(lambda x, w: ops.Conv2D(16, 3, pad_mode="same")(x, w))

    def names() -> set[str]:
        return {n.prim.name for n in program_of(convolve, x, w).nodes}

    assert "WinogradGemm" in names()
    ms.set_context(conv_winograd=0)
    assert "WinogradGemm" not in names()
    with pytest.raises(ValueError, match="conv_winograd"):
        ms.set_context(conv_winograd=3)


@pytest.mark.parametrize(
    "attributes, shape",
    [
        ({"stride": 2}, (16, 16, 16, 16, 8)),
        ({"dilation": 2}, (16, 16, 16, 16, 8)),
        ({"pad_mode": "valid"}, (16, 16, 18, 18, 8)),
        ({"group": 16}, (16, 16, 16, 16, 8)),
        ({}, (3, 16, 16, 16, 8)),  # few channels
        ({}, (16, 16, 16, 15, 8)),  # rows of no whole blocks
        ({}, (16, 16, 8, 8, 1)),  # short rows
    ],
    ids=str,
)
def test_what_has_nothing_of_it_is_computed_otherwise(attributes: dict, shape: Any) -> None:
    c, f, h, w, n = shape
    op = ops.Conv2D(f, 3, **{"pad_mode": "same", **attributes})
    chosen = choose_lowering(op.make_window((h, w)), n, c, f, op.group, np.dtype(np.float32), 4)
    assert not isinstance(chosen, WinogradLowering)
