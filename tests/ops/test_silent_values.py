"""Values that once were others than MindSpore's, with no word of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.numpy as mnp
from minispore import Tensor, mint, ops
from minispore.common.initializer import HeUniform, Normal, Uniform, initializer
from minispore.ir.registry import registry


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_inverse_of_an_integer_is_its_whole_part(mode):
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def construct(self, x):
            return ops.inv(x)

    tensor = Tensor([-100, 1, 3, -2, 1000, -1], ms.int32)
    actual = Net()(tensor)
    assert actual.dtype == ms.int32 and actual.asnumpy().tolist() == [0, 1, 0, 0, 0, -1]
    assert ops.Reciprocal()(tensor).dtype == ms.float32


@pytest.mark.parametrize(("k", "size"), [(1, 4), (-1, 4), (0, 3), (2, 5)])
def test_matrix_diag_of_one_diagonal_is_square_without_sizes(k, size):
    output = ops.matrix_diag(Tensor([1.0, 2.0, 3.0]), Tensor(k, ms.int32))
    np.testing.assert_array_equal(output.asnumpy(), np.diag([1.0, 2.0, 3.0], k))
    assert output.shape == (size, size)


@pytest.mark.parametrize("kind", [Normal, Uniform, HeUniform])
def test_numpys_seed_determines_initializers_without_set_seed(kind):
    def draw_weights(seed):
        np.random.seed(seed)  # noqa: NPY002  # as scripts do
        return initializer(kind(), [3, 4], ms.float32).init_data().asnumpy().tolist()

    assert draw_weights(5) == draw_weights(5) != draw_weights(6)


@pytest.mark.parametrize(("new", "value"), [(ops.new_ones, 1), (ops.new_zeros, 0)])
def test_new_tensors_have_the_dtype_of_another(new, value):
    output = new(Tensor([3], ms.int8), (1, 2))
    assert output.dtype == ms.int8 and output.asnumpy().tolist() == [[value] * 2]
    assert new(Tensor([3], ms.int8), 2, dtype=ms.float32).dtype == ms.float32
    with pytest.raises(TypeError, match="input must be a Tensor"):
        new(3, 2)


def test_the_gradient_of_a_complex_product_takes_the_conjugates():
    x, w = np.complex64([1 + 2j, 3j]), np.complex64([2 - 1j, 1 + 1j])
    dx, dw = ms.vjp(ops.dense, Tensor(x), Tensor(w))[1](Tensor(np.complex64(1j)))
    np.testing.assert_allclose(dx.asnumpy(), 1j * w.conj(), rtol=1e-6)
    np.testing.assert_allclose(dw.asnumpy(), 1j * x.conj(), rtol=1e-6)


def test_igamma_has_a_gradient_by_both_inputs():
    da, dx = ms.grad(ops.igamma, (0, 1))(Tensor([1.0]), Tensor([2.0]))
    np.testing.assert_allclose(dx.asnumpy(), np.exp(-2), rtol=1e-6)
    euler, e1 = 0.5772156649, 0.0489005107  # the derivative of Gamma at 1, and E1(2)
    by_hand = -(euler + e1 + np.exp(-2) * np.log(2)) + (1 - np.exp(-2)) * euler
    np.testing.assert_allclose(da.asnumpy(), by_hand, rtol=1e-6)


def test_nansum_leaves_nan_out_before_it_casts_the_sum() -> None:
    x = Tensor([[float("nan"), 128.1, -256.9], [float("nan"), float("nan"), 128]])
    assert ops.nansum(x, 0, dtype=ms.int64).asnumpy().tolist() == [0, 128, -128]
    assert ops.nansum(x, 0, dtype=ms.float16).asnumpy().tolist() == [0, 128.125, -128.875]


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(np.int8, -112), (np.uint8, 144), (np.int32, 400), (np.float16, 400)],
    ids=str,
)
def test_nansum_sums_in_the_dtype_of_its_input(dtype: Any, expected: int) -> None:
    total = ops.nansum(Tensor(np.full((2, 2), 100, dtype)))
    assert (total.item(), total.asnumpy().dtype) == (expected, dtype)


def test_nanmean_divides_by_a_count_of_any_size() -> None:
    assert mnp.nanmean(Tensor([True, True, False, True])).asnumpy() == 0.75
    assert mnp.nanmean(Tensor(np.full(300, 3, np.uint8))).asnumpy() == 3
    assert mnp.nanmean(Tensor([[1.0, np.nan], [2.0, 4.0]]), 0).asnumpy().tolist() == [1.5, 4]
    for dtype in (ms.bool_, ms.int32, ms.uint8):
        with pytest.raises(TypeError, match="nanmean: input must be a float tensor"):
            ops.nanmean(Tensor([1, 2], dtype))


def test_nanmean_casts_its_result() -> None:
    x = Tensor([[1.0, 128.1], [float("nan"), 128]])
    assert ops.nanmean(x, 0, dtype=ms.int32).asnumpy().tolist() == [1, 128]


IMAGE = [[1.0, 2.0, 4.0], [7.0, 11.0, 16.0], [22.0, 29.0, 37.0]]


@pytest.mark.parametrize(
    ("corners", "slopes"),
    [
        (True, [[1, 6], [5, 18], [-37, -37], [5.5, 16.5], [5.9, 18]]),
        (False, [[0.75, 0.75], [7.5, 27], [-27.75, -27.75], [9.375, 23.625], [9.525, 27]]),
    ],
)
def test_the_slope_of_an_image_at_a_whole_position_is_that_to_the_next_element(
    corners: bool, slopes: list[list[float]]
) -> None:
    grid = Tensor([[[[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0], [-0.5, 0.5], [0.0, 0.3]]]])
    image = Tensor([[IMAGE]])
    gradient = ms.grad(lambda g: ops.grid_sample(image, g, align_corners=corners))(grid)
    np.testing.assert_allclose(gradient.asnumpy()[0, 0], slopes, rtol=1e-6)


def test_the_slope_of_a_volume_at_a_whole_position_is_that_to_the_next_element() -> None:
    volume = Tensor(np.arange(27, dtype=np.float32).reshape(1, 1, 3, 3, 3) ** 2)
    grid = Tensor([[[[[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.5, 0.0, 0.0]]]]])
    gradient = ms.grad(lambda g: ops.grid_sample(volume, g, align_corners=True))(grid)
    expected = [[27, 87, 315], [43, 135, -441], [27, 90, 324]]
    assert gradient.asnumpy()[0, 0, 0].tolist() == expected


@pytest.mark.parametrize(
    ("box", "slopes"),
    [
        ([0.0, 0.0, 1.0, 1.0], [0, 0, 0, 0]),
        ([0.25, 0.25, 0.8, 0.75], [870, 0, 3210, 0]),
    ],
)
def test_the_slope_of_a_crop_at_a_whole_position_is_0(box: list[float], slopes: list[int]) -> None:
    image = Tensor(np.arange(25, dtype=np.float32).reshape(1, 5, 5, 1) ** 2)
    index = Tensor([0], ms.int32)
    gradient = ms.grad(lambda b: ops.crop_and_resize(image, b, index, (3, 3)))(Tensor([box]))
    np.testing.assert_allclose(gradient.asnumpy()[0], slopes, rtol=1e-6)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.float16])
def test_what_is_reduced_of_reversed_elements_is_that_of_their_copy(mode, dtype):
    """NumPy before 2.0 takes the largest of reversed elements from among some of them."""
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def construct(self, x):
            back = ops.flip(x, (-1,))
            return ops.amax(back, -1), ops.amin(x[..., ::-2], -1), ops.amax(x[::-1], 0)

    x = (np.random.default_rng(0).standard_normal((4, 7, 9)) * 50).astype(dtype)
    expected = x.max(-1), x[..., ::-2].copy().min(-1), x.max(0)
    for output, want in zip(Net()(Tensor(x)), expected, strict=True):
        np.testing.assert_array_equal(output.asnumpy(), want)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "int32", "int64", "float16", "float32"]
)
def test_a_number_and_a_tensor_of_no_axes_compute_in_the_dtype_of_the_tensor(mode, dtype):
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def construct(self, x):
            some = x + 1, 9 - x, x * 2, ops.maximum(x, 1), x // 2, x % 2, x**2
            others = ops.TruncateDiv(), ops.SquaredDifference(), ops.MulNoNan(), ops.TruncateMod()
            return *some, ops.addcmul(x, x, x, 1), *[op(x, 2) for op in others]

    one, many = Tensor(3, getattr(ms, dtype)), Tensor([3], getattr(ms, dtype))
    for single, row in zip(Net()(one), Net()(many), strict=True):
        assert single.dtype == row.dtype and single.asnumpy() == row.asnumpy()[0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float16", "float32"])
def test_each_op_of_two_computes_a_tensor_of_no_axes_as_a_row_of_one(dtype):
    """With a number, whose own dtype NumPy before 2.0 looks at then."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    one, many, compared = Tensor(3, getattr(ms, dtype)), Tensor([3], getattr(ms, dtype)), 0
    for op in [
        cls for cls in registry.values() if cls.promotion and cls.promotion.positions == (0, 1)
    ]:
        try:
            row = op()(many, 2)
        except (TypeError, ValueError):  # it needs attributes, or is not of this dtype
            continue
        single, compared = op()(one, 2), compared + 1
        assert single.dtype == row.dtype, op
        np.testing.assert_array_equal(single.asnumpy(), row.asnumpy()[0], str(op))
    assert compared > 30


def test_the_logarithm_of_gamma_is_exactly_0_at_1_and_2():
    for dtype in (ms.float32, ms.float64):
        assert ops.lgamma(Tensor([1.0, 2.0], dtype)).asnumpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_small_functions_give_what_mindspores_give_in_its_dtypes(mode):
    ms.set_context(mode=mode)
    i, j = Tensor([7, -7, 3], ms.int32), Tensor([2, 2, 2], ms.int32)
    z = Tensor(np.array([1 + 2j, 3 - 4j], np.complex64))
    x = Tensor([[1.0, 2.0], [3.0, 0.0]])

    class Net(ms.nn.Cell):
        def construct(self, i, j, z, x):
            actual = ops.mse_loss(i, j, "none"), ops.vecdot(i, j), ops.float_power(z, 2.0)
            return *actual, *x.argmax_with_value(1), *x.argmin_with_value(1)

    expected = [
        np.array([25, 81, 1], np.float32), np.array(6, np.int64), np.array([-3 + 4j, -7 - 24j]),
        np.array([2, 3], np.float32), np.array([1, 0]), np.array([1, 0], np.float32),
        np.array([0, 1]),
    ]  # fmt: skip
    for output, want in zip(Net()(i, j, z, x), expected, strict=True):
        np.testing.assert_allclose(output.asnumpy(), want, rtol=1e-12)
        assert output.asnumpy().dtype == want.dtype


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_functions_of_integers_with_numbers_stay_integers_where_mindspores_do(mode):
    ms.set_context(mode=mode)
    i, u = Tensor([-3, 0, 1, 4], ms.int32), Tensor([253, 0, 1, 4], ms.uint8)

    class Net(ms.nn.Cell):
        def construct(self, i, u):
            return (
                ops.hardtanh(i, -1.7, 2.2), ops.hardtanh(u, -1.7, 2.2), ops.leaky_relu(i, 0.5),
                ops.threshold(i, -0.5, 2.75), ops.addcmul(i, i, i, 0.5), ops.hardswish(i),
                ops.RealDiv()(i, 2), ops.tensor_div(2, u + 1), i.sum_to_size((1,)),
                ops.vander(u, 2), (u > 1).cumsum(0), u.cumsum(), i.max(keepdims=True),
                ops.hardswish(i + 1),
            )  # fmt: skip

    expected = [
        ([-1, 0, 1, 2], "int32"), ([2, 0, 1, 2], "uint8"), ([0, 0, 1, 4], "int32"),
        ([2, 0, 1, 4], "int32"), ([-3, 0, 1, 4], "int32"), ([0, 0, 0, 4], "int32"),
        ([-1, 0, 0, 2], "int32"), ([0, 2, 1, 0], "uint8"), ([2], "int64"),
        ([[253, 1], [0, 1], [1, 1], [4, 1]], "int64"), ([1, 1, 1, 2], "int32"),
        ([253, 253, 254, 258], "int32"), (4, "int32"), ([0, 0, 1, 5], "int32"),
    ]  # fmt: skip
    for output, (values, dtype) in zip(Net()(i, u), expected, strict=True):
        assert output.asnumpy().tolist() == values and str(output.asnumpy().dtype) == dtype


@pytest.mark.parametrize("name", ["addcmul", "addcdiv", "isclose"])
def test_inputs_of_different_dtypes_are_refused_where_mindspore_refuses_them(name):
    a, b = Tensor([1.0], ms.float32), Tensor([1], ms.int32)
    with pytest.raises(TypeError, match="must have one dtype"):
        getattr(ops, name)(*((a, b) if name == "isclose" else (a, b, a)))


def test_the_modulus_of_complex_numbers_is_complex_and_so_are_their_norms():
    z = Tensor(np.complex64([3 + 4j, 1j, 0]))
    output, norm = ops.abs(z), ops.norm(z, 1)
    assert output.dtype == norm.dtype == ms.complex64
    assert output.asnumpy().tolist() == [5, 1, 0] and norm.asnumpy() == 6
    slope = ms.grad(ops.abs)(z).asnumpy()
    np.testing.assert_allclose(slope, [0.6 + 0.8j, 1j, 0], rtol=1e-6)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_number_that_a_dtype_can_not_hold_is_compared_and_divided_by_as_it_is(mode):
    ms.set_context(mode=mode)
    u, i = Tensor([249, 0, 44], ms.uint8), Tensor([0, 1, 5], ms.int32)

    class Net(ms.nn.Cell):
        def construct(self, u, i):
            return u < -7, u == -7, u > 300, i <= 2**40, u / -8, ops.add(u, -7)

    below, same, above, all_below, ratio, wrapped = (t.asnumpy().tolist() for t in Net()(u, i))
    assert not any(below + same + above) and all(all_below)
    assert ratio == [-31.125, 0, -5.5] and wrapped == [242, 249, 37]


def test_scaled_terms_are_multiplied_in_the_dtype_of_the_sum():
    x, u = Tensor([1.0, 2.0]), Tensor([2, 200], ms.uint8)
    assert ms.mint.add(x, u, alpha=-2).asnumpy().tolist() == [-3, -398]
    assert ops.subtract(x, u, alpha=-2).asnumpy().tolist() == [5, 402]
    assert u.add(u, alpha=1).dtype == ms.uint8 and x.add(x, alpha=2).asnumpy().tolist() == [3, 6]
    assert x.index_add(0, Tensor([1, 1], ms.int32), Tensor([200, 200], ms.uint8))[1] == 402
    with pytest.raises(TypeError, match="source must be of a dtype"):
        Tensor([1, 2], ms.int32).index_add(0, Tensor([1], ms.int32), Tensor([1.5]))


def test_cov_and_mse_loss_subtract_small_integers_as_floats():
    u, v = Tensor([[2, 1], [0, 3]], ms.uint8), Tensor([3, 0, 1, 2], ms.uint8)
    for spread in (ms.numpy.cov(u), ops.cov(u)):
        np.testing.assert_allclose(spread.asnumpy(), [[0.5, -1.5], [-1.5, 4.5]])
    assert ops.mse_loss(v, v + 1).asnumpy() == 1
    assert ops.trapz(Tensor([True, True]), None) == 1 and ops.trapz(v, v) == -4.5 + 0.5 + 1.5


@pytest.mark.parametrize("dtype", [ms.int32, ms.uint8, ms.bool_, ms.float16])
def test_a_parameter_accepts_updates_of_a_narrower_dtype(dtype):
    def grown(op):
        w = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]))
        return op(w, Tensor([1], ms.int32), Tensor([[1, 1]], dtype)).asnumpy().tolist()

    assert grown(ops.IndexAdd(0)) == grown(ops.ScatterAdd()) == [[1, 2], [4, 5]]
    whole = ms.Parameter(Tensor([[1, 2]], ms.int32))
    with pytest.raises(TypeError, match="updates must be of the input's dtype"):
        ops.ScatterAdd()(whole, Tensor([0], ms.int32), Tensor([[1.0, 1.0]]))


def test_outer_products_and_bands_take_what_mindspores_take():
    m, v = Tensor([[2, 1], [0, 3]]), Tensor([3, 1])
    assert ops.outer(m, v).asnumpy().tolist() == [[6, 2], [3, 1], [0, 0], [9, 3]]
    assert ops.outer(v, Tensor(2)).asnumpy().tolist() == [[6], [2]]
    assert ops.matrix_band_part(m, 5, -7).asnumpy().tolist() == [[2, 1], [0, 3]]
    assert ops.matrix_band_part(m, 0, 5).asnumpy().tolist() == [[2, 1], [0, 3]]


def test_all_elements_that_need_not_be_sorted_stay_where_they_are():
    x = Tensor([[2.0, 9.0, 4.0]])
    values, places = ops.TopK(sorted=False)(x, 3)
    assert values.asnumpy().tolist() == [[2, 9, 4]] and places.asnumpy().tolist() == [[0, 1, 2]]
    values, places = ops.TopK(sorted=False)(x, 2)
    assert sorted(values.asnumpy().ravel()) == [4, 9]


def test_a_sum_of_bools_stays_one_with_a_number_to_start_from():
    actual = Tensor([[0.0, 3.0]]).sum(dtype=ms.bool_, initial=12)
    assert actual.dtype == ms.bool_ and actual.asnumpy()


def test_repeats_along_no_axis_are_those_of_each_element():
    x = Tensor([[1, 2], [3, 4]])
    assert x.repeat(2, axis=None).asnumpy().tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert x.repeat(2).asnumpy().tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    np.testing.assert_array_equal(np.repeat(x, 2), np.repeat(x.asnumpy(), 2))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    "index",
    [
        [[0, 1], [0, 1]],
        [(0, 1), (0, 1)],
        [[True, False], 0],
        [Tensor([True, False]), 0],
        [Tensor([1, 0]), 0],
        [slice(0, 1), 0],
        [None, [0, 1]],
        [..., 0],
        [[0, 1]],
        [[[0, 1]]],
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:GRAPH_MODE")  # how much a mask picks depends on values
def test_a_list_of_more_than_numbers_is_an_index_for_each_axis(mode, index):
    ms.set_context(mode=mode)

    class Indexed(ms.nn.Cell):
        def construct(self, x):
            return x[index]

    class Changed(ms.nn.Cell):
        def construct(self, x):
            x[index] = -1
            return x

    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    at = tuple(i.asnumpy() if isinstance(i, Tensor) else i for i in index)
    np.testing.assert_array_equal(Indexed()(Tensor(x)).asnumpy(), x[at])
    changed = Changed()(Tensor(x)).asnumpy()
    x[at] = -1
    np.testing.assert_array_equal(changed, x)


def test_a_list_of_numbers_is_one_index_and_a_ragged_one_none():
    x = Tensor([[1, 2], [3, 4], [5, 6]])
    assert x[[2, 0]].asnumpy().tolist() == [[5, 6], [1, 2]]
    assert x[[True, False, True]].asnumpy().tolist() == [[1, 2], [5, 6]]
    with pytest.raises(IndexError, match="a list in an index must be an array"):
        x[[[0, 1], [[0], [1, 2]]]]
    with pytest.raises(IndexError, match=r"the index must fit shape \(3, 2\)"):
        x[Tensor([True])] = 0


@pytest.mark.parametrize("other", [1.5, None, "a", [1.0, 2.0]], ids=str)
@pytest.mark.parametrize(
    "act",
    [
        lambda x, other: ops.mm(other, x),
        lambda x, other: x.mm(other),
        lambda x, other: ops.bmm(x, other),
        lambda x, other: ops.select_scatter(other, x, 0, 0),
        lambda x, other: ops.slice_scatter(x, other),
    ],
    ids=["mm", "Tensor.mm", "bmm", "select_scatter", "slice_scatter"],
)
def test_what_is_no_tensor_is_refused_by_its_type(act, other):
    with pytest.raises(TypeError, match="must be a Tensor, got"):
        act(Tensor([[1.0, 2.0], [3.0, 4.0]]), other)


def test_a_vector_is_transposed_by_the_number_of_its_axis_in_a_graph_as_well():
    actual = ms.jit(lambda x: ops.grad(lambda y: (y.transpose(0) * 2).sum())(x))(Tensor([1.0, 2.0]))
    assert actual.asnumpy().tolist() == [2, 2]


def test_a_vector_s_numbers_and_another_s_processes_are_at_mindspore_s_paths():
    import multiprocessing

    import minispore.multiprocessing

    assert ops.TensorToTuple()(Tensor([1, 2])) == (1, 2)
    with pytest.raises(ValueError, match="must be a vector"):
        ops.TensorToTuple()(Tensor([[1]]))
    with pytest.raises(TypeError, match="must be a Tensor"):
        ops.TensorToTuple()(1)
    assert minispore.multiprocessing.Process is multiprocessing.Process


def test_repeat_interleave_checks_output_size():
    x = Tensor([1, 2])
    assert x.repeat_interleave(2, output_size=4).asnumpy().tolist() == [1, 1, 2, 2]
    with pytest.raises(ValueError, match="output_size must be 4"):
        x.repeat_interleave(2, output_size=5)
    assert x.remainder(divisor=2).asnumpy().tolist() == [1, 0]


def test_integers_are_not_rounded_to_tens():
    with pytest.raises(RuntimeError, match="decimals must be >= 0 for integers, got -1"):
        ops.round(Tensor([13, -7]), decimals=-1)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_slope_of_a_likelihood_by_the_classes_weights_has_a_slope(reduction):
    rng = np.random.default_rng(3)
    x, w, dx, dw = (rng.uniform(0.5, 2, shape) for shape in ((5, 4), 4, (5, 4), 4))
    labels = Tensor([1, 0, 2, 3, 2])

    def loss(logits, weight):
        losses, total = ops.NLLLoss(reduction, 0)(logits, labels, weight)
        return (losses * losses).sum() + total * total

    def slope(logits, weight):
        by_logits, by_weight = ms.grad(loss, (0, 1))(logits, weight)
        return (by_logits * Tensor(dx)).sum() + (by_weight * Tensor(dw)).sum()

    for f in (loss, slope):
        gradient = ms.grad(f, 1)(Tensor(x), Tensor(w)).asnumpy()
        ahead, behind = (
            [float(f(Tensor(x), Tensor(w + step * e))) for e in np.eye(4)] for step in (1e-6, -1e-6)
        )
        np.testing.assert_allclose(
            gradient, (np.array(ahead) - behind) / 2e-6, rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("mode", ["mean", "maximum", "minimum", "linear_ramp"])
@pytest.mark.parametrize("width", [0, 2, ((1, 0), (0, 3))])
def test_borders_of_statistics_are_numpys(mode, width):
    x = np.float32([[1, 5, 2], [0, -3, 4]])
    actual = ms.numpy.pad(Tensor(x), width, mode).asnumpy()
    np.testing.assert_allclose(actual, np.pad(x, width, mode), rtol=1e-6)


def test_a_replication_that_leaves_nothing_is_refused():
    with pytest.raises(ValueError, match="padding must leave something of x"):
        ms.nn.ReplicationPad1d((-2, -1))(Tensor([[1.0, 2.0, 3.0]]))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_tensor_max_and_min_reduce_several_axes(mode):
    ms.set_context(mode=mode)
    x = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    assert x.max(axis=(1, 2)).asnumpy().tolist() == [11.0, 23.0]
    assert x.min(axis=(0, 2), keepdims=True).asnumpy().tolist() == [[[0.0], [4.0], [8.0]]]


@pytest.mark.parametrize("dtype", [ms.int64, ms.float16, ms.float64])
def test_randn_like_is_float32_by_default(dtype) -> None:
    x = Tensor(np.ones((2, 3)), dtype)
    assert ops.randn_like(x).dtype is ms.float32
    assert ops.randn_like(x, dtype=ms.float64).dtype is ms.float64


def test_no_dtype_is_no_float64() -> None:
    for call in (
        lambda: ops.randperm(4, dtype=None),
        lambda: ops.count_nonzero(Tensor([1.0, 0.0]), dtype=None),
    ):
        with pytest.raises(TypeError, match="dtype"):
            call()


def test_mint_randint_can_return_floats() -> None:
    output = mint.randint(3, 4, (2,), dtype=ms.float16)
    assert output.dtype is ms.float16
    assert output.asnumpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_gradient_of_an_extreme_of_integers_is_one_of_integers(mode) -> None:
    ms.set_context(mode=mode)
    x = Tensor([[3, 1], [1, 3]], ms.int64)
    for f, expected in (
        (lambda a: a.min(), [[0, 0], [0, 0]]),  # halves
        (lambda a: ops.ReduceMin()(a, 0), [[0, 1], [1, 0]]),
        (lambda a: ops.amax(a, 1) * 2, [[2, 0], [0, 2]]),
        (lambda a: ops.operations.Median(True)(a)[0], [[0, 0], [0, 0]]),
    ):
        slope = ms.grad(f)(x)
        assert slope.dtype is ms.int64 and slope.asnumpy().tolist() == expected
