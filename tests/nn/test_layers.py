"""Layers where MindSpore's CPU has no answer to compare with, and what layers refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops


def images(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(5).uniform(0, 1, shape).astype(np.float32))


# -- dense and convolutions -----------------------------------------------------------------------


def test_dense_refuses_a_wrong_dtype_and_says_so():
    with pytest.raises(TypeError, match=r"(?s)Float32.*Float16|float32.*float16|Int32|int32"):
        nn.Dense(2, 2)(Tensor([[1, 2]], ms.int32))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.Dense(2, 2)(images(3, 3)), ValueError, "last axis of x must be in_channels=2"),
        (lambda: nn.Dense(0, 2), ValueError, "Dense: in_channels must be"),
        (lambda: nn.Dense(2.0, 2), TypeError, "Dense: in_channels must be"),
        (lambda: nn.Dense(2, 2, has_bias=1), TypeError, "Dense: has_bias must be"),
        (lambda: nn.Dense(2, 2, activation="rellu"), KeyError, "relu"),
        (lambda: nn.Dense(2, 2, activation=3), TypeError, "Dense: activation must be"),
        (
            lambda: nn.Dense(2, 2, weight_init=Tensor(np.zeros((3, 2), np.float32))),
            ValueError,
            r"Dense: weight_init must have .*\(2, 2\)",
        ),
        (lambda: nn.Conv2d(3, 4, 3)(images(1, 2, 8, 8)), ValueError, "Conv2D: .*3"),
        (lambda: nn.Conv2d(3, 4, 3)(images(3, 8, 8)), ValueError, "Conv2D: input must have 4 axes"),
        (lambda: nn.Conv2d(3, 4, 3, group=2), ValueError, "Conv2d: group must divide"),
        (lambda: nn.Conv2d(3, 4, 3, pad_mode="full"), ValueError, "Conv2d: pad_mode must be"),
        (lambda: nn.Conv2d(3, 4, 3, padding=1), ValueError, "Conv2d: padding must be 0"),
        (lambda: nn.Conv2d(3, 4, 0), ValueError, "Conv2d: kernel_size must be"),
        (lambda: nn.Conv2d(3, 4, (1, 2, 3)), ValueError, "Conv2d: kernel_size must"),
        (
            lambda: nn.Conv2d(3, 4, 3, data_format="NHWC"),
            ValueError,
            "Conv2d: data_format must be 'NCHW'",
        ),
        (lambda: nn.Conv1d(3, 4, 3)(images(1, 3)), ValueError, "Conv1d: x must have 3 axes"),
        (lambda: nn.Conv1d(3, 4, (3, 3)), TypeError, "Conv1d: kernel_size must be"),
        (
            lambda: nn.Conv2dTranspose(1, 1, 2, 2, "pad", output_padding=2),
            ValueError,
            "Conv2dTranspose: output_padding must be below",
        ),
        (
            lambda: nn.Conv2dTranspose(1, 1, 2, 2, output_padding=1),
            ValueError,
            "Conv2dTranspose: output_padding must be 0",
        ),
        (lambda: nn.Embedding(0, 2), ValueError, "Embedding: vocab_size must be"),
        (lambda: nn.MaxPool2d(0), ValueError, "MaxPool2d: kernel_size must be"),
        (lambda: nn.MaxPool2d(2, pad_mode="x"), ValueError, "MaxPool2d: pad_mode must be"),
        (lambda: nn.AvgPool2d(2.5), TypeError, "AvgPool2d: kernel_size must be"),
        (lambda: nn.Flatten(3)(images(2, 3)), ValueError, "Flatten: start_dim must be an axis"),
        (lambda: nn.PixelShuffle(2)(images(1, 3, 2, 2)), ValueError, "PixelShuffle: axis -3"),
        (lambda: nn.ChannelShuffle(2)(images(1, 3, 2)), ValueError, "ChannelShuffle: groups"),
        (lambda: nn.get_activation("gellu"), KeyError, "gelu"),
        (lambda: nn.MultiheadAttention(5, 2), ValueError, "MultiheadAttention: num_heads must"),
        (lambda: nn.LSTM(2, 3)(images(4, 2, 5)), ValueError, "LSTM: "),
        (lambda: nn.GRUCell(2, 3)(images(4, 5), images(4, 3)), ValueError, "GRUCell: "),
    ],
)
def test_layers_refuse_and_say_why(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_a_refused_input_shape_leaves_the_moving_statistics_unchanged():
    net = nn.SequentialCell(nn.BatchNorm2d(3), nn.Conv2d(4, 1, 1)).set_train()
    before = net[0].moving_mean.asnumpy().copy()
    with pytest.raises(ValueError, match="Conv2D"):
        net(images(2, 3, 4, 4))
    # The layers before have run, as they do in MindSpore; but a layer that refuses changes nothing.
    moved = net[0].moving_mean.asnumpy()
    assert not np.array_equal(before, moved)
    with pytest.raises(ValueError, match="BatchNorm"):
        net(images(2, 2, 4, 4))
    np.testing.assert_array_equal(net[0].moving_mean.asnumpy(), moved)


def test_a_graph_that_refuses_its_input_changes_nothing():
    context.set_context(mode=context.GRAPH_MODE)
    net = nn.SequentialCell(nn.BatchNorm2d(3), nn.Conv2d(4, 1, 1)).set_train()
    with pytest.raises(ValueError, match="Conv2D"):
        net(images(2, 3, 4, 4))
    assert net[0].moving_mean.asnumpy().tolist() == [0, 0, 0]


def test_same_padding_adds_the_odd_pixel_at_the_end():
    cell = nn.Conv2d(1, 1, 2, pad_mode="same", weight_init="ones")
    out = cell(ops.ones((1, 1, 2, 2), ms.float32)).asnumpy()
    assert out[0, 0].tolist() == [[4, 2], [2, 1]]


def test_a_transposed_convolution_is_the_gradient_of_the_convolution():
    w = Tensor(np.random.default_rng(1).normal(size=(3, 2, 3, 3)).astype(np.float32))
    conv = nn.Conv2d(2, 3, 3, 2, pad_mode="same", weight_init=w)
    up = nn.Conv2dTranspose(3, 2, 3, 2, pad_mode="same", weight_init=w)
    y = images(1, 3, 4, 4)
    gradient = ms.grad(lambda x: (conv(x) * y).sum())(images(1, 2, 8, 8))
    np.testing.assert_allclose(up(y).asnumpy(), gradient.asnumpy(), rtol=1e-4, atol=1e-5)


def test_weights_start_as_in_mindspore_2():
    ms.set_seed(1)
    dense, conv = nn.Dense(400, 50), nn.Conv2d(16, 50, 5, has_bias=True)
    for cell, fan_in in ((dense, 400), (conv, 400)):
        bound = 1 / math.sqrt(fan_in)
        for p in (cell.weight, cell.bias):
            a = p.asnumpy()
            assert np.abs(a).max() <= bound
            assert np.abs(a).max() > 0.9 * bound
        assert abs(cell.weight.asnumpy().std() - bound / math.sqrt(3)) < 0.02 * bound


# -- images ---------------------------------------------------------------------------------------


def test_psnr_is_the_logarithm_of_peak_over_mean_squared_error():
    a = np.zeros((2, 3, 4, 4), np.float32)
    b = a + np.array([0.1, 0.5], np.float32)[:, None, None, None]
    got = nn.PSNR()(Tensor(a), Tensor(b)).asnumpy()
    np.testing.assert_allclose(got, [20.0, 10 * math.log10(4)], rtol=1e-5)


def test_psnr_counts_in_the_range_of_the_pixels():
    a = np.zeros((1, 1, 2, 2), np.float32)
    got = nn.PSNR(max_val=255.0)(Tensor(a), Tensor(a + 25.5)).asnumpy()
    np.testing.assert_allclose(got, [20.0], rtol=1e-5)


def ssim(x: np.ndarray, y: np.ndarray, size: int, sigma: float) -> float:
    """Wang et al. 2004, window by window."""
    at = np.arange(size) - (size - 1) / 2
    g = np.exp(-(at**2) / (2 * sigma**2))
    w = np.outer(g, g) / np.outer(g, g).sum()
    c1, c2 = 0.01**2, 0.03**2
    results = []
    for i in range(x.shape[0] - size + 1):
        for j in range(x.shape[1] - size + 1):
            a, b = x[i : i + size, j : j + size], y[i : i + size, j : j + size]
            ma, mb = (w * a).sum(), (w * b).sum()
            va, vb = (w * (a - ma) ** 2).sum(), (w * (b - mb) ** 2).sum()
            vab = (w * (a - ma) * (b - mb)).sum()
            results.append(
                (2 * ma * mb + c1) * (2 * vab + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2))
            )
    return float(np.mean(results))


def test_ssim_is_the_mean_over_windows():
    rng = np.random.default_rng(2)
    x, y = rng.uniform(0, 1, (2, 9, 9)).astype(np.float32)
    got = nn.SSIM(filter_size=5, filter_sigma=1.0)(Tensor(x[None, None]), Tensor(y[None, None]))
    np.testing.assert_allclose(got.asnumpy(), [ssim(x, y, 5, 1.0)], rtol=1e-4)


@pytest.mark.parametrize(
    ("cell", "size"),
    [(nn.SSIM(), 16), (nn.MSSSIM(power_factors=(0.3, 0.3, 0.4), filter_size=3), 16)],
)
def test_an_image_is_wholly_similar_to_itself(cell, size):
    x = images(2, 1, size, size)
    np.testing.assert_allclose(cell(x, x).asnumpy(), [1, 1], rtol=1e-4)


def test_the_ssim_window_is_an_untrainable_parameter():
    one, two = nn.SSIM(filter_size=3), nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3)
    assert [p.name for p in one.get_parameters()] == ["conv.weight"]
    names = ["multi_convs_list.0.weight", "multi_convs_list.1.weight"]
    assert [p.name for p in two.get_parameters()] == names
    assert one.trainable_params() == two.trainable_params() == []
    window = one.conv.weight.asnumpy()[0, 0]
    np.testing.assert_allclose(window[1] / window[1, 0], [1, np.exp(1 / 4.5), 1], rtol=1e-6)
    np.testing.assert_allclose(window.sum(), 1, rtol=1e-6)


def test_msssim_multiplies_the_scales():
    x, y = images(1, 1, 8, 8), Tensor(np.flip(images(1, 1, 8, 8).asnumpy(), 2) * 0.5 + 0.3)
    one = nn.MSSSIM(power_factors=(1.0,), filter_size=3)(x, y).asnumpy()
    np.testing.assert_allclose(one, nn.SSIM(filter_size=3)(x, y).asnumpy(), rtol=1e-4)


@pytest.mark.parametrize(
    ("shift", "axis", "numpy_axis"), [(2, 0, 0), ([1, -2], [0, 1], (0, 1)), (-1, 1, 1)]
)
def test_roll_goes_round(shift, axis, numpy_axis):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    got = nn.Roll(shift, axis)(Tensor(x)).asnumpy()
    np.testing.assert_array_equal(got, np.roll(x, shift, numpy_axis))


def test_unfold_lays_the_pixels_of_each_block_out_as_channels():
    x = np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3)
    got = nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])(Tensor(x)).asnumpy()
    assert got.shape == (1, 8, 2, 2)
    # pixel by pixel, and the two channels of each
    assert got[0, :, 0, 1].tolist() == [1, 10, 2, 11, 4, 13, 5, 14]


@pytest.mark.parametrize(
    ("sizes", "error"), [([2, 2], ValueError), (2, TypeError), ([1, 0, 2, 1], ValueError)]
)
def test_unfold_refuses_other_sizes(sizes, error):
    with pytest.raises(error, match="Unfold: ksizes must"):
        nn.Unfold(sizes, [1, 1, 1, 1], [1, 1, 1, 1])


def test_a_bilinear_resize_doubles():
    x = Tensor([[[[0.0, 2.0]]]])
    assert nn.ResizeBilinear()(x, size=(1, 3), align_corners=True).asnumpy().tolist() == [
        [[[0, 1, 2]]]
    ]


# -- padding of volumes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "mode"),
    [
        (nn.ConstantPad3d((1, 0, 0, 1, 1, 1), 2.0), "constant"),
        (nn.ReflectionPad3d((1, 0, 0, 1, 1, 1)), "reflect"),
        (nn.ReplicationPad3d((1, 0, 0, 1, 1, 1)), "edge"),
    ],
)
def test_volumes_are_padded_from_the_last_axis_on(cell, mode):
    x = images(2, 3, 2, 3, 4).asnumpy()
    extra = {"constant_values": 2.0} if mode == "constant" else {}
    expected = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 1), (1, 0)), mode, **extra)
    np.testing.assert_array_equal(cell(Tensor(x)).asnumpy(), expected)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("kind", ["MaxPool", "AvgPool"])
def test_a_pool_pools_under_the_name_of_a_subclass_too(kind, axes):
    pool = getattr(nn, f"{kind}{axes}d")
    subclass = type("Downsample", (pool,), {})
    x = images(2, 3, *[4] * axes)
    assert np.array_equal(subclass(2, 2)(x).asnumpy(), pool(2, 2)(x).asnumpy())


def test_adaptive_max_pool_of_volumes_takes_the_maximum_of_each_part():
    x = images(1, 2, 5, 4, 6).asnumpy()
    got = nn.AdaptiveMaxPool3d((2, 2, 3))(Tensor(x))
    got = (got[0] if isinstance(got, tuple) else got).asnumpy()
    assert got.shape == (1, 2, 2, 2, 3)
    assert got[0, 1, 1, 0, 2] == x[0, 1, 2:, :2, 4:].max()


# -- attention ------------------------------------------------------------------------------------


def test_encoder_and_decoder_apply_their_layers_one_after_the_other():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm((4,)))
    x = images(3, 2, 4)
    expected = stack.norm(stack.layers[1](stack.layers[0](x)))
    np.testing.assert_allclose(stack(x).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    layer = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0)
    stack = nn.TransformerDecoder(layer, 2)
    memory = images(5, 2, 4)
    expected = stack.layers[1](stack.layers[0](x, memory), memory)
    np.testing.assert_allclose(stack(x, memory).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        (nn.ReLU(), "relu"),
        (nn.ReLU6(), "relu6"),
        (nn.Sigmoid(), "sigmoid"),
        (nn.Tanh(), "tanh"),
        (nn.ELU(), "elu"),
        (nn.CELU(), "celu"),
        (nn.SeLU(), "selu"),
        (nn.Mish(), "mish"),
        (nn.Softsign(), "softsign"),
        (nn.HSwish(), "hswish"),
        (nn.HSigmoid(), "hsigmoid"),
        (nn.HShrink(), "hshrink"),
        (nn.SoftShrink(), "softshrink"),
        (nn.Softmax(), "softmax"),
        (nn.Softmax2d(), "softmax"),
        (nn.LogSoftmax(), "log_softmax"),
        (nn.FastGelu(), "fast_gelu"),
        (nn.LRN(), "lrn_op"),
    ],
)
def test_the_op_of_an_activation_has_the_name_of_mindspore(layer: nn.Cell, name: str) -> None:
    x = Tensor(np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 2, 2, 4))
    assert repr(getattr(layer, name)(x)) == repr(layer(x))


@pytest.mark.parametrize("layer", [nn.Dropout1d, nn.Dropout2d, nn.Dropout3d])
def test_channels_count_for_dropout_only_while_it_drops(layer: type[nn.Cell]) -> None:
    x = Tensor(np.ones(6, np.float32))
    net = layer(p=0.5)
    assert (net(x).asnumpy() == 1).all()
    with pytest.raises(ValueError, match="axes"):
        net.set_train()(x)
    with pytest.raises(TypeError):
        layer(p=0.0)([1.0])


class Standardized(nn.Conv2d):
    def construct(self, x: Tensor) -> Tensor:
        return self.bias_add(self.conv2d(x, self.weight - self.weight.mean()), self.bias)


class Normed(nn.Conv1d):
    def construct(self, x: Tensor) -> Tensor:
        out = self.bias_add(self.conv2d(self.expand_dims(x, 2), 2 * self.weight), self.bias)
        return self.squeeze(out)


class Wide(nn.Dense):
    def construct(self, x: Tensor) -> Tensor:
        shape = self.shape_op(x)
        out = self.matmul(self.reshape(x, (-1, shape[-1])), self.weight)
        return self.reshape(self.bias_add(out, self.bias), (*shape[:-1], -1))


class Squares(nn.LossBase):
    def construct(self, x: Tensor) -> Tensor:
        square = self.mul(self.cast(x, ms.float32), x)
        return self.reduce_sum(square, -1) + self.reduce_mean(square)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_layer_subclasses_can_use_the_ops_of_their_base(mode: int) -> None:
    """As scripts that inherit from a layer call them."""
    context.set_context(mode=mode)
    x = Tensor(np.arange(12, dtype=np.float32).reshape(1, 3, 4))
    dense = Wide(4, 2)
    assert repr(dense(x)) == repr(nn.Dense(4, 2, dense.weight, dense.bias)(x))
    line = Normed(3, 2, 3, has_bias=True)
    twice = nn.Conv1d(3, 2, 3, has_bias=True, weight_init=2 * line.weight, bias_init=line.bias)
    assert repr(line(x)) == repr(twice(x))
    plane = Standardized(1, 2, 3, has_bias=True)
    centred = Tensor(plane.weight.asnumpy() - plane.weight.mean().asnumpy())
    same = nn.Conv2d(1, 2, 3, has_bias=True, weight_init=centred, bias_init=plane.bias)
    assert repr(plane(x[None])) == repr(same(x[None]))
    assert Squares()(Tensor([1.0, 3.0])).asnumpy() == 15


def test_what_a_layer_calls_can_be_another_op() -> None:
    """As adapters put their own product into a layer."""
    dense = nn.Dense(2, 2, has_bias=False, weight_init=Tensor([[1.0, 2.0], [3.0, 4.0]]))
    x = Tensor([[1.0, 0.0]])
    assert dense(x).asnumpy().tolist() == [[1, 3]]
    dense.matmul = ops.MatMul()
    assert dense(x).asnumpy().tolist() == [[1, 2]]


def test_average_pool_counts_same_padding_only_with_ceil_mode():
    x = Tensor(np.arange(1, 8, dtype=np.float32).reshape(1, 1, 7))
    assert nn.AvgPool1d(2, 2, "same")(x).asnumpy().ravel().tolist() == [1.5, 3.5, 5.5, 7.0]
    counted = nn.AvgPool1d(2, 2, "same", ceil_mode=True)
    assert counted(x).asnumpy().ravel().tolist() == [1.5, 3.5, 5.5, 3.5]
    assert ms.grad(counted)(x).asnumpy().ravel().tolist() == [0.5] * 7
    left_out = nn.AvgPool2d((1, 2), (1, 2), "same", ceil_mode=True, count_include_pad=False)
    assert left_out(x.reshape(1, 1, 1, 7)).asnumpy().ravel().tolist() == [1.5, 3.5, 5.5, 7.0]


@pytest.mark.parametrize(
    ("cell", "others", "expected"),
    [
        (nn.ClipByNorm(), (Tensor(1.0),), ms.float32),
        (nn.L1Regularizer(0.5), (), ms.float32),
        (nn.Norm(), (), ms.float16),
        (nn.ReduceLogSumExp(0), (), ms.float16),
        (nn.LayerNorm((3,)), (), ms.float16),
        (nn.Softmax(), (), ms.float16),
    ],
)
def test_what_half_floats_become(cell, others, expected):
    assert cell(Tensor(np.ones((2, 3), np.float16)), *others).dtype == expected


def test_a_mask_is_padded_with_true():
    mask = nn.ConstantPad1d(1, True)(Tensor([[[False, True]]]))
    assert mask.asnumpy().tolist() == [[[True, False, True, True]]]


@pytest.mark.parametrize("axis", [-3, 2])
def test_unflatten_refuses_an_axis_out_of_range(axis):
    with pytest.raises(ValueError, match=rf"Unflatten: axis must be in \[-2, 2\).*got {axis}"):
        nn.Unflatten(axis, (2, 2))(images(4, 4))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_kink_of_a_random_relu_has_no_slope(mode):
    context.set_context(mode=mode)
    slope = ms.grad(nn.RReLU(0.25, 0.25))(Tensor([-2.0, 0.0, 3.0]))
    assert slope.asnumpy().tolist() == [0.25, 0.0, 1.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_embedding_lookup_returns_zeros_for_ids_outside_the_table(mode):
    context.set_context(mode=mode)
    table = Tensor([[1.0, 2.0], [3.0, 4.0]])
    lookup = nn.EmbeddingLookup(2, 2, param_init=table)
    assert lookup(Tensor([-1, 1, 2])).asnumpy().tolist() == [[0, 0], [3, 4], [0, 0]]
    device = nn.EmbeddingLookup(2, 2, param_init=table, target="DEVICE")
    assert device(Tensor([-1])).asnumpy().tolist() == [[3, 4]]
    fields = nn.MultiFieldEmbeddingLookup(2, 2, 1, param_init=table)
    ids, shares, at = Tensor([[1, -1]]), Tensor([[1.0, 1.0]]), Tensor([[0, 0]], ms.int32)
    assert fields(ids, shares, at).asnumpy().tolist() == [[[3, 4]]]


def test_numbers_of_numpy_serve_where_mindspore_takes_them():
    half = np.float32(0.5)
    norm = nn.BatchNorm2d(2, eps=half, momentum=half)
    assert (norm.eps, norm.momentum) == (0.5, 0.5)
    assert nn.Embedding(3, 2, padding_idx=np.int64(1)).padding_idx == 1
    heads = nn.MultiheadAttention(4, np.int64(2), dropout=half)
    assert (heads.num_heads, heads.dropout, type(heads.head_dim)) == (2, 0.5, int)
