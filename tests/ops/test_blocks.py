"""The blocked convolution is the convolution, whatever its block and window."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Tensor, jit, ops
from minispore.core.primitive import Primitive
from minispore.graph import program_of
from minispore.ir.operator import Steps
from minispore.ir.value import Spec
from minispore.ops.steps import columns, planes, products
from minispore.ops.steps.window import Window

Case = tuple[Window, int, np.ndarray, np.ndarray, np.ndarray]


@st.composite
def cases(draw: Any) -> Case:
    """A window, a block that fits it, an input, a weight and a cotangent, all of small integers:
    their sums are exact in float32.
    """
    b = draw(st.sampled_from([1, 2, 4]))
    kh, kw = draw(st.integers(1, 4)), 1 + b * draw(st.integers(0, 2))
    top, left = draw(st.integers(0, kh - 1)), draw(st.integers(0, min(2, kw - 1)))
    oh, ow = draw(st.integers(1, 6)), b * draw(st.integers(1, 2))
    size = oh + kh - 1 - top, ow + kw - 1 - left
    win = Window(size, (kh, kw), (1, 1), (1, 1), (top, left), (0, 0), (oh, ow))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    shapes = (2, 2, *size), (3, 2, kh, kw), (2, 3, oh, ow)
    x, w, dy = [rng.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
    return win, b, x, w, dy


def spec(a: np.ndarray) -> Spec:
    return Spec(a.shape, a.dtype)


def run(steps: Steps, *args: Any, out: np.ndarray) -> None:
    """Run ``steps`` as the kernel of an op does."""

    class _Lowered(Primitive):
        def lower_to_steps(self, *args: Any) -> Steps:
            return steps

    _Lowered().kernel(*args, out=out)


@given(cases())
def test_forward_is_the_sum_over_all_taps(case: Case) -> None:
    win, b, x, w, dy = case
    xp = np.pad(x, [(0, 0), (0, 0), *zip(win.low, win.high)])
    out = np.empty_like(dy)
    run(planes.BlockedLowering(win, b).forward(out.shape), x, w, out=out)
    taps = [np.einsum("nchw,fc->nfhw", xp[(..., *at)], w[(..., *k)]) for k, at in win.taps()]
    np.testing.assert_array_equal(out, sum(taps))


@given(cases())
def test_gradients_are_the_adjoints_of_forward(case: Case) -> None:
    """<dy, forward(x, w)> = <dx, x> = <dw, w>, for it is linear in both."""
    win, b, x, w, dy = case
    y, dx, dw = np.empty_like(dy), np.empty_like(x), np.empty_like(w)
    way = planes.BlockedLowering(win, b)
    run(way.forward(y.shape), x, w, out=y)
    run(way.input_gradient(x.shape), dy, w, x.shape, out=dx)
    run(way.weight_gradient(w.shape), dy, x, w.shape, out=dw)
    assert np.vdot(dy, y) == np.vdot(dx, x) == np.vdot(dw, w)


@pytest.mark.parametrize("some", [1, 2, 5])
def test_weights_gradients_of_some_rows_at_a_time_have_the_bits_of_all(
    monkeypatch: pytest.MonkeyPatch, some: int
) -> None:
    rng = np.random.default_rng(1)
    dy = rng.standard_normal((4, 2, 5, 3, 16)).astype(np.float32)
    rows = rng.standard_normal((7, 12, 48)).astype(np.float32)
    outputs = []
    for count in (5, some):
        monkeypatch.setattr(products, "_SUM_ELEMENTS", count * 36 * 8)
        step = planes.PlaneFilterGemm((4, 3, 3, 3))
        values = [np.full(s.shape, np.nan, s.dtype) for s in step.scratch(*map(spec, (dy, rows)))]
        assert len(values[0]) == count
        outputs.append(np.empty((4, 3, 3, 3), np.float32))
        for call in step.calls(dy, rows, out=outputs[-1], work=values):
            call()
    assert outputs[0].tobytes() == outputs[1].tobytes()


@pytest.mark.parametrize("some", [2, 5])
@pytest.mark.parametrize(("small", "channels"), [(0, 40), (1_000_000, 40), (1_000_000, 4)])
def test_dy_is_turned_before_small_products_of_many_rows(
    monkeypatch: pytest.MonkeyPatch, small: int, channels: int, some: int
) -> None:
    monkeypatch.setattr(products, "get_small_product_limit", lambda: small)
    monkeypatch.setattr(products, "_SUM_ELEMENTS", some * 3 * channels * 8)
    rng = np.random.default_rng(2)
    dy = rng.integers(-4, 5, (4, 2, 5, 3, 16)).astype(np.float32)
    rows = rng.integers(-4, 5, (7, channels, 48)).astype(np.float32)
    step = planes.PlaneFilterGemm((4, channels // 4, 3, 3))
    values = [np.full(s.shape, np.nan, s.dtype) for s in step.scratch(*map(spec, (dy, rows)))]
    assert bool(values[2].size) == (small > 0 and channels == 40)
    output = np.empty((4, channels // 4, 3, 3), np.float32)
    for call in step.calls(dy, rows, out=output, work=values):
        call()
    taps = rows.reshape(7, channels // 4, 4, 3, 16)  # (H, C, KW+B-1, OW/B, N)
    expected = [
        [np.einsum("fbhwn,hcbwn->fc", dy, taps[i : i + 5, :, j : j + 2]) for j in range(3)]
        for i in range(3)
    ]
    np.testing.assert_array_equal(output, np.array(expected).transpose(2, 3, 0, 1))


@pytest.mark.parametrize("c, f, size, b", [(1, 6, 32, 4), (6, 16, 14, 2), (16, 64, 13, 1)])
def test_bits_depend_neither_on_the_mode_nor_on_the_threads(
    c: int, f: int, size: int, b: int
) -> None:
    rng = np.random.default_rng(0)
    op = ops.Conv2D(f, 5)
    x = Tensor(rng.standard_normal((32, c, size, size)).astype(np.float32))
    w = Tensor(rng.standard_normal((f, c, 5, 5)).astype(np.float32))
    back = ms.value_and_grad(lambda x, w: (op(x, w) ** 2).sum(), (0, 1))
    graph = jit(back)
    nodes = program_of(graph, x, w).nodes
    assert [n.args[0].spec.shape[1] for n in nodes if n.prim.name == "PlaneInput"] == [f * b]
    actual = set()
    for threads, run in ((1, back), (1, graph), (2, graph), (2, back)):
        ms.set_context(runtime_num_threads=threads)
        _, grads = run(x, w)
        actual.add(b"".join(g.asnumpy().tobytes() for g in grads))
    assert len(actual) == 1


@pytest.mark.parametrize(
    "batch, channels, filters, kernel, stride, chosen",
    [(32, 1, 6, (5, 5), (1, 1), 4), (32, 6, 16, (5, 5), (1, 1), 2), (4, 1, 6, (5, 5), (1, 1), 2),
     (2, 1, 6, (5, 5), (1, 1), 1), (1, 1, 6, (5, 5), (1, 1), 0), (32, 64, 64, (5, 5), (1, 1), 1),
     (32, 64, 65, (5, 5), (1, 1), 0), (32, 6, 16, (1, 1), (1, 1), 0),
     (32, 6, 16, (3, 1), (1, 1), 1), (32, 6, 16, (3, 3), (2, 1), 0)],
)  # fmt: skip
def test_a_block_has_as_many_outputs_as_pay(
    batch: int, channels: int, filters: int, kernel: Any, stride: Any, chosen: int
) -> None:
    size = kernel[0] + 9 * stride[0], kernel[1] + 15
    win = Window(size, kernel, stride, (1, 1), (0, 0), (0, 0), (10, 16))
    assert planes.choose_block(win, batch, channels, filters) == chosen


@pytest.mark.parametrize("rows, cols", [(3, 5), (24, 40), (64, 40)])
@pytest.mark.parametrize("length", [7, 6272, 6271])
@pytest.mark.parametrize("group", [1, 3])
def test_a_product_in_parts_is_the_product(rows: int, cols: int, length: int, group: int) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (group * rows, length)).astype(np.float32)
    b = rng.integers(-2, 3, (group * cols, length)).astype(np.float32)
    work = np.empty(products.compute_outer_scratch(len(a), len(b), length, group), np.float32)
    calls, actual = products.emit_outer(a, b, group, work)
    for call in calls:
        call()
    for output, ag, bg in zip(actual, np.split(a, group), np.split(b, group), strict=True):
        np.testing.assert_array_equal(output, bg @ ag.T)
    left = calls[0].args[0]  # type: ignore[attr-defined]
    assert left.shape[-2] == max(rows, cols)  # the quick way round


@pytest.mark.parametrize("small", [0, 1_000_000])
@pytest.mark.parametrize(
    "rows, cols, length, turned, part",
    [(24, 40, 6272, False, 896), (180, 32, 1600, True, 160), (16, 96, 16384, False, 512),
     (32, 144, 4096, False, 4096), (144, 24, 101, False, 101), (96, 90, 4096, True, 4096)],
)  # fmt: skip
def test_long_rows_are_multiplied_some_columns_at_a_time(
    monkeypatch: pytest.MonkeyPatch, small: int, rows: int, cols: int, length: int,
    turned: bool, part: int,
) -> None:  # fmt: skip
    """Where BLAS has kernels for small products; all at once where it has none."""
    monkeypatch.setattr(products, "get_small_product_limit", lambda: small)
    products._choose_part_length.cache_clear()
    rng = np.random.default_rng(6)
    w = rng.integers(-2, 3, (cols, rows) if turned else (rows, cols)).astype(np.float32)
    w, x = w.T if turned else w, rng.integers(-2, 3, (cols, length)).astype(np.float32)
    out = np.full((rows, length), np.nan, np.float32)
    call = products.bind_weight_product(w, x, out)
    assert call.args[1].shape[-1] == (part if small else length)  # type: ignore[attr-defined]
    call()
    np.testing.assert_array_equal(out, w @ x)
    stack, output = np.stack([x, x + 1]), np.full((2, *out.shape), np.nan, np.float32)
    for by in (w, np.stack([w, w]).swapaxes(1, 2).copy().swapaxes(1, 2)):
        products.bind_weight_product(by, stack, output)()
        np.testing.assert_array_equal(output, w @ stack)
    products._choose_part_length.cache_clear()


def test_long_sums_with_few_results_are_split() -> None:
    assert products.compute_outer_scratch(24, 40, 6272) == (1 + 8, 1, 40, 24)
    assert products.compute_outer_scratch(24, 40, 6271) == (
        1,
        1,
        40,
        24,
    )  # no power of two divides it
    assert products.compute_outer_scratch(64, 40, 1568) == (1, 1, 64, 40)


def test_longer_sums_are_split_into_up_to_four_parts_for_threads() -> None:
    assert products.compute_outer_scratch(64, 40, 6272) == (1 + 4, 1, 64, 40)
    assert products.compute_outer_scratch(64, 40, 6270) == (1 + 2, 1, 64, 40)
    assert products.compute_outer_scratch(64, 40, 6271) == (1, 1, 64, 40)


@pytest.mark.parametrize("size", [(32, 32), (32, 28)])  # whole pages apart, or not
def test_images_with_page_sized_strides_are_copied_correctly(size: tuple[int, int]) -> None:
    x = np.random.default_rng(5).standard_normal((16, 4, *size)).astype(np.float32)
    assert columns.has_cache_conflicts(x) == (size == (32, 32))
    last = x.transpose(1, 2, 3, 0)
    flat = np.empty((4, x.size // 4), np.float32)
    columns.Flat().kernel(x, out=flat)
    np.testing.assert_array_equal(flat, last.reshape(4, -1))
    output = np.empty((4, 4, size[0], size[1] // 4, 16), np.float32)
    planes.ToPlanes(4).kernel(x, out=output)
    np.testing.assert_array_equal(output, planes.view_as_planes(last, 4))


@pytest.mark.parametrize(
    ("kernel", "stride", "dilation"),
    [((3, 3), (2, 2), (1, 1)), ((2, 3), (3, 2), (2, 1)), ((1, 2), (2, 1), (1, 3))],
)  # fmt: skip
def test_columns_of_strided_or_dilated_windows_are_added_tap_by_tap(
    kernel: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int]
) -> None:
    size, low, high = (9, 10), (1, 0), (0, 1)
    out = tuple(
        (n + a + b - d * (k - 1) - 1) // s + 1
        for n, a, b, d, k, s in zip(size, low, high, dilation, kernel, stride, strict=True)
    )
    win = Window(size, kernel, stride, dilation, low, high, out)
    taps = np.random.default_rng(6).integers(-9, 9, (2, *kernel, *out, 5)).astype(np.float32)
    expected = np.zeros((2, *win.padded, 5), np.float32)
    for at, where in win.taps():
        expected[(slice(None), *where)] += taps[(slice(None), *at)]
    output = np.full_like(expected, np.nan)
    columns.add_columns(taps.reshape(-1, taps[0, 0, 0].size), win, output)
    np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize(
    "kernel, stride, pad, viewed",
    [(1, 1, 0, True), (1, 2, 0, False), (1, 1, 1, False), (2, 1, 0, False)],
)
def test_columns_of_single_elements_are_the_input_itself(
    kernel: int, stride: int, pad: int, viewed: bool
) -> None:
    win = ops.Conv2D(4, kernel, pad_mode="pad", pad=pad, stride=stride).make_window((6, 8))
    dcols = np.empty((3 * kernel**2, win.out[0] * win.out[1] * 2), np.float32)
    actual = columns.AddColumns(win, (2, 3, 6, 8)).view(dcols)
    assert (actual is not None) == viewed
    assert actual is None or (np.shares_memory(actual, dcols) and actual.shape == (2, 3, 6, 8))
