"""Mixed precision and loss scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import amp, context, nn, ops
from minispore.core.tensor import Tensor
from minispore.train import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, Model
from tests.train.nets import GRAPH, PYNATIVE, Params, regression, trainer

X = Tensor(np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4))


class Spy(nn.Cell):
    """Dense, softmax; keeps the types that went through."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, 3)
        self.seen: list[str] = []

    def construct(self, x: Tensor) -> Tensor:
        y = self.dense(x)
        z = ops.softmax(y)
        self.__dict__["seen"] = [str(t.dtype) for t in (x, y, z)]
        return z


@pytest.mark.parametrize(
    ("level", "inside"),
    [
        ("O0", ["Float32", "Float32", "Float32"]),
        ("O1", ["Float32", "Float32", "Float32"]),  # each op gives float32 back
        ("O2", ["Float16", "Float16", "Float16"]),
        ("O3", ["Float16", "Float16", "Float16"]),
        ("auto", ["Float32", "Float32", "Float32"]),  # low products, the bias widens them again
    ],
)
def test_where_each_level_computes_in_float16(level, inside) -> None:
    net = Spy()
    lowered = amp.auto_mixed_precision(net, level)
    out = lowered(X)
    assert net.seen == inside
    assert out.dtype is ms.float32
    assert net.dense.weight.dtype is ms.float32


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_a_level_changes_the_result_by_a_rounding(level, mode) -> None:
    context.set_context(mode=mode)
    ms.set_seed(1)
    full = nn.Dense(4, 3)(X).asnumpy()
    ms.set_seed(1)
    low = amp.auto_mixed_precision(nn.Dense(4, 3), level)(X).asnumpy()
    assert np.abs(full - low).max() > 0
    np.testing.assert_allclose(full, low, atol=2e-3)


def test_o1_computes_the_product_itself_in_float16() -> None:
    net = nn.Dense(1, 1, weight_init=Tensor([[1.0 + 2**-11]]), bias_init="zeros")
    one = Tensor([[1.0]])
    assert net(one).asnumpy().item() == 1.0 + 2**-11
    assert amp.auto_mixed_precision(net, "O1")(one).asnumpy().item() == 1.0


def shifted(kind: Any) -> Any:
    """w x + b of one number, with weights of 1 and 2048: the sum 2049 is no float16."""
    size = (1, 1) if kind is nn.Dense else (1, 1, 1)
    return kind(*size, has_bias=True, weight_init="ones", bias_init=Tensor([2048.0]))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    ("kind", "shape"),
    [(nn.Dense, (1, 1)), (nn.Conv1d, (1, 1, 1)), (nn.Conv2d, (1,) * 4), (nn.Conv3d, (1,) * 5)],
)
def test_a_white_cell_computes_whole_in_float16(kind: Any, shape: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    one = Tensor(np.ones(shape, np.float32))
    for lower in (
        lambda net: amp.auto_mixed_precision(net, "O1"),
        lambda net: amp.custom_mixed_precision(net, white_list=[kind]),
        lambda net: amp.custom_mixed_precision(net, white_list=[kind, ops.MatMul, ops.Conv2D]),
    ):
        net = lower(nn.SequentialCell(shifted(kind)))
        assert (net(one).dtype, net(one).asnumpy().item()) == (ms.float32, 2048.0)
    # by itself it is no Cell of a network: its ops are lowered, one by one
    assert amp.auto_mixed_precision(shifted(kind), "O1")(one).asnumpy().item() == 2049.0


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_a_recurrent_cell_is_white(kind: Any) -> None:
    assert kind in amp.get_white_list()
    net = nn.CellList([kind(4, 3)])
    amp.auto_mixed_precision(net, "O1")
    h = Tensor(np.ones((2, 3), np.float32))
    out = net[0](X[:2], (h, h) if kind is nn.LSTMCell else h)
    out = out if isinstance(out, tuple) else (out,)
    for each in out:
        assert each.dtype is ms.float32
    if kind is nn.RNNCell:
        assert (out[0].astype(ms.float16).astype(ms.float32) == out[0]).all()


def test_a_white_cell_stays_what_it_is() -> None:
    for lower in (
        lambda net: amp.auto_mixed_precision(net, "O1"),
        lambda net: amp.custom_mixed_precision(net, white_list=[nn.Dense]),
    ):
        net = Spy()
        dense, names = net.dense, [p.name for p in net.get_parameters()]
        assert lower(lower(net)) is net
        assert net.dense is dense and net.dense.weight is dense.weight
        assert [p.name for p in net.get_parameters()] == names


def test_gradients_come_back_in_the_type_of_the_weights() -> None:
    for level in ("O1", "O2", "O3", "auto"):
        net = nn.Dense(4, 3)
        lowered = amp.auto_mixed_precision(net, level)
        weights = ms.ParameterTuple(net.trainable_params())
        grads = ms.grad(lambda x, f=lowered: f(x).sum(), None, weights)(X)
        assert [g.dtype for g in grads] == [ms.float32] * 2


def test_a_function_can_be_lowered_op_by_op() -> None:
    seen = []

    def f(x: Tensor) -> Tensor:
        y = ops.matmul(x, x)
        seen.append(y.dtype)
        return ops.exp(y)

    assert amp.auto_mixed_precision(f, "auto")(Tensor(np.eye(2, dtype=np.float32))).dtype
    assert seen == [ms.float16]


@pytest.mark.parametrize("dtype", [ms.float32, "float16", None])
def test_a_function_can_be_lowered_to_half_floats_alone(dtype) -> None:
    with pytest.raises(ValueError, match="auto_mixed_precision: dtype must be float16 or bfloat16"):
        amp.auto_mixed_precision(ops.exp, "auto", dtype)


def test_normalisation_keeps_its_weights_in_float32() -> None:
    net = nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4))
    out = amp.auto_mixed_precision(net, "O2")(X)
    assert out.dtype is ms.float32
    assert net[1].gamma.dtype is ms.float32


def test_custom_mixed_precision_accepts_user_lists() -> None:
    net = Spy()
    amp.custom_mixed_precision(net, white_list=[nn.Dense])(X)
    assert net.seen == ["Float32", "Float32", "Float32"]  # its output is cast back
    net = Spy()
    amp.custom_mixed_precision(net, white_list=[ops.MatMul])(X)
    assert [p.name for p in net.get_parameters()] == ["dense.weight", "dense.bias"]
    net = Spy()
    amp.custom_mixed_precision(net, black_list=[nn.Dense])(X)
    assert net.seen[0] == "Float16"


def test_an_op_of_a_white_list_computes_in_float16() -> None:
    net = nn.Dense(1, 1, weight_init=Tensor([[1.0 + 2**-11]]), bias_init="zeros")
    one = Tensor([[1.0]])
    cells = amp.custom_mixed_precision(nn.SequentialCell(net), white_list=[nn.ReLU])
    assert cells(one).asnumpy().item() == 1.0 + 2**-11
    assert amp.custom_mixed_precision(net, white_list=[ops.MatMul])(one).asnumpy().item() == 1.0


def test_what_follows_a_cell_of_a_black_list_computes_in_float16() -> None:
    net = Spy()
    assert amp.custom_mixed_precision(net, black_list=[nn.Dense])(X).dtype is ms.float32
    assert net.seen == ["Float16", "Float16", "Float16"]
    assert [p.name for p in net.get_parameters()] == ["dense.weight", "dense.bias"]


def test_a_cell_of_a_black_list_computes_in_float32() -> None:
    dense = nn.Dense(1, 1, weight_init=Tensor([[1.0 + 2**-11]]), bias_init=Tensor([-1.0]))
    net = amp.custom_mixed_precision(nn.SequentialCell(dense), black_list=[nn.Dense])
    assert net(Tensor([[1.0]])).asnumpy().item() == 2**-11


def test_amp_lists_have_public_names() -> None:
    assert amp.get_black_list() == ms.train.amp.AMP_BLACK_LIST
    assert ms.train.amp.AMP_WHITE_LIST is ms.train.amp.AMP_WHITE_LIST == amp.get_white_list()
    with pytest.raises(AttributeError, match="AMP_GRAY_LIST"):
        ms.train.amp.AMP_GRAY_LIST


def test_a_black_list_lowers_a_network_in_place() -> None:
    net = Spy()
    assert ms.train.amp._auto_black_list(net, [nn.LayerNorm], ms.float16)(X).dtype is ms.float16


def test_one_list_of_either_kind_lowers_a_network() -> None:
    for lists in ({"white_list": [nn.Dense]}, {"black_list": [nn.LayerNorm]}):
        dense = nn.Dense(1, 1, weight_init=Tensor([[1.0 + 2**-11]]), bias_init="zeros")
        net = ms.train.amp._auto_mixed_precision_rewrite(
            nn.SequentialCell(dense), ms.float16, **lists
        )
        out = net(Tensor([[1.0]]))
        assert (out.dtype, out.asnumpy().item()) == (ms.float32, 1.0)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: amp.auto_mixed_precision(1, "O2"), TypeError),
        (lambda: amp.auto_mixed_precision(lambda x: x, "O1"), TypeError),
        (lambda: amp.auto_mixed_precision(nn.ReLU(), "O4"), ValueError),
        (lambda: amp.auto_mixed_precision(nn.ReLU(), "O2", ms.float64), ValueError),
        (lambda: amp.custom_mixed_precision(nn.ReLU()), ValueError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[], black_list=[]), ValueError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=(nn.Dense,)), TypeError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), black_list=[ops.MatMul]), TypeError),
        (lambda: amp.build_train_network(nn.ReLU(), 1), TypeError),
    ],
)
def test_bad_arguments(call, error) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"level": "O9"}, ValueError),
        ({"level": 2}, TypeError),
        ({"boost_level": "O3"}, ValueError),
        ({"cast_model_type": ms.int32}, TypeError),
        ({"keep_batchnorm_fp32": 1}, TypeError),
        ({"loss_scale_manager": 2.0}, TypeError),
        ({"nonsense": 1}, ValueError),
    ],
)
def test_bad_arguments_of_build_train_network(options, error) -> None:
    net = nn.Dense(4, 3)
    with pytest.raises(error):
        amp.build_train_network(net, nn.SGD(net.trainable_params(), 0.1), nn.MSELoss(), **options)


def test_only_o2_scales_the_loss() -> None:
    context.set_context(device_target="Ascend")
    for level in ("O0", "O1", "O2", "O3", "auto"):
        net = nn.Dense(4, 3)
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        step = amp.build_train_network(net, optimizer, nn.MSELoss(), level)
        assert isinstance(step, nn.TrainOneStepWithLossScaleCell) == (level == "O2"), level
        assert isinstance(step, nn.TrainOneStepCell) and step.training


@pytest.mark.parametrize(("level", "cast"), [("O2", ms.float32), ("O0", ms.float16)])
def test_a_type_to_cast_to_comes_before_the_level_s(level, cast) -> None:
    net = Spy()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = amp.build_train_network(
        net, optimizer, nn.MSELoss(), level, cast_model_type=cast, loss_scale_manager=None
    )
    context.set_context(mode=PYNATIVE)
    step(X, Tensor(np.ones((2, 3), np.float32)))
    assert net.seen == [str(cast)] * 3


def test_the_lists_are_copies() -> None:
    assert nn.Dense in amp.get_white_list()
    assert ops.MatMul in amp.get_white_list()
    amp.get_black_list().clear()
    assert nn.BatchNorm2d in amp.get_black_list()


# -- training --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [False, True])
def test_every_level_learns_in_every_mode(level, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    outputs = Params("net_outputs")
    manager = {"loss_scale_manager": DynamicLossScaleManager(128)} if level == "O2" else {}
    model = trainer(amp_level=level, **manager)
    model.train(12, regression(4), outputs, dataset_sink_mode=sink)

    def loss(out: object) -> float:
        first = out[0] if isinstance(out, tuple) else out
        return float(first.asnumpy())  # type: ignore[union-attr]

    losses = [loss(out) for out in outputs.values]
    assert losses[-1] < 0.2 * max(losses)


def test_a_fixed_scale_changes_no_weight_by_more_than_a_rounding() -> None:
    context.set_context(device_target="Ascend")
    ends = []
    for manager in (None, FixedLossScaleManager(1024, False), FixedLossScaleManager(1024, True)):
        net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
        scale = 1.0 if manager is None or manager.get_drop_overflow_update() else 1024.0
        optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=scale)
        model = Model(net, nn.MSELoss(), optimizer, loss_scale_manager=manager)
        model.train(2, regression(3))
        ends.append(net.weight.asnumpy())
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-5)
    np.testing.assert_allclose(ends[0], ends[2], rtol=1e-5)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [False, True])
def test_an_overflow_is_skipped_and_lowers_the_scale(mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    x = np.ones((2, 1), np.float32)
    y = np.full((2, 1), 1e36, np.float32)  # the scaled gradient, -2e36 * 2**16, overflows
    data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(1)
    net = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    manager = DynamicLossScaleManager(2**16, 2, 100)
    model = Model(
        net,
        nn.MSELoss(),
        nn.SGD(net.trainable_params(), 0.1),
        loss_scale_manager=manager,
    )
    outputs = Params("net_outputs")
    model.train(1, data, outputs, dataset_sink_mode=sink)
    assert net.weight.asnumpy().tolist() == [[1.0]]
    assert bool(outputs.values[-1][1].asnumpy())  # (loss, overflow, scale)
    assert float(model.train_network.scale_sense.asnumpy()) == 2**14


# -- managers and scalers --------------------------------------------------------------------------


def test_a_dynamic_scale_rises_after_a_window_and_falls_on_an_overflow() -> None:
    manager = DynamicLossScaleManager(init_loss_scale=4, scale_factor=2, scale_window=2)
    scales = []
    for overflow in (False, False, True, False, False, True, True, True, True):
        manager.update_loss_scale(overflow)
        scales.append(manager.get_loss_scale())
    assert scales == [4, 8, 4, 4, 8, 4, 2, 1, 1]


def test_the_window_of_a_dynamic_scale_begins_anew_after_an_overflow() -> None:
    manager = DynamicLossScaleManager(init_loss_scale=4, scale_factor=2, scale_window=3)
    scales = []
    for overflow in (False, False, False, True, False, False, False):
        manager.update_loss_scale(overflow)
        scales.append(manager.get_loss_scale())
    assert scales == [4, 4, 8, 4, 4, 4, 8]


def test_overflows_without_end_are_an_error() -> None:
    manager = DynamicLossScaleManager()
    with pytest.raises(RuntimeError, match="1001 steps in a row"):
        for _ in range(1001):
            manager.update_loss_scale(True)


def test_a_step_without_overflow_begins_the_count_of_them_anew() -> None:
    manager = DynamicLossScaleManager()
    for overflow in [True] * 1000 + [False] + [True] * 1000:
        manager.update_loss_scale(overflow)
    with pytest.raises(RuntimeError, match="1001 steps in a row"):
        manager.update_loss_scale(True)


def test_a_scale_that_can_not_rise_stays() -> None:
    most = 2.0**127
    scaler = amp.DynamicLossScaler(most, 2, 1)
    scaler.adjust(Tensor(np.array(True)))
    assert scaler.scale_value.asnumpy() == most


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: FixedLossScaleManager(0.5), ValueError),
        (lambda: FixedLossScaleManager("1"), TypeError),
        (lambda: DynamicLossScaleManager(0), ValueError),
        (lambda: DynamicLossScaleManager(scale_factor=0), ValueError),
        (lambda: DynamicLossScaleManager(scale_window=0), ValueError),
        (lambda: DynamicLossScaleManager(scale_window=1.5), TypeError),
        (lambda: amp.StaticLossScaler(0.5), ValueError),
        (lambda: amp.StaticLossScaler("1"), TypeError),
        (lambda: amp.DynamicLossScaler(2, 0, 1), ValueError),
        (lambda: amp.DynamicLossScaler(2, 2, 0), ValueError),
    ],
)
def test_bad_arguments_of_managers_and_scalers(call, error) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_a_scaler_rises_and_falls(mode) -> None:
    context.set_context(mode=mode)
    scaler = amp.DynamicLossScaler(scale_value=4, scale_factor=2, scale_window=2)
    scales = []
    for finite in (True, True, False, True, True, False, False, False, False):
        scaler.adjust(Tensor(np.array(finite)))
        scales.append(float(scaler.scale_value.asnumpy()))
    assert scales == [4, 8, 4, 4, 8, 4, 2, 1, 1]


def test_scaling_and_back_is_nothing() -> None:
    scaler = amp.StaticLossScaler(1024)
    tree = (X, [X, {"a": X.astype(ms.float16)}])
    back = scaler.unscale(scaler.scale(tree))
    assert back[0].asnumpy().tolist() == X.asnumpy().tolist()
    assert back[1][1]["a"].dtype is ms.float16
    assert not scaler.adjust(Tensor(np.array(True)))


def test_managers_have_mindspore_s_defaults() -> None:
    fixed, dynamic = FixedLossScaleManager(), DynamicLossScaleManager()
    assert (fixed.get_loss_scale(), fixed.get_drop_overflow_update()) == (128.0, True)
    assert (dynamic.get_loss_scale(), dynamic.get_drop_overflow_update()) == (2**24, True)
    assert (dynamic.scale_factor, dynamic.scale_window) == (2, 2000)


def test_a_manager_that_says_nothing_scales_by_one_and_drops_nothing() -> None:
    manager = LossScaleManager()
    assert (manager.get_loss_scale(), manager.get_drop_overflow_update()) == (1.0, False)
    assert manager.get_update_cell() is None
    assert manager.update_loss_scale(True) is None


def test_the_cell_of_a_manager_has_its_numbers() -> None:
    assert FixedLossScaleManager(8, False).get_update_cell() is None
    assert FixedLossScaleManager(8, True).get_update_cell().get_loss_scale() == 8
    cell = DynamicLossScaleManager(8, 4, 3).get_update_cell()
    assert (cell.get_loss_scale(), cell.scale_factor, cell.scale_window) == (8, 4, 3)


def test_a_factor_below_one_is_a_factor() -> None:
    manager = DynamicLossScaleManager(4, 0.5)
    manager.update_loss_scale(True)
    assert manager.get_loss_scale() == 8


def test_a_scale_of_one_is_a_scale() -> None:
    assert FixedLossScaleManager(1).get_loss_scale() == 1
    assert DynamicLossScaleManager(1).get_loss_scale() == 1
    assert float(amp.StaticLossScaler(1).scale_value.asnumpy()) == 1.0


def test_all_finite_looks_at_every_element() -> None:
    assert bool(amp.all_finite([X, X]).asnumpy())
    assert not bool(amp.all_finite((X, Tensor([np.nan]))).asnumpy())
    assert not bool(amp.is_finite(Tensor([np.inf])).asnumpy())


@pytest.mark.parametrize(
    ("manager", "value", "expected"),
    [
        (FixedLossScaleManager(8.0, drop_overflow_update=False), 1.0, 8),
        (FixedLossScaleManager(8.0, drop_overflow_update=True), 8.0, 1),
        (DynamicLossScaleManager(), 2.0, 1),
    ],
)
def test_a_scale_that_manager_and_optimizer_do_not_agree_on_is_warned_of(
    manager, value, expected
) -> None:
    context.set_context(device_target="Ascend")
    net = nn.Dense(2, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=value)
    with pytest.warns(
        UserWarning, match=rf"loss_scale of SGD must be {expected} .* got {value:g}:"
    ):
        Model(net, nn.MSELoss(), optimizer, loss_scale_manager=manager)


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
@pytest.mark.parametrize("train", [False, True])
def test_auto_normalises_in_float32_after_a_float16_product(mode, train) -> None:
    context.set_context(mode=mode)
    network = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).set_train(train)
    x = Tensor(np.random.default_rng(3).normal(size=(2, 3, 5, 5)), ms.float32)
    whole = network[1](network[0].to_float(ms.float16)(x).astype(ms.float32))
    lowered = amp.auto_mixed_precision(network, "auto")(x)
    assert lowered.dtype is ms.float32
    np.testing.assert_allclose(lowered.asnumpy(), whole.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
def test_auto_takes_recurrent_layers(layer, mode) -> None:
    context.set_context(mode=mode)
    x = Tensor(np.random.default_rng(4).normal(size=(3, 2, 8)), ms.float32)
    network = layer(8, 4, num_layers=2, bidirectional=True)
    whole = network(x)[0].asnumpy()
    lowered = amp.auto_mixed_precision(network, "auto")(x)[0]
    assert lowered.dtype is ms.float32
    np.testing.assert_allclose(lowered.asnumpy(), whole, atol=2e-3)
