"""What the real MindSpore does where elements tie, are whole numbers or are none: each value was
computed there, on the CPU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.numpy as mnp
from minispore import Tensor, mint, ops
from minispore.ir.registry import registry
from minispore.ops.steps.pools import PlaneMaxPool, PlaneMaxPoolGrad

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


def array(values: Any, dtype: str = "float32") -> Tensor:
    return Tensor(np.array(values, dtype))


def slopes(f: Any, *xs: Tensor) -> list[Any]:
    gradient = ms.grad(f, tuple(range(len(xs))))(*xs)
    return [
        t.asnumpy().tolist() for t in (gradient if isinstance(gradient, tuple) else (gradient,))
    ]


@MODES
@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (0, [[3, 2, 3], [0, 1, 0]]),
        (1, [[1, 2, 0], [1, 0, 2]]),
        (None, [[1 / 3, 2 / 3, 2 / 3], [1 / 3, 1 / 3, 2 / 3]]),
    ],
)
def test_the_first_of_equal_extremes_along_an_axis_has_the_slope(axis, expected, mode) -> None:
    ms.set_context(mode=mode)

    def both(x: Tensor) -> Tensor:
        least, most = ops.aminmax(x, axis=axis)
        return (least * 2).sum() + most.sum()

    np.testing.assert_allclose(slopes(both, array([[1, 0, 0], [1, 1, 0]]))[0], expected, rtol=1e-6)


@MODES
@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        (lambda x: x.max(axis=1), [[0, 1, 0, 0], [1, 0, 0, 0]]),
        (lambda x: x.max(axis=-1, keepdims=True), [[0, 1, 0, 0], [1, 0, 0, 0]]),
        (lambda x: x.max(axis=1, initial=4.0), [[0, 0, 0, 0], [1, 0, 0, 0]]),
        (lambda x: x.max(axis=1, initial=1.0, where=x > 0), [[0, 1, 0, 0], [1, 0, 0, 0]]),
        (lambda x: x.min(axis=1), [[1, 0, 0, 0], [0, 1, 0, 0]]),
        (lambda x: ops.max(x, 1, initial=1.0)[0], [[0, 1, 0, 0], [1, 0, 0, 0]]),
        (lambda x: x.max(axis=(1,)), [[0, 0.5, 0.5, 0], [0.5, 0, 0, 0.5]]),
        (lambda x: x.amax(1), [[0, 0.5, 0.5, 0], [0.5, 0, 0, 0.5]]),
        (lambda x: x.max(), [[0, 0, 0, 0], [0.5, 0, 0, 0.5]]),
    ],
)
def test_methods_give_the_slope_to_the_first_of_equals_along_one_axis(
    reduce: Any, expected: Any, mode: int
) -> None:
    ms.set_context(mode=mode)
    x = array([[1, 3, 3, 2], [5, 0, 0, 5]])
    assert slopes(lambda x: reduce(x).sum(), x) == [expected]


@MODES
def test_bounds_of_numpys_clip_share_the_slope_of_what_meets_them(mode: int) -> None:
    ms.set_context(mode=mode)
    x = array([0.5, 1, 2])
    output = slopes(lambda a, b, c: mnp.clip(a, b, c).sum(), x, x, x)
    assert output == [[0.25] * 3, [0.25] * 3, [0.5] * 3]
    assert slopes(lambda a: mnp.clip(a, 0.5, 1.0).sum(), x) == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float16", "float64"])
def test_numbers_as_bounds_of_numpys_clip_leave_the_dtype(dtype: str) -> None:
    output = mnp.clip(array([0, 1, 3], dtype), 0.5, 1.5).asnumpy()
    whole = np.dtype(dtype).kind in "iu"
    assert output.dtype == dtype and output.tolist() == ([0, 1, 1] if whole else [0.5, 1, 1.5])
    listed = mnp.clip(array([0, 1, 3], dtype), [1, 1, 1], 2).asnumpy().tolist()
    assert listed == [1, 1, 2]
    with pytest.raises(ValueError, match="xmin and xmax must not both be None"):
        mnp.clip(array([1], dtype), None, None)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_whole_numbers_stay_whole(dtype: str) -> None:
    numbers = array([1, 2, 2], dtype)
    means = ops.SegmentMean()(numbers, Tensor([0, 0, 1])).asnumpy()
    assert means.dtype == dtype and means.tolist() == [1, 2]
    output = mnp.reciprocal(array([0, 1, 2], dtype)).asnumpy()
    assert output.dtype == dtype and output.tolist() == [np.iinfo(dtype).max, 1, 0]
    if dtype != "uint8":
        signed = mnp.copysign(array([1, 2, 3], dtype), array([-1, 2, -3])).asnumpy()
        assert signed.dtype == dtype and signed.tolist() == [-1, 2, -3]
        means = ops.SegmentMean()(array([-3, -2, 2], dtype), Tensor([0, 0, 1])).asnumpy()
        assert means.tolist() == [-2, 2]


def test_one_variable_has_a_variance_without_axes() -> None:
    output = array([[0.5, 1, 2]]).cov()
    assert output.shape == () and float(output) == pytest.approx(7 / 12)


def test_nothing_is_split_into_one_part_of_nothing() -> None:
    for parts in (ops.split(array([]), 2), array([]).chunk(3), mint.split(array([]), 2)):
        assert [p.shape for p in parts] == [(0,)]
    assert [p.shape for p in ops.split(array(np.zeros((0, 3))), 2, 0)] == [(0, 3)]
    assert [p.shape for p in ops.chunk(array(np.zeros((0, 3))), 2, 1)] == [(0, 2), (0, 1)]


@MODES
def test_a_vector_is_crossed_with_many(mode: int) -> None:
    ms.set_context(mode=mode)
    x, many = np.array([[1.0, 2, 3]]), np.arange(6.0).reshape(2, 3) ** 2
    output = ops.cross(Tensor(x), Tensor(many)).asnumpy()
    np.testing.assert_allclose(output, np.cross(x, many))
    np.testing.assert_allclose(mint.cross(Tensor(x[0]), Tensor(many)).asnumpy(), output)
    back = slopes(lambda a: ops.cross(a, array([[0, 1, 0], [0, 0, 1]])).sum(), array([[1, 0, 0]]))
    assert back == [[[0, 1, -1]]]
    with pytest.raises(ValueError, match="input and other must have shapes that broadcast"):
        ops.cross(Tensor(np.ones((2, 3))), Tensor(np.ones((3, 3))))


@MODES
@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize(
    "pool",
    [
        lambda x: ops.max_pool2d(x, 2, 2),
        lambda x: ops.max_pool2d(x, 3, 1),
        lambda x: ops.max_pool2d(x, 3, 2, 1),
        lambda x: ops.max_pool2d(x, 2, 2, return_indices=True)[0],
        lambda x: ops.max_pool3d(x.expand_dims(2), (1, 2, 2)),
    ],
)
def test_a_nan_gradient_of_max_pool_goes_only_to_the_maximum(
    mode: int, bad: float, pool: Any
) -> None:
    ms.set_context(mode=mode)
    x = array(np.random.default_rng(0).permutation(128).reshape(2, 1, 8, 8))
    sense = np.ones(pool(x).shape, np.float32)
    sense.reshape(-1)[sense.size // 2] = bad
    gradient = ms.grad(lambda x: (pool(x) * Tensor(sense)).sum())(x).asnumpy()
    assert np.count_nonzero(~np.isfinite(gradient)) == 1
    assert np.isfinite(gradient).sum() == x.size - 1


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_nor_does_it_spread_among_planes(bad: float) -> None:
    x = np.random.default_rng(0).permutation(64).reshape(1, 2, 4, 4, 2).astype(np.float32)
    y = PlaneMaxPool()(Tensor(x)).asnumpy()
    dy = np.ones_like(y)
    dy[0, 0, 1, 1, 1] = bad
    output = PlaneMaxPoolGrad()(Tensor(x), Tensor(y), Tensor(dy)).asnumpy()
    assert np.count_nonzero(~np.isfinite(output)) == 1 and (output == 1).sum() == y.size - 1


@MODES
def test_a_window_of_one_element_is_that_element(mode: int) -> None:
    ms.set_context(mode=mode)
    x = array(np.arange(18).reshape(1, 2, 3, 3))
    for pool in (ops.max_pool2d, ops.avg_pool2d):
        assert np.array_equal(pool(x, 1, 1).asnumpy(), x.asnumpy())
        assert np.array_equal(pool(x, 1, 2).asnumpy(), x.asnumpy()[:, :, ::2, ::2])


@pytest.mark.parametrize("first, then", [(0.0, -0.0), (-0.0, 0.0), (1, True), (2.0, 2)])
def test_ops_of_equal_attributes_that_are_not_the_same_are_two(first: Any, then: Any) -> None:
    kind = registry["NanToNum"]
    assert kind(first) != kind(then) and kind(first) is kind(first)


@MODES
def test_each_zero_has_its_sign(mode: int) -> None:
    ms.set_context(mode=mode)
    none = array([np.nan])
    for zero in (0.0, -0.0, 0.0):
        output = ops.nan_to_num(none, zero).asnumpy()
        assert bool(np.signbit(output[0])) is bool(np.signbit(zero))


def test_median_of_an_empty_axis_is_nan_and_empty_along_other_axes() -> None:
    x = Tensor(np.zeros((2, 0, 3), np.float32))
    for axis, shape in ((0, (0, 3)), (2, (2, 0))):
        value, index = ops.median(x, axis)
        assert (value.shape, index.shape) == (shape, shape)
    value, index = ops.median(x, 1)
    assert np.isnan(value.asnumpy()).all() and not index.asnumpy().any()
    assert value.shape == index.shape == (2, 3)
