"""Sums by products with ones are the sums of ``add.reduce``, to rounding, however long they are."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.core.primitive import Calls
from minispore.ops.index.gather import add_rows
from minispore.ops.support import sums


def run(calls: Calls) -> None:
    for call in calls:
        call()


@pytest.mark.parametrize(
    "shape, axes",
    [((1000, 1000), (0, 1)), ((5000,), (0,)), ((64, 300), (1,)), ((64, 300), (0,)),
     ((8, 16, 32), (1, 2)), ((8, 16, 32), (0, 1))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_quick_sum_is_as_exact_as_a_plain_one(shape, axes, dtype) -> None:
    x = np.random.default_rng(0).random(shape).astype(dtype)
    out = np.empty([n for i, n in enumerate(shape) if i not in axes], dtype)
    assert sums.try_sum(x, axes, out)
    exact = x.astype(np.longdouble).sum(axes)
    assert np.max(np.abs(out - exact) / exact) < 8 * np.finfo(dtype).eps


@pytest.mark.parametrize(
    "x, axes",
    [
        (np.ones((64, 64), np.int32), (1,)),
        (np.ones((64, 64), np.float32).T, (1,)),
        (np.ones((4, 4), np.float32), (1,)),
        (np.ones((8, 32, 8), np.float32), (1,)),
        (np.ones((64, 64), np.float32), ()),
        (np.ones((1, 100_000), np.float32), (1,)),
    ],
)
def test_other_sums_are_left_to_add_reduce(x, axes) -> None:
    out = np.full([n for i, n in enumerate(x.shape) if i not in axes], 7, x.dtype)
    assert not sums.try_sum(x, axes, out) and (out == 7).all()


def test_a_sum_of_infinities_is_infinite_and_of_nan_is_nan() -> None:
    x, out = np.ones((3, 512), np.float32), np.empty(3, np.float32)
    x[0, 7], x[1, 9] = np.inf, np.nan
    assert sums.try_sum(x, (1,), out)
    assert np.isposinf(out[0]) and np.isnan(out[1]) and out[2] == 512


@pytest.mark.parametrize("lies", ["batch last", "batch first", "channels last"])
@pytest.mark.parametrize("shape", [(8, 3, 50, 50), (32, 5, 16, 8), (7, 3, 11), (2, 3)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_channels_are_as_exact_as_plain_ones(shape, lies, dtype) -> None:
    """However the images lie: x (N, C, ...), or (N, ..., C) where the channels are last, which
    NumPy adds row by row: that rounds more the more rows there are.
    """
    rng, axis = np.random.default_rng(0), 1 if lies != "channels last" else len(shape) - 1
    x, y = (rng.random(shape).astype(dtype) for _ in range(2))
    if lies == "batch last":
        x, y = (np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0) for a in (x, y))
    elif lies == "channels last":
        x, y = (np.moveaxis(a, 1, -1).copy() for a in (x, y))
    over = tuple(i for i in range(x.ndim) if i != axis)
    bound = 16 if lies != "channels last" else max(16, (x.size // x.shape[axis]) ** 0.5)
    for other, factor in ((None, np.longdouble(1)), (y, y.astype(np.longdouble))):
        out = np.empty(x.shape[axis], dtype)
        run(sums.emit_channel_dots(x, other, axis, out))
        exact = (x.astype(np.longdouble) * factor).sum(over)
        assert np.max(np.abs(out - exact) / exact) < bound * np.finfo(dtype).eps


@pytest.mark.parametrize("shape", [(7, 9, 9, 30), (8, 8, 8, 6), (6, 3, 40), (5, 2000)])
@pytest.mark.parametrize("begin", range(5))
def test_the_sum_of_a_channel_does_not_depend_on_the_others(
    shape: tuple[int, ...], begin: int
) -> None:
    """So that any part of them may be added up on another core."""
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    images, whole = np.moveaxis(x, -1, 0), np.empty(len(x), np.float32)
    for other in (None, images):
        run(sums.emit_channel_dots(images, other, 1, whole))
        for end in range(begin + 1, len(x) + 1):
            part = np.empty(end - begin, np.float32)
            some = images[:, begin:end]
            run(sums.emit_channel_dots(some, None if other is None else some, 1, part))
            assert part.tobytes() == whole[begin:end].tobytes()


@pytest.mark.parametrize("rows", [10, 1000, 100_000])
@pytest.mark.parametrize("skewed", [False, True])
def test_rows_that_repeat_are_all_added(rows, skewed) -> None:
    rng = np.random.default_rng(rows)
    samples = rng.zipf(1.3, 3000) % rows if skewed else rng.integers(0, rows, 3000)
    values = rng.integers(-4, 5, (3000, 8)).astype(np.float32)  # exact in any order
    out, expected = np.ones((rows, 8), np.float32), np.ones((rows, 8), np.float32)
    np.add.at(expected, samples, values)
    add_rows(out, samples, values)
    assert np.array_equal(out, expected)
    scattered = np.ones((rows, 16), np.float32)  # rows that do not follow one another
    add_rows(scattered[:, ::2], samples, values)
    assert np.array_equal(scattered[:, ::2], expected)
    assert (scattered[:, 1::2] == 1).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_product_of_pairs_has_each_product_to_the_last_bit(dtype) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(300).astype(dtype), rng.standard_normal(70).astype(dtype)
    columns, rows = np.zeros((300, 2), dtype), np.zeros((70, 2), dtype)
    sums.bind_column_copy(x, columns)()
    sums.bind_column_copy(y, rows)()
    np.testing.assert_array_equal(columns @ rows.T, x[:, None] * y)
    ones = np.broadcast_to(x[:, None], (300, 70))
    np.testing.assert_array_equal(columns @ sums.get_ones_column(70, np.dtype(dtype)).T, ones)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize(
    "shape, axes",
    [((64, 300), (1,)), ((64, 300), (0,)), ((16, 8, 64), (1, 2)), ((16, 8, 64), (2,)),
     ((16, 8, 64), (1,)), ((3, 5), (1,)), ((0, 300), (1,)), ((9, 512), ())],
)  # fmt: skip
@pytest.mark.parametrize("apart", [True, False])
def test_rows_less_a_number_each_have_the_bits_of_subtract(shape, axes, dtype, apart) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(-1000, 1000, shape).astype(dtype) * dtype(3)
    by = rng.integers(-9, 9, [1 if i in axes else n for i, n in enumerate(shape)]).astype(dtype)
    if dtype is not np.int32 and x.size:
        x.reshape(-1)[::7], by.reshape(-1)[::3] = np.inf, np.nan
        by.reshape(-1)[1::3] = -0.0
    expected = x - by
    for inputs, out in (
        (x, np.empty_like(x) if apart else x),
        (x.copy("F"), np.empty(shape, dtype)),
    ):
        assert sums.subtract_per_row(inputs, by, axes, out) is out
        assert out.tobytes() == expected.tobytes()


def test_dots_are_the_sums_of_the_products_of_rows() -> None:
    x, y = np.arange(12.0).reshape(3, 4), np.arange(12.0, 24.0).reshape(3, 4)
    out = np.empty(3)
    sums.bind_row_dots(x, y, out)()
    np.testing.assert_array_equal(out, (x * y).sum(1))


def test_a_tensors_sum_takes_its_arguments_in_both_orders() -> None:
    t = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for axis, keep in ((None, False), (0, True), ((0, 1), False)):
        expected = t.asnumpy().sum(axis, keepdims=keep)
        np.testing.assert_array_equal(t.sum(axis, keep).asnumpy(), expected)
        output = t.sum(axis, ms.int32, keep, 7)
        assert output.dtype == ms.int32
        np.testing.assert_array_equal(output.asnumpy(), expected + 7)
    assert t.sum(0, ms.float16).dtype == ms.float16
    assert t.sum(0, None, True).shape == (1, 2)
    with pytest.raises(TypeError):
        t.sum(0, ms.int32, dtype=ms.int32, keepdim=1)


def test_the_number_of_segments_may_be_a_tensor_of_one_element() -> None:
    x, ids = Tensor([1.0, 2.0, 3.0]), Tensor([0, 1, 0])
    for count in (2, Tensor(2), Tensor([2])):
        assert ops.unsorted_segment_sum(x, ids, count).tolist() == [4.0, 2.0]
    with pytest.raises(TypeError, match="num_segments must be an int"):
        ops.unsorted_segment_sum(x, ids, Tensor([2, 2]))


def test_a_range_is_a_tuple_of_numbers() -> None:
    output = ops.tuple_to_array(range(3))
    assert output.dtype == ms.int32 and output.tolist() == [0, 1, 2]
    with pytest.raises(IndexError, match="must not be empty"):
        ops.tuple_to_array(range(0))
