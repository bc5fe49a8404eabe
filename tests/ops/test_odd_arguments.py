"""Functions on odd arguments: at the ends of their domains, on ties, on nothing at all.

The numbers are those of MindSpore 2.10 on the CPU, where no sum is written beside them.
"""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, nn, ops

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]
INF, NAN = float("inf"), float("nan")


@pytest.fixture(params=MODES, autouse=True)
def _mode(request):
    ms.set_context(mode=request.param)


def floats(*values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def slope(f, *args, at=0):
    return ms.grad(f, at)(*args).asnumpy()


# -- the ends of a domain --------------------------------------------------------------------------


@pytest.mark.parametrize("f", [ops.acosh, ops.logit])
def test_where_a_function_is_no_number_it_has_no_slope(f) -> None:
    outside = floats(-2.0, -0.5, -INF)
    assert np.isnan(f(outside).asnumpy()).all()
    assert np.isnan(slope(f, outside)).all()


def test_acosh_and_logit_keep_their_slopes_inside() -> None:
    assert np.allclose(slope(ops.acosh, floats(2.0, 1e5)), [3**-0.5, 1e-5])
    assert slope(ops.acosh, floats(1.0)).tolist() == [INF]
    assert np.allclose(slope(ops.logit, floats(0.5, 0.1)), [4, 1 / 0.09])
    assert slope(lambda x: ops.logit(x, 0.1), floats(-2.0, 0.5)).tolist() == [0.0, 4.0]


@pytest.mark.parametrize("f", [ops.bessel_i1, ops.bessel_i1e, ops.bessel_j1])
def test_bessel_functions_of_order_1_are_half_of_a_tiny_number(f) -> None:
    tiny = floats(0.0, 1e-20, -1e-12, 1e-7, dtype=np.float64)
    assert np.allclose(f(tiny).asnumpy(), tiny.asnumpy() / 2, rtol=1e-6, atol=0)
    assert np.allclose(slope(f, tiny), 0.5, rtol=1e-6)


@pytest.mark.parametrize("name", ["k0", "k0e", "k1", "k1e", "y0", "y1"])
def test_bessel_functions_of_negative_numbers_are_infinite(name) -> None:
    output = getattr(ops, f"bessel_{name}")(floats(-1e-3, -2.0, -INF)).asnumpy()
    assert output.tolist() == [-INF if name[0] == "y" else INF] * 3


def test_i0_of_a_huge_number_is_infinite() -> None:
    assert ops.bessel_i0(floats(1e308, -1e308, dtype=np.float64)).asnumpy().tolist() == [INF, INF]


def test_zeta_of_great_powers_is_its_nearest_terms() -> None:
    output = ops.zeta(floats(80.0, 60.0, INF, 3e38), floats(-2.5, -2.5, -2.5, -1.0)).asnumpy()
    assert np.allclose(output[:2], [2 * 2.0**80, 2 * 2.0**60], rtol=1e-4)
    assert output[2:].tolist() == [INF, INF]


def test_infinities_become_the_greatest_numbers_of_a_half_float() -> None:
    x = floats(INF, -INF, NAN, 1.0, dtype=np.float16)
    assert ops.nan_to_num(x).asnumpy().tolist() == [65504.0, -65504.0, 0.0, 1.0]
    assert mint.nan_to_num(x, 3.0, 5.0).asnumpy().tolist() == [5.0, -65504.0, 3.0, 1.0]


# -- points at the edges of images -----------------------------------------------------------------

IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)


def points(*xy):
    return floats(*xy).reshape(1, 1, -1, 2)


@pytest.mark.parametrize("corners", [True, False])
def test_a_point_clamped_to_the_border_has_no_slope(corners) -> None:
    edge = 1.0 if corners else 0.75  # where the last element is
    grid = points(edge, 0.1, -edge, 0.1, 2.0, 0.1, 0.1, edge)

    def sampled(grid):
        return ops.grid_sample(Tensor(IMAGE), grid, "bilinear", "border", corners)

    output = slope(sampled, grid).reshape(-1, 2)
    assert (output[:3, 0] == 0).all() and (output[:3, 1] > 0).all()
    assert output[3, 1] == 0 and output[3, 0] > 0


def test_the_nearest_of_two_elements_is_the_one_away_from_zero() -> None:
    grid = points(-0.5, -0.75, 0.0, -0.75, 0.5, -0.75, -1.0, -0.75, 1.0, -0.75)  # 0.5 ... 3.5
    output = ops.grid_sample(Tensor(IMAGE + 1), grid, "nearest", "zeros", False)
    assert output.asnumpy().reshape(-1).tolist() == [2.0, 3.0, 4.0, 0.0, 0.0]


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_a_point_that_is_nowhere_takes_zero(mode) -> None:
    grid = points(NAN, 0.0, INF, 0.0, 0.0, -INF, 1e30, 0.0)

    def sampled(x):
        return ops.grid_sample(x, grid, mode, "zeros", True)

    assert (sampled(Tensor(IMAGE)).asnumpy() == 0).all()
    assert (slope(sampled, Tensor(IMAGE)) == 0).all()


def test_an_image_twice_as_long_repeats_each_element_whatever_the_factor() -> None:
    row = floats(*range(7)).reshape(1, 1, 7)
    output = mint.nn.functional.interpolate(row, scale_factor=2.1)
    assert output.asnumpy().reshape(-1).tolist() == np.repeat(np.arange(7.0), 2).tolist()
    same = mint.nn.functional.interpolate(row, scale_factor=1.1)
    assert same.asnumpy().reshape(-1).tolist() == list(range(7))


# -- losses ----------------------------------------------------------------------------------------


def test_labels_below_zero_have_a_slope_in_kl_div() -> None:
    output = slope(lambda x: ops.kl_div(x, floats(-1.0, 0.0, 0.5), "sum"), floats(0.1, 0.2, 0.3))
    assert output.tolist() == [1.0, 0.0, -0.5]


def test_a_huber_loss_without_an_end_is_half_the_square() -> None:
    x, target = floats(1.0, -3.0), floats(0.0, 0.0)
    assert ops.huber_loss(x, target, "none", INF).asnumpy().tolist() == [0.5, 4.5]
    assert slope(lambda x: ops.huber_loss(x, target, "sum", INF), x).tolist() == [1.0, -3.0]


def test_a_loss_exactly_at_the_margin_has_its_full_slope() -> None:
    a, target = floats(1.0, 2.0), floats(1.0, -1.0)
    for loss in (
        nn.MarginRankingLoss(0.0, "sum"),
        lambda a, b, t: ops.margin_ranking_loss(a, b, t, 0.0, "sum"),
    ):
        assert slope(loss, a, a.copy(), target).tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(
    ("of_logits", "of_weight"), [(ms.float16, ms.float32), (ms.float32, ms.float16)]
)
def test_weights_of_classes_widen_a_loss_and_have_gradients_of_their_dtype(
    reduction, of_logits, of_weight
) -> None:
    x, target = Tensor(np.ones((2, 3)), of_logits), Tensor([0, 2], ms.int32)
    weight = Tensor([1.0, 2.0, 4.0], of_weight)
    for loss in (ops.nll_loss, ops.cross_entropy):
        assert loss(x, target, weight, -100, reduction).dtype is ms.float32
        by_x, by_weight = ms.grad(lambda x, w, f=loss: f(x, target, w, -100, reduction), (0, 1))(
            x, weight
        )
        assert (by_x.dtype, by_weight.dtype) == (of_logits, of_weight)
    output = mint.nn.functional.nll_loss(x, target, weight, -100, reduction)
    assert output.dtype is of_logits


def test_the_gradient_of_the_weights_has_their_dtype_in_the_op_itself() -> None:
    loss, x = ops.NLLLoss("sum"), Tensor(np.ones((2, 3)), ms.float16)
    weight, target = floats(1.0, 2.0, 4.0), Tensor([0, 2], ms.int32)
    assert ms.grad(lambda w: loss(x, target, w)[0])(weight).dtype is ms.float32


@pytest.mark.parametrize("target", [[0, 3], [-1, 0]])
def test_a_class_that_is_none_is_refused_by_multi_margin_loss(target) -> None:
    with pytest.raises(ValueError, match="must be in"):
        ops.multi_margin_loss(Tensor(np.ones((2, 3), np.float32)), Tensor(target, ms.int64))


@pytest.mark.parametrize("zero_infinity", [False, True])
def test_a_sequence_without_steps_has_read_no_label(zero_infinity) -> None:
    logs = ops.log_softmax(Tensor(np.arange(24, dtype=np.float32).reshape(3, 2, 4) % 5), -1)
    targets, one, steps = Tensor([[1], [2]]), Tensor([0, 1]), Tensor([0, 0])

    def loss(x):
        return ops.ctc_loss(x, targets, steps, one, 0, "none", zero_infinity)[0]

    assert loss(logs).asnumpy().tolist() == [0.0, 0.0 if zero_infinity else INF]
    if zero_infinity:
        assert (slope(loss, logs) == 0).all()


# -- nothing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected", "result"),
    [
        ((0, 2, 4), (0, -1), (0, 0)),
        ((0, 2, 4), (-1, 0), (0, 0)),
        ((0, 2, 4), (0, 1, -1, 4), (0, 1, 0, 4)),
        ((2, 0), (-1, 3), (0, 3)),
    ],
)
def test_an_open_length_of_nothing_is_zero(value, expected, result) -> None:
    x = Tensor(np.zeros(value, np.float32))
    assert ops.reshape(x, expected).shape == result
    assert slope(lambda x: ops.reshape(x, expected), x).shape == value


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("group", [1, 2])
def test_a_convolution_of_no_images_has_gradients_of_zero(kernel, group) -> None:
    x = Tensor(np.zeros((0, 2, 6, 6), np.float32))
    w = Tensor(np.ones((4, 2 // group, kernel, kernel), np.float32))
    for stride, dilation in ((1, 1), (2, 1), (1, 2)):

        def convolved(x, w, stride=stride, dilation=dilation):
            return ops.conv2d(x, w, None, stride, "same", 0, dilation, group)

        by_x, by_w = ms.grad(convolved, (0, 1))(x, w)
        assert by_x.shape == x.shape and (by_w.asnumpy() == 0).all()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ops.group_norm(x, 1),
        lambda x: ops.channel_shuffle(x, 2),
        lambda x: ops.grid_sample(x, ops.zeros((0, 4, 4, 2)), align_corners=True),
    ],
)
def test_an_empty_batch_stays_one(f) -> None:
    x = Tensor(np.zeros((0, 2, 4, 4), np.float32))
    assert f(x).shape == x.shape
    assert slope(f, x).shape == x.shape


def test_one_row_has_no_distances_and_an_empty_axis_no_parts() -> None:
    assert ops.pdist(Tensor(np.ones((1, 4), np.float32))).shape == (0,)
    assert ops.unbind(Tensor(np.ones((0, 4), np.float32))) == ()


def test_the_softmax_of_one_number_is_one() -> None:
    for dim in (None, 0, -1):
        output = mint.nn.functional.softmax(Tensor(2.0), dim)
        assert output.shape == () and float(output) == 1.0


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda: ops.diff(floats()), ValueError),
        (lambda: ops.vander(floats()), ValueError),
        (lambda: ops.histc(floats(INF, 1.0), 4), ValueError),
        (lambda: ops.histc(floats(NAN, 1.0), 4), ValueError),
        (lambda: ops.cov(Tensor([True, False])), TypeError),
        (lambda: ops.view_as_real(floats(1.0)), TypeError),
        (lambda: mint.add(Tensor([1]), 1, alpha=0.5), TypeError),
        (lambda: mint.sub(floats(1.0), 1.0, alpha=True), TypeError),
    ],
)
def test_what_has_no_meaning_is_refused(f, error) -> None:
    with pytest.raises(error):
        f()


# -- dtypes and shapes -----------------------------------------------------------------------------


def test_a_histogram_of_half_floats_is_float32() -> None:
    output = ops.histc(floats(0.0, 1.0, 2.0, 2.0, dtype=np.float16), 2)
    assert output.dtype is ms.float32 and output.asnumpy().tolist() == [1.0, 3.0]


@pytest.mark.parametrize("dtype", [ms.float16, ms.float64, ms.int32])
def test_a_number_times_alpha_widens_no_tensor(dtype) -> None:
    x = Tensor([1, 2], dtype)
    assert mint.add(x, 2, alpha=3).asnumpy().tolist() == [7, 8]
    assert mint.add(x, 2, alpha=3).dtype is dtype
    if dtype is not ms.int32:
        assert mint.sub(x, 2.0, alpha=-0.5).dtype is dtype


def test_the_first_of_nans_is_their_median_and_has_its_slope() -> None:
    value, index = ops.median(floats(NAN, 1.0, NAN))
    assert np.isnan(float(value)) and int(index) == 0
    assert slope(lambda x: ops.median(x)[0], Tensor(NAN, ms.float32)).tolist() == 1.0


def test_tensors_of_many_axes_have_a_transpose() -> None:
    x = Tensor(np.zeros((2, 3, 4)))
    assert (ops.t(x).shape, x.t().shape, mint.t(x).shape) == ((2, 3, 4), (2, 3, 4), (3, 2, 4))
    assert x.permute().shape == (4, 3, 2) and x.resize().shape == (2, 3, 4)


def test_no_axes_to_squeeze_are_all_of_them_in_mint() -> None:
    x = Tensor(np.zeros((1, 2, 1)))
    assert mint.squeeze(x, ()).shape == mint.squeeze(x, None).shape == (2,)
    assert mint.squeeze(x, (0,)).shape == (2, 1)


def test_truth_has_no_fraction() -> None:
    output = ops.frac(Tensor([True, False]))
    assert output.dtype is ms.int64 and output.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("dtype", "message"), [(np.float32, NAN), (np.float64, NAN), (np.int16, 0), (np.int64, 0)]
)
def test_the_median_of_nothing_is_no_number(dtype, message) -> None:
    nothing = Tensor(np.zeros((2, 3, 0, 4), dtype))
    for ignore in (True, False):
        value, _ = ops.operations.Median(global_median=True, ignore_nan=ignore)(nothing)
        np.testing.assert_array_equal(value.asnumpy(), dtype(message))
    value, index = ops.median(nothing, 2)
    np.testing.assert_array_equal(value.asnumpy(), np.full((2, 3, 4), message, dtype))
    assert index.asnumpy().tolist() == np.zeros((2, 3, 4)).tolist()
    assert ops.median(nothing, 0)[0].shape == (3, 0, 4)
    if message != 0:
        assert slope(lambda x: ops.median(x, 2)[0], nothing).shape == nothing.shape


def test_the_step_of_no_number_is_0() -> None:
    x = Tensor([NAN, 0.0, 0.0, 1.0, -INF, NAN])
    y = Tensor([5.0, NAN, 6.0, 7.0, 8.0, NAN])
    np.testing.assert_array_equal(ops.heaviside(x, y).asnumpy(), [0, NAN, 6, 1, 0, 0])


@pytest.mark.parametrize(
    ("numbers", "count"),
    [((0, 1, 0.01), 100), ((1000.04, 1001.04, 0.01), 100), ((1, 8000, 0.01), 799900)],
)
def test_steps_are_counted_as_float32_divides(numbers, count) -> None:
    tensors = [Tensor(x, ms.float32) for x in numbers]
    for output in (ops.range(*tensors), ops.Range()(*tensors), ops.arange(*tensors)):
        assert output.shape == (count,) and output.dtype is ms.float32
        np.testing.assert_allclose(output.asnumpy()[-1], numbers[1] - 0.01, rtol=1e-6)
    assert ops.arange(*numbers).shape == (count,)
    assert ops.arange(1.0, 1.3, 0.1).shape == (3,)
    assert ops.arange(1.0, 1.3, 0.1, dtype=ms.float64).shape == (3,)


def test_the_ends_of_a_range_may_be_tensors_of_one_element() -> None:
    output = ops.range(Tensor([0]), Tensor([[10]]), Tensor(4))
    assert output.dtype is ms.int64 and output.asnumpy().tolist() == [0, 4, 8]
    with pytest.raises(TypeError, match="start must be a number"):
        ops.range(Tensor([0, 1]), Tensor(10), Tensor(4))


def test_no_gradient_leaves_the_mean_square_of_rows() -> None:
    w, s, m = (
        ms.Parameter(Tensor([[x, x]]), name=n) for n, x in (("w", 1.0), ("s", 0.5), ("m", 2.0))
    )
    ops.SparseApplyRMSProp(0.2, 0.5, 0.0)(w, s, m, 0.1, Tensor([[0.0, 1.0]]), Tensor([0]))
    np.testing.assert_allclose(s.asnumpy(), [[0.5, 0.9]], rtol=1e-6)
    np.testing.assert_allclose(m.asnumpy(), [[1.0, 1 + 0.1 / np.sqrt(0.9)]], rtol=1e-6)
    np.testing.assert_allclose(w.asnumpy(), 1 - m.asnumpy(), atol=1e-6)


def test_one_length_is_that_of_a_block_of_as_many_axes_as_have_paddings() -> None:
    x = Tensor(np.arange(16.0).reshape(1, 1, 4, 4), ms.float32)
    for pairs in ([[0, 0], [0, 0]], [[1, 1], [0, 2]], [[0, 0]]):
        blocks = ops.space_to_batch_nd(x, 2, pairs)
        same = ops.space_to_batch_nd(x, [2] * len(pairs), pairs)
        np.testing.assert_array_equal(blocks.asnumpy(), same.asnumpy())
        np.testing.assert_array_equal(ops.BatchToSpaceND(2, pairs)(blocks).asnumpy(), x.asnumpy())


@pytest.mark.parametrize("indices", [0, [0], [0, 0]])
def test_a_parameter_without_axes_is_one_row(indices) -> None:
    index = Tensor(indices, ms.int32)
    four = Tensor(np.full(index.shape, 4.0, np.float32))
    times = max(1, index.size)
    for name, expected in (
        ("Add", 2 + 4 * times),
        ("Sub", 2 - 4 * times),
        ("Mul", 2 * 4**times),
        ("Div", 2 / 4**times),
        ("Max", 4),
        ("Min", 2),
        ("Update", 4),
    ):
        p = ms.Parameter(Tensor(2.0), name="p")
        output = getattr(ops, f"Scatter{name}")()(p, index, four)
        assert output.shape == p.shape == () and float(output) == float(p) == expected


def test_normal_numbers_may_have_arrays_as_parameters() -> None:
    output = ops.normal((3, 2), np.array([0.0, 1000.0]), np.array(1.0))
    assert output.shape == (3, 2) and output.dtype is ms.float64
    assert (output[:, 1] > 900).all() and (output[:, 0] < 100).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_selu_of_integers_has_whole_factors_as_well(dtype):
    x = floats(-100, -18, -17, -2, 0, 3, 100, dtype=dtype)
    actual = ops.selu(x)
    assert actual.dtype == x.dtype and actual.asnumpy().tolist() == [-1, -1, 0, 0, 0, 3, 100]
    with pytest.raises(TypeError, match="SeLU: input must be of floats to have a gradient"):
        ms.grad(ops.selu)(x)
    for other in (np.int16, np.uint8, np.int64, np.bool_):
        with pytest.raises(TypeError, match="SeLU: input must be"):
            ops.selu(floats(1, dtype=other))


@pytest.mark.parametrize("size", [-1, Tensor(-1, ms.int32)])
def test_a_negative_number_of_boxes_is_none(size) -> None:
    # MindSpore has this op for GPU and Ascend alone; its documentation says so of negative sizes.
    boxes = floats([0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0])
    kept = ops.NonMaxSuppressionV3()(boxes, floats(0.9, 0.8), size, 0.5, 0.0)
    assert kept.shape == (0,)
