"""Depthwise convolutions, in bands and in runs, are those by columns, whatever the window."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core.primitive import Primitive
from minispore.ir.operator import Steps
from minispore.ops.steps import depthwise
from minispore.ops.steps.columns import ColumnLowering
from minispore.ops.steps.depthwise import DepthwiseLowering
from minispore.ops.steps.window import Window, compute_window

CHANNELS = 3


def run(steps: Steps, *args: Any, shape: tuple[int, ...]) -> np.ndarray:
    """What ``steps`` make of ``args``, run as the kernel of an op runs them."""

    class _Lowered(Primitive):
        def lower_to_steps(self, *args: Any) -> Steps:
            return steps

    out = np.full(shape, np.nan)
    _Lowered().kernel(*args, out=out)
    return out


@st.composite
def windows(draw: Any) -> tuple[Window, int]:
    """A window of any rank, stride, dilation and padding, and how many images there are."""
    rank = draw(st.integers(1, 3))

    def numbers(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(low, high), min_size=rank, max_size=rank)))

    kernel, stride, dilation = numbers(1, 5 - rank), numbers(1, 3), numbers(1, 2)
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    size = tuple(r + n for r, n in zip(reach, numbers(1, 17 if rank < 3 else 5), strict=True))
    pad = tuple(draw(st.integers(0, r + 1)) for r in reach for _ in range(2))
    if draw(st.booleans()):  # most convolutions that are in use
        stride, dilation = (draw(st.integers(1, 2)),) * rank, (1,) * rank
    window = compute_window("Conv2D", size, kernel, stride, dilation, "pad", pad)
    return window, draw(st.sampled_from([1, 2, 16, 17]))


@given(windows())
def test_each_way_is_that_by_columns(case: tuple[Window, int]) -> None:
    win, n = case
    rng, image = np.random.default_rng(0), (n, CHANNELS, *win.size)
    x = rng.integers(-4, 5, image).astype(np.float64)
    dy = rng.integers(-4, 5, (n, CHANNELS, *win.out)).astype(np.float64)
    w = rng.integers(-4, 5, (CHANNELS, 1, *win.kernel)).astype(np.float64)
    own, columns = DepthwiseLowering(win), ColumnLowering(win, CHANNELS)
    for output in (
        [run(way.forward(dy.shape), x, w, shape=dy.shape) for way in (own, columns)],
        [run(way.input_gradient(image), dy, w, image, shape=image) for way in (own, columns)],
        [
            run(way.weight_gradient(w.shape), dy, x, w.shape, shape=w.shape)
            for way in (own, columns)
        ],
    ):
        np.testing.assert_array_equal(*output)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("channels", [1, 40])
def test_channels_do_not_depend_on_each_other(stride: int, channels: int) -> None:
    """So several threads may share them, and how many are in the cache at once is free."""
    win = compute_window("Conv2D", (32, 32), (3, 3), (stride, stride), (1, 1), "same", ())
    rng = np.random.default_rng(1)
    for n in (1, 16):
        x = rng.normal(size=(n, channels, 32, 32)).astype(np.float32)
        dy = rng.normal(size=(n, channels, *win.out)).astype(np.float32)
        w = rng.normal(size=(channels, 1, 3, 3)).astype(np.float32)
        for op, args, axes in (
            (depthwise.DepthwiseTaps(win), (x, w), (1, 0)),
            (depthwise.DepthwiseInput(win), (dy, w), (1, 0)),
            (depthwise.DepthwiseFilter(win), (dy, x), (1, 1)),
        ):
            whole = op(*map(Tensor, args)).asnumpy()
            outputs = [
                op(*[Tensor(np.take(a, [c], i)) for a, i in zip(args, axes, strict=True)])
                for c in range(channels)
            ]
            axis = 0 if isinstance(op, depthwise.DepthwiseFilter) else 1
            assert np.concatenate([a.asnumpy() for a in outputs], axis).tobytes() == whole.tobytes()


@pytest.mark.parametrize("stride, batch", [(1, 16), (2, 16), (1, 3), (2, 3)])
def test_the_error_of_single_precision(stride: int, batch: int) -> None:
    """Against float64, of the largest result: 1e-6, as by columns."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(batch, 24, 28, 28))
    w = rng.normal(size=(24, 1, 3, 3))
    conv = ops.Conv2D(24, 3, pad_mode="same", stride=stride, group=24)
    both = []
    for dtype in (np.float32, np.float64):
        arguments = Tensor(x.astype(dtype)), Tensor(w.astype(dtype))
        grads = ms.grad(lambda x, w: ops.sin(conv(x, w)).sum(), (0, 1))(*arguments)
        both.append([conv(*arguments).asnumpy(), *[g.asnumpy() for g in grads]])
    for short, wide in zip(*both, strict=True):
        assert np.abs(short - wide).max() <= 1e-6 * np.abs(wide).max()


@pytest.mark.parametrize("batch", [2, 16])
def test_both_modes_agree(batch: int) -> None:
    net = nn.Conv2d(12, 12, 3, stride=2, group=12, pad_mode="same")
    x = Tensor(np.random.default_rng(3).normal(size=(batch, 12, 16, 16)).astype(np.float32))
    grad = ms.grad(lambda x: ops.sin(net(x)).sum(), 0, net.trainable_params())
    plain, graph = grad(x), ms.jit(grad)(x)
    assert plain[0].asnumpy().tobytes() == graph[0].asnumpy().tobytes()
    for a, b in zip(plain[1], graph[1], strict=True):
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()


def test_sums_of_the_weight_s_gradient_are_those_of_both_modes() -> None:
    """As of trackers, which lay what a network finds in one image over another."""
    rng = np.random.default_rng(4)
    x, actual, gain = (
        Tensor(rng.normal(size=shape).astype(np.float32))
        for shape in ((1, 64, 14, 14), (4, 16, 14, 14), (1, 16, 1, 1))
    )

    def crossed(gain: Tensor) -> Tensor:
        weight = (actual * gain).reshape(64, 1, 14, 14)
        return (ops.Conv2D(64, 14, group=64)(x, weight) ** 2).mean()

    grad = ms.grad(crossed)
    assert grad(gain).asnumpy().tobytes() == ms.jit(grad)(gain).asnumpy().tobytes()
