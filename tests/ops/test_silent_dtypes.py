"""Dtypes and values at the edges that once were others than MindSpore's, with no word of it."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, jit, mint, ops

INF = np.inf


def seen(t):
    return str(t.dtype), t.asnumpy().tolist()


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
@pytest.mark.parametrize(
    "divide",
    [ops.floor_div, mint.floor_divide, lambda x, y: mint.div(x, y, rounding_mode="floor")],
)
def test_a_quotient_rounded_down_is_the_floor_of_the_quotient_by_infinite_numbers_too(
    divide, dtype
):
    x, y = Tensor([INF, -INF, 7.0, -1.0, INF], dtype), Tensor([2, 2, 2, INF, INF], dtype)
    once, graph = divide(x, y), jit(lambda a, b: divide(a, b))(x, y)
    np.testing.assert_array_equal(once.asnumpy(), [INF, -INF, 3, -0.0, np.nan])
    assert once.dtype is dtype and graph.asnumpy().tobytes() == once.asnumpy().tobytes()


@pytest.mark.parametrize(("extreme", "expected"), [(ops.amax, 1), (ops.amin, -3)])
def test_an_extreme_has_the_dtype_of_its_tensor_whatever_number_it_begins_with(extreme, expected):
    x = Tensor([-3, 1], ms.int8)
    assert seen(extreme(x, initial=0.5)) == ("Int8", expected)
    nothing = Tensor([False, False])
    assert seen(extreme(x, initial=0.5, where=nothing)) == ("Int8", 0)
    assert seen(ms.numpy.max(x, initial=2.9)) == ("Int8", 2)


def test_cumprod_returns_the_requested_dtype():
    assert mint.cumprod(Tensor([2.5, 3.0]), 0, dtype=ms.int32).dtype is ms.int32
    assert mint.cumprod(Tensor([2, 3], ms.int32), 0).dtype is ms.int64


@pytest.mark.parametrize("axis", [0, -1])
def test_a_number_has_one_axis_to_be_named(axis):
    x = Tensor(2.5)
    for find in (ops.argmax, ops.argmin, ms.numpy.argmax, ms.numpy.argmin):
        assert seen(find(x, axis)) == ("Int64", 0)
    for squeeze in (ops.squeeze, mint.squeeze, ms.numpy.squeeze):
        assert seen(squeeze(x, axis)) == ("Float32", 2.5)
    assert seen(ops.logsumexp(x, axis)) == ("Float32", 2.5)
    assert ops.argmin(x).dtype is ms.int64


def test_mint_squeeze_refuses_an_axis_out_of_range():
    with pytest.raises(ValueError, match="squeeze: axis must be in"):
        mint.squeeze(Tensor([1.0]), 1)


@pytest.mark.parametrize(
    ("x", "y", "dtype"),
    [
        (Tensor([1.0], ms.float16), Tensor(2.0), "Float16"),
        (Tensor([1], ms.int8), Tensor(2), "Int8"),
        (Tensor([1], ms.int8), Tensor(2.0), "Float32"),
        (Tensor(1.0, ms.float16), 2.5, "Float32"),
        (Tensor(1, ms.int8), 2, "Int64"),
        (2, Tensor(1, ms.int8), "Int64"),
        (Tensor([1], ms.int8), 2, "Int8"),
        (Tensor(1.0), Tensor([2.0], ms.float16), "Float32"),
    ],
)
def test_a_remainder_takes_a_number_for_a_tensor_without_axes(x, y, dtype):
    assert str(ops.fmod(x, y).dtype) == dtype


def test_lerp_returns_the_dtype_of_its_tensors_for_any_weight():
    x, y = Tensor([1.0, 2.0], ms.float16), Tensor([3.0, 4.0], ms.float16)
    for weight in (Tensor(0.5), Tensor([0.5, 0.5], ms.float64), 0.5):
        assert seen(ops.lerp(x, y, weight)) == ("Float16", [2.0, 3.0])


def test_a_half_number_times_a_power_of_two_is_a_float():
    assert ops.ldexp(Tensor(1.5, ms.float16), 2).dtype is ms.float32
    assert ops.ldexp(Tensor([1.5], ms.float16), 2).dtype is ms.float16


@pytest.mark.parametrize("learned", [True, False])
def test_the_gradients_of_a_batch_norm_of_half_floats_are_floats_as_its_parameters_are(learned):
    net = ms.nn.BatchNorm1d(1, use_batch_statistics=learned)
    x = Tensor(np.full((3, 1, 2), 2.0), ms.float16)
    of_x, of_parameters = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(x)
    assert of_x.dtype is ms.float16 and all(t.dtype is ms.float32 for t in of_parameters)
    assert of_parameters[1].asnumpy().tolist() == [6.0]  # of beta: one for each element


def test_the_gradient_of_half_floats_is_one_whatever_the_slope_of_a_prelu_is():
    x, slope = Tensor([[1.0, -2.0]], ms.float16), Tensor([0.25])
    by_x, by_slope = ms.grad(lambda x, w: ops.prelu(x, w).sum(), (0, 1))(x, slope)
    assert seen(by_x) == ("Float16", [[1.0, 0.25]])
    assert seen(by_slope) == ("Float32", [-2.0])


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [(ms.int8, 2, "Int32"), (ms.float16, 2.5, "Float32"), (ms.bool_, 2, "Int32")],
)
def test_numpy_where_promotes_a_number_like_a_tensor(dtype, number, expected):
    x, one = Tensor([1, 1], dtype), Tensor([True, False])
    assert str(ms.numpy.where(one, x, number).dtype) == expected
    assert str(ms.numpy.where(one, number, x).dtype) == expected


def test_a_number_is_not_cut_to_a_whole_one_by_one_without_axes():
    assert seen(ms.numpy.maximum(Tensor(1), 2.5)) == ("Float32", 2.5)
    assert seen(ms.numpy.clip(Tensor(4), 0, 2.5)) == ("Float32", 2.5)
    assert seen(ms.numpy.maximum(Tensor([1]), 2.5)) == ("Int64", [2])  # as there


def test_parts_at_indices_come_in_a_list_and_equal_ones_in_a_tuple():
    x = Tensor([1, 2, 3, 4])
    for cut in (ms.numpy.split, ms.numpy.array_split, ms.numpy.hsplit):
        assert type(cut(x.reshape(1, 4) if cut is ms.numpy.hsplit else x, [1])) is list
    assert type(ms.numpy.split(x, 2)) is tuple
    assert type(ms.numpy.gradient(Tensor([[1.0, 2.0], [3.0, 5.0]]))) is list


def test_a_stack_has_the_dtype_that_holds_all_of_it():
    whole, half = Tensor([1, 2], ms.int32), Tensor([1.5, 2], ms.float16)
    assert seen(ms.numpy.stack([whole, half])) == ("Float16", [[1.0, 2.0], [1.5, 2.0]])


def test_numpy_piecewise_uses_the_first_condition_that_holds():
    pieces = ms.numpy.piecewise(
        Tensor([1.0, 2.0, 3.0]), [Tensor([True, False, True]), Tensor([True, True, False])], [7, 9]
    )
    assert pieces.asnumpy().tolist() == [7, 9, 7]


def test_the_triangle_of_a_vector_is_that_of_equal_rows():
    assert ms.numpy.tril(Tensor([1, 2])).asnumpy().tolist() == [[1, 0], [1, 2]]
    assert ms.numpy.triu(Tensor([1, 2])).asnumpy().tolist() == [[1, 2], [0, 2]]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_0d_bound_with_a_number_does_not_widen_the_dtype_of_clamp(mode):
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def construct(self, x, low, high):
            return x.clamp(low, high)

    half, short = Tensor([0.5, 3.0], ms.float16), Tensor([0, 3], ms.int32)
    assert seen(Net()(half, 1, Tensor(2.0, ms.float64))) == ("Float16", [1.0, 2.0])
    assert seen(Net()(short, Tensor(1, ms.int64), 2)) == ("Int32", [1, 2])
    assert seen(Net()(short, Tensor(1.5, ms.float64), 2)) == ("Float32", [1.5, 2.0])
    both_bounds = Net()(short, Tensor(1, ms.int64), Tensor(2, ms.int64))
    assert seen(both_bounds) == ("Int64", [1, 2])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_an_empty_segment_of_half_floats_holds_their_end_and_not_infinity(mode):
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def __init__(self, op):
            super().__init__()
            self.op = op

        def construct(self, x, ids):
            return self.op()(x, ids, 3)

    x, ids = Tensor([1.0, -2.0], ms.float16), Tensor([2, 2], ms.int32)
    assert seen(Net(ops.UnsortedSegmentMax)(x, ids)) == ("Float16", [-65504.0, -65504.0, 1.0])
    assert seen(Net(ops.UnsortedSegmentMin)(x, ids)) == ("Float16", [65504.0, 65504.0, -2.0])
    slope = ms.grad(lambda a: ops.unsorted_segment_max(a, ids, 3))(x)
    assert slope.asnumpy().tolist() == [1.0, 0.0]


def test_any_of_bytes_is_a_byte_as_all_is_not():
    x = Tensor([[0, 200], [0, 0]], ms.uint8)
    for f in (ops.any, mint.any, ops.ReduceAny(), lambda t, axis: t.any(axis)):
        assert seen(f(x, 1)) == seen(jit(lambda t, f=f: f(t, 1))(x)) == ("UInt8", [1, 0])
    assert seen(x.any()) == ("UInt8", 1) and seen(ms.numpy.sometrue(x)) == ("Bool", True)
    assert seen(x.all(1)) == ("Bool", [False, False]) and seen(x.int().any()) == ("Bool", True)


@pytest.mark.parametrize(
    ("f", "expected"), [(ops.hardsigmoid, [0, 0, 0, 0, 0]), (ops.hardswish, [0, 0, 0, 1, 1])]
)
def test_the_gradient_of_integers_is_one_of_integers(f, expected):
    x = Tensor([-4, -1, 0, 2, 5], ms.int32)
    for g in (ms.grad(f), jit(lambda t: ms.grad(f)(t))):
        assert seen(g(x)) == ("Int32", expected)


def test_only_ops_exp2_returns_float32_for_bfloat16():
    x = Tensor([1.5], ms.bfloat16)
    assert ops.exp2(x).dtype == ms.float32 and ops.exp2(x).asnumpy() == np.float32(2**1.5)
    assert [mint.exp2(x).dtype, mint.special.exp2(x).dtype] == [ms.bfloat16] * 2


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64, ms.float32, ms.float64])
def test_bincount_without_weights_says_how_often_in_their_dtype(dtype):
    array, size = Tensor([1, 1, 3, 9], ms.int32), Tensor(5, ms.int32)
    actual = ops.Bincount()(array, size, Tensor(np.zeros(0), dtype))
    assert actual.dtype is dtype and actual.asnumpy().tolist() == [0, 2, 0, 1, 0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_clip_by_norm_preserves_float_dtypes_and_casts_integers(mode):
    ms.set_context(mode=mode)
    half, whole, wide = Tensor([3, 4], ms.float16), Tensor([3, 4]), Tensor([3, 4], ms.float64)
    one = Tensor([1.0])
    clip = jit(ops.clip_by_norm) if mode == ms.GRAPH_MODE else ops.clip_by_norm
    for x, dtype in ((half, "Float16"), (wide, "Float64"), (whole, "Float32")):
        clipped, second = clip((x, one), 1.0, INF)
        assert (str(clipped.dtype), str(second.dtype)) == (dtype, "Float32")
        np.testing.assert_allclose(clipped.asnumpy(), [0.75, 1.0], rtol=1e-3)
        np.testing.assert_allclose(second.asnumpy(), [0.25], rtol=1e-5)
    single = clip(whole, 1.0)
    assert single.dtype == ms.float32
    np.testing.assert_allclose(single.asnumpy(), [0.6, 0.8], rtol=1e-5)
    for function in (ops.clip_by_norm, ops.clip_by_global_norm):
        with pytest.raises(ValueError, match="x must hold a Tensor at least"):
            function((), 1.0)
