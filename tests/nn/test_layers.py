"""Layers where MindSpore's CPU has no answer to compare with, and what layers refuse."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context, nn, ops
from minispore.common.initializer import initializer
from minispore.ops.support import transport


def images(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(5).uniform(0, 1, shape).astype(np.float32))


def filled(cell: nn.Cell) -> nn.Cell:
    rng = np.random.default_rng(6)
    for p in cell.get_parameters():
        p.set_data(Tensor(rng.uniform(0.5, 1.5, p.shape).astype(np.float32)))
    return cell


# -- dropout --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [nn.Dropout(p=0.25), nn.Dropout(keep_prob=0.75), nn.Dropout(0.75)])
def test_dropout_zeroes_a_share_and_enlarges_the_rest(cell):
    ms.set_seed(1)
    out = cell.set_train()(ops.ones((100, 100), ms.float32)).asnumpy()
    assert set(np.unique(out).tolist()) == {0.0, np.float32(1 / 0.75)}
    assert abs((out == 0).mean() - 0.25) < 0.02


def test_dropout_draws_anew_at_each_call():
    cell = nn.Dropout(p=0.5).set_train()
    x = ops.ones((8, 8), ms.float32)
    assert not np.array_equal(cell(x).asnumpy(), cell(x).asnumpy())


def test_dropout_keeps_everything_outside_training():
    x = images(3, 4)
    assert nn.Dropout(p=0.9)(x) is x


def test_the_gradient_of_dropout_passes_where_values_passed():
    cell = nn.Dropout(p=0.5).set_train()
    x = images(16, 16) + 1.0
    ms.set_seed(2)
    forward = cell(x).asnumpy()
    ms.set_seed(2)
    dx = ms.grad(lambda v: cell(v).sum())(x).asnumpy()
    np.testing.assert_array_equal(dx, np.where(forward == 0, 0, 2))


@pytest.mark.parametrize(
    ("cell", "shape", "lead"),
    [
        (nn.Dropout1d(0.5), (20, 30, 4), 2),
        (nn.Dropout1d(0.5), (30, 4), 1),
        (nn.Dropout2d(0.5), (20, 30, 2, 3), 2),
        (nn.Dropout3d(0.5), (20, 30, 2, 2, 3), 2),
    ],
)
def test_channel_dropouts_drop_whole_channels(cell, shape, lead):
    out = cell.set_train()(ops.ones(shape, ms.float32)).asnumpy()
    channels = out.reshape(math.prod(shape[:lead]), -1)
    assert np.all(channels == channels[:, :1])
    assert set(np.unique(channels[:, 0]).tolist()) == {0.0, 2.0}


@pytest.mark.parametrize(("p", "value"), [(0.0, 1.0), (1.0, 0.0)])
def test_channel_dropout_of_nothing_and_of_everything(p, value):
    out = nn.Dropout2d(p).set_train()(ops.ones((2, 3, 2, 2), ms.float32)).asnumpy()
    assert np.all(out == value)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.Dropout(p=1.0), ValueError, r"Dropout: p must be in \[0.0, 1.0\)"),
        (lambda: nn.Dropout(keep_prob=0.0), ValueError, "Dropout: keep_prob must be"),
        (lambda: nn.Dropout(p="a"), TypeError, "Dropout: p must be"),
        (lambda: nn.Dropout2d(1.5), ValueError, "Dropout2d: p must be"),
        (
            lambda: nn.Dropout2d(0.5)(ops.ones((2, 3), ms.float32)),
            ValueError,
            "Dropout2d: x must have 4 axes",
        ),
    ],
)
def test_dropouts_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make()


# -- randomised leaky ReLU ------------------------------------------------------------------------


def test_rrelu_draws_slopes_between_its_bounds_in_training():
    x = ops.full((1000,), -1.0, dtype=ms.float32)
    out = -nn.RReLU(0.2, 0.6).set_train()(x).asnumpy()
    assert out.min() >= 0.2
    assert out.max() <= 0.6
    assert np.unique(out).size > 100


# -- normalisation --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "shape"),
    [
        (nn.InstanceNorm1d(3), (2, 3, 5)),
        (nn.InstanceNorm2d(3), (2, 3, 4, 5)),
        (nn.InstanceNorm3d(3), (2, 3, 2, 4, 5)),
    ],
)
def test_instance_norm_normalises_each_channel_of_each_sample(cell, shape):
    x = images(*shape)
    filled(cell)
    a = x.asnumpy().astype(np.float64)
    axes = tuple(range(2, a.ndim))
    normal = (a - a.mean(axes, keepdims=True)) / np.sqrt(a.var(axes, keepdims=True) + 1e-5)
    per_channel = (1, 3) + (1,) * len(axes)
    gamma, beta = (p.asnumpy().reshape(per_channel) for p in (cell.gamma, cell.beta))
    np.testing.assert_allclose(cell(x).asnumpy(), gamma * normal + beta, rtol=1e-4, atol=1e-5)


def test_batch_norm_moves_its_statistics_towards_those_of_the_batch():
    cell = nn.BatchNorm2d(2, momentum=0.8).set_train()
    x = images(3, 2, 4, 4)
    cell(x)
    a = x.asnumpy()
    n = 3 * 4 * 4
    np.testing.assert_allclose(
        cell.moving_mean.asnumpy(), 0.2 * a.mean((0, 2, 3)), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(
        cell.moving_variance.asnumpy(),
        0.8 + 0.2 * a.var((0, 2, 3)) * n / (n - 1),
        rtol=1e-4,
    )


def test_batch_norm_with_fixed_statistics_leaves_them_alone_in_training():
    cell = nn.BatchNorm2d(2, use_batch_statistics=False).set_train()
    cell(images(3, 2, 4, 4))
    assert cell.moving_mean.asnumpy().tolist() == [0, 0]


def test_sync_batch_norm_on_one_device_is_batch_norm():
    x = images(3, 2, 4, 4)
    a, b = nn.SyncBatchNorm(2).set_train(), nn.BatchNorm2d(2).set_train()
    np.testing.assert_array_equal(a(x).asnumpy(), b(x).asnumpy())


class Shared(transport.Transport):
    """Two ranks as two threads."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier_of_two = threading.Barrier(2, timeout=20)
        self.given: list[np.ndarray] = [np.empty(0)] * 2
        self.own = threading.local()

    def size(self, group: str) -> int:
        return 2

    def rank(self, group: str) -> int:
        return self.own.rank

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        self.given[self.own.rank] = x.copy()
        self.barrier_of_two.wait()
        total = self.given[0] + self.given[1]
        self.barrier_of_two.wait()
        return total


def test_sync_batch_norm_on_two_ranks_normalises_their_common_batch():
    x, y = images(4, 2, 3, 3), images(4, 2, 3, 3) * 2.0
    whole = filled(nn.BatchNorm2d(2)).set_train()
    wanted = whole(x)
    slope = ms.grad(lambda v: (filled(whole)(v) * y).sum())(x)
    shared = Shared()

    def on(rank: int) -> tuple[np.ndarray, ...]:
        shared.own.rank = rank
        cell = filled(nn.SyncBatchNorm(2)).set_train()
        mine = slice(2 * rank, 2 * rank + 2)
        out = cell(x[mine])
        moving = cell.moving_mean.asnumpy().copy(), cell.moving_variance.asnumpy().copy()
        dx = ms.grad(lambda v: (cell(v) * y[mine]).sum())(x[mine])
        return out.asnumpy(), dx.asnumpy(), *moving

    old = transport.install(shared)
    try:
        with ThreadPoolExecutor(2) as pool:
            ranks = list(pool.map(on, range(2)))
    finally:
        transport.install(old)
    for i, part in enumerate((wanted, slope)):
        got = np.concatenate([rank[i] for rank in ranks])
        np.testing.assert_allclose(got, part.asnumpy(), rtol=1e-3, atol=1e-4)
    filled(whole)(x)
    for rank in ranks:
        np.testing.assert_allclose(rank[2], whole.moving_mean.asnumpy(), rtol=1e-4)
        np.testing.assert_allclose(rank[3], whole.moving_variance.asnumpy(), rtol=1e-4)


@pytest.mark.parametrize(
    ("groups", "error", "text"),
    [
        ((0,), TypeError, "process_groups must be a list of lists"),
        ([[0, 0]], ValueError, "process_groups must hold different ranks below 1"),
        ([[1]], ValueError, "process_groups must hold different ranks below 1"),
    ],
)
def test_sync_batch_norm_refuses_groups_of_ranks_that_are_not_there(groups, error, text):
    with pytest.raises(error, match=text):
        nn.SyncBatchNorm(2, process_groups=groups)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.BatchNorm2d(3)(images(2, 4, 2, 2)), "BatchNorm: scale must have the shape"),
        (lambda: nn.BatchNorm2d(3)(images(2, 3)), "BatchNorm2d: x must have 4 axes"),
        (lambda: nn.BatchNorm1d(3)(images(2, 3, 2, 2)), "BatchNorm1d: x must have"),
        (lambda: nn.BatchNorm2d(0), "BatchNorm2d: num_features must be"),
        (lambda: nn.BatchNorm2d(3, momentum=1.5), "BatchNorm2d: momentum must be"),
        (lambda: nn.LayerNorm(()), "LayerNorm: normalized_shape must have"),
        (lambda: nn.LayerNorm((3,))(images(2, 4)), "LayerNorm: .*3"),
        (lambda: nn.GroupNorm(2, 3), "GroupNorm: num_groups must divide"),
        (lambda: nn.GroupNorm(1, 3)(images(2, 4, 2)), "GroupNorm: axis 1 of x must be"),
        (lambda: nn.InstanceNorm2d(3)(images(2, 4, 2, 2)), "InstanceNorm2d: axis 1 of x must be"),
    ],
)
def test_norms_refuse_wrong_shapes(make, text):
    with pytest.raises(ValueError, match=text):
        make()


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


def test_an_input_of_a_wrong_shape_leaves_moving_statistics_alone():
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


def test_same_padding_puts_the_odd_pixel_behind():
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
    found = []
    for i in range(x.shape[0] - size + 1):
        for j in range(x.shape[1] - size + 1):
            a, b = x[i : i + size, j : j + size], y[i : i + size, j : j + size]
            ma, mb = (w * a).sum(), (w * b).sum()
            va, vb = (w * (a - ma) ** 2).sum(), (w * (b - mb) ** 2).sum()
            vab = (w * (a - ma) * (b - mb)).sum()
            found.append(
                (2 * ma * mb + c1) * (2 * vab + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2))
            )
    return float(np.mean(found))


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
    wanted = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 1), (1, 0)), mode, **extra)
    np.testing.assert_array_equal(cell(Tensor(x)).asnumpy(), wanted)


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
    wanted = stack.norm(stack.layers[1](stack.layers[0](x)))
    np.testing.assert_allclose(stack(x).asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
    layer = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0)
    stack = nn.TransformerDecoder(layer, 2)
    memory = images(5, 2, 4)
    wanted = stack.layers[1](stack.layers[0](x, memory), memory)
    np.testing.assert_allclose(stack(x, memory).asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


# -- lowered precision ----------------------------------------------------------------------------


def test_norms_keep_float32_parameters_when_the_net_is_lowered():
    net = nn.SequentialCell(nn.Dense(3, 2), nn.LayerNorm((2,))).to_float(ms.float16)
    out = net(images(4, 3))
    assert out.dtype == ms.float16
    assert {p.dtype for p in net.get_parameters()} == {ms.float32}


def test_gradients_of_a_lowered_net_come_in_the_parameters_precision():
    net = nn.Dense(3, 2).to_float(ms.float16)
    grads = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(images(4, 3))
    assert [g.dtype for g in grads] == [ms.float32, ms.float32]


def test_a_parameter_made_by_hand_serves_as_weight():
    w = Parameter(initializer("ones", (2, 3), ms.float32), name="mine")
    net = nn.Dense(3, 2, weight_init=w, bias_init="zeros")
    np.testing.assert_allclose(
        net(images(1, 3)).asnumpy(), images(1, 3).asnumpy().sum() * np.ones((1, 2)), rtol=1e-5
    )
