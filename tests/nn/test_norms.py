"""Normalisation and dropout: statistics, draws, precision, several ranks."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.common.initializer import initializer
from minispore.ops.support import transport
from tests.nn.test_layers import images


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
            lambda: nn.Dropout2d(0.5).set_train()(ops.ones((2, 3), ms.float32)),
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


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16])
@pytest.mark.parametrize("shape", [(4, 3), (9, 3), (2, 3, 2, 2)])
def test_an_infinite_value_moves_the_mean_to_infinity(shape, dtype):
    x = np.random.default_rng(0).normal(0, 1, shape).astype(np.float32)
    x[0, 0], x[-1, 2] = np.inf, -np.inf
    cell = (nn.BatchNorm1d if len(shape) == 2 else nn.BatchNorm2d)(3).set_train()
    y = cell(Tensor(x).astype(dtype)).asnumpy()
    mean, variance = cell.moving_mean.asnumpy(), cell.moving_variance.asnumpy()
    assert mean[0] == np.inf and mean[2] == -np.inf and np.isfinite(mean[1])
    assert np.isnan(variance[[0, 2]]).all() and np.isfinite(variance[1])
    assert np.isnan(y[:, [0, 2]]).all() and np.isfinite(y[:, 1]).all()


def test_overflowing_squares_make_the_variance_infinite():
    x = np.random.default_rng(0).normal(0, 1, (4, 3)).astype(np.float32)
    x[0, 0], x[0, 2] = 1e30, -1e30
    cell = nn.BatchNorm1d(3).set_train()
    y = cell(Tensor(x)).asnumpy()
    variance = cell.moving_variance.asnumpy()
    assert (variance[[0, 2]] == np.inf).all() and np.isfinite(variance[1])
    assert (y[:, [0, 2]] == 0).all() and np.isfinite(y[:, 1]).all()


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


def test_batch_norm_with_fixed_statistics_leaves_them_unchanged_in_training():
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
    expected = whole(x)
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
    for i, part in enumerate((expected, slope)):
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
def test_sync_batch_norm_refuses_groups_with_unknown_ranks(groups, error, text):
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


@pytest.mark.parametrize("norm", [nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d])
def test_instance_norms_take_floats_that_keep_the_variance_above_0(norm):
    assert norm(2, eps=1.0, momentum=0.0).eps == 1.0
    for name in ("eps", "momentum"):
        with pytest.raises(TypeError, match=f"{norm.__name__}: {name} must be a float, got 1 "):
            norm(2, **{name: 1})
    for eps in (0.0, -1e-5, 1.5):
        with pytest.raises(ValueError, match=rf"{norm.__name__}: eps must be in \(0.0, 1.0\]"):
            norm(2, eps=eps)
    with pytest.raises(TypeError, match="GroupNorm: eps must be a float, got 0 "):
        nn.GroupNorm(1, 2, eps=0)


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


def test_a_parameter_can_be_passed_as_weight_init():
    w = Parameter(initializer("ones", (2, 3), ms.float32), name="mine")
    net = nn.Dense(3, 2, weight_init=w, bias_init="zeros")
    np.testing.assert_allclose(
        net(images(1, 3)).asnumpy(), images(1, 3).asnumpy().sum() * np.ones((1, 2)), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("cell", "axes"),
    [
        (nn.GroupNorm(3, 3), (2, 3)),
        (nn.InstanceNorm2d(3), (2, 3)),
        (nn.LayerNorm((3, 4, 4), 1, 1), (1, 2, 3)),
    ],
)
def test_norms_of_half_floats_round_once(cell, axes):
    x = (np.arange(96).reshape(2, 3, 4, 4) / 50 - 1).astype(np.float16)
    exact = x.astype(np.float64)
    exact -= exact.mean(axes, keepdims=True)
    exact /= np.sqrt(exact.var(axes, keepdims=True) + 1e-5)
    got = cell.to_float(ms.float16)(Tensor(x))
    assert got.dtype == ms.float16
    assert np.abs(got.asnumpy() - exact).max() < 6e-4  # half a step of float16 below 2


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_batch_norm_with_half_parameters_computes_in_float32(mode, dtype):
    ms.set_context(mode=mode)
    rng, cell = np.random.default_rng(2), nn.BatchNorm2d(3, dtype=dtype)
    options = {}
    for name, p in cell.parameters_and_names():
        p.set_data(Tensor(rng.uniform(0.3, 1.7, 3).astype(np.float32)).astype(dtype))
        options[name] = p.astype(ms.float32).asnumpy().astype(np.float64).reshape(1, 3, 1, 1)
    x = rng.uniform(-1, 1, (2, 3, 4, 4)).astype(np.float32)
    gain = options["gamma"] / np.sqrt(options["moving_variance"] + 1e-5)
    y = cell(Tensor(x))
    assert y.dtype == ms.float32
    np.testing.assert_allclose(
        y.asnumpy(), (x - options["moving_mean"]) * gain + options["beta"], rtol=2e-6, atol=2e-6
    )
    dx, (dgamma, dbeta) = ms.grad(cell, 0, cell.trainable_params())(Tensor(x))
    np.testing.assert_allclose(dx.asnumpy(), np.broadcast_to(gain, x.shape), rtol=2e-6)
    assert dgamma.dtype == dbeta.dtype == dtype
    assert dbeta.astype(ms.float32).asnumpy().tolist() == [32, 32, 32]
