"""Wrappers around networks: what they return, what they update, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, ParameterTuple, Tensor, context, nn, ops
from minispore.nn.wrap.loss_scale import _grad_overflow, _grad_scale

MODES = [context.PYNATIVE_MODE, context.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["by op", "as a graph"])
def mode(request):
    context.set_context(mode=request.param)
    return request.param


class Line(nn.Cell):
    """w * x, with w = 2 at first."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")

    def construct(self, x):
        return self.w * x


class Squared(nn.Cell):
    """(w * x - y)**2: the derivative by w is 2 x (w x - y)."""

    def __init__(self):
        super().__init__()
        self.line = Line()

    def construct(self, x, y):
        return ops.square(self.line(x) - y).sum()


def sgd(net: nn.Cell, rate: float = 0.5) -> nn.Cell:
    return nn.SGD(net.trainable_params(), rate)


# -- around a network -----------------------------------------------------------------------------


def test_a_third_column_of_a_loss_is_refused_in_words() -> None:
    x = Tensor(np.ones((2, 3), np.float32))
    cell = nn.WithLossCell(nn.ReLU(), nn.MSELoss())
    with pytest.raises(TypeError, match="WithLossCell: inputs must be data and label, got 3"):
        cell(x, x, x)


def test_with_loss_cell_is_the_loss_of_the_output(mode):
    net = Line()
    cell = nn.WithLossCell(net, nn.MSELoss())
    assert cell(Tensor([3.0]), Tensor([4.0])).item() == 4.0
    assert cell.backbone_network is net


def test_a_wrapper_leaves_the_names_of_parameters_unchanged():
    net = Squared()
    step = nn.TrainOneStepCell(net, sgd(net))
    assert [p.name for p in step.trainable_params()][:1] == ["line.w"]
    assert net.line.w.name == "line.w"


def test_with_eval_cell_returns_loss_output_and_label(mode):
    out = nn.WithEvalCell(Line(), nn.MSELoss())(Tensor([3.0]), Tensor([4.0]))
    assert [t.asnumpy().tolist() for t in out] == [4.0, [6.0], [4.0]]


def test_with_eval_cell_computes_the_loss_in_float32_on_request():
    half = nn.Identity()
    data, label = Tensor([300.0], ms.float16), Tensor([0.0], ms.float16)
    loss, out, _ = nn.WithEvalCell(half, nn.MSELoss(), add_cast_fp32=True)(data, label)
    assert loss.item() == 90000.0
    assert out.dtype == ms.float32


def test_with_grad_cell_returns_gradients_of_weights(mode):
    (grad,) = nn.WithGradCell(Line(), nn.MSELoss())(Tensor([3.0]), Tensor([4.0]))
    assert grad.asnumpy().tolist() == [12.0]


def test_with_grad_cell_scales_by_its_sens():
    (grad,) = nn.WithGradCell(Squared(), sens=Tensor(0.5))(Tensor([3.0]), Tensor([4.0]))
    assert grad.asnumpy().tolist() == [6.0]


def test_forward_value_and_grad_gives_both(mode):
    net = Squared()
    cell = nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)
    value, (grad,) = cell(Tensor([3.0]), Tensor([4.0]))
    assert (value.item(), grad.asnumpy().tolist()) == (4.0, [12.0])


def test_forward_value_and_grad_by_inputs_with_a_cotangent():
    cell = nn.ForwardValueAndGrad(Squared(), get_all=True, sens_param=True)
    value, grads = cell(Tensor([3.0]), Tensor([4.0]), Tensor(10.0))
    assert value.item() == 4.0
    assert [g.asnumpy().tolist() for g in grads] == [[80.0], [-40.0]]


def test_parameter_update_sets_and_returns(mode):
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    out = nn.ParameterUpdate(p)(Tensor([3.0, 4.0]))
    assert out.asnumpy().tolist() == p.asnumpy().tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    "wrap", [nn.MicroBatchInterleaved, nn.PipelineCell, nn.GradAccumulationCell]
)
def test_micro_batches_add_up(wrap, mode):
    class Sum(nn.Cell):
        def construct(self, x):
            return ops.square(x.sum())

    x = Tensor([[1.0], [2.0], [3.0], [4.0]])
    assert wrap(Sum(), 2)(x).item() == 9.0 + 49.0


def test_micro_batches_refuse_a_batch_that_they_do_not_divide():
    with pytest.raises(ValueError, match="must be divisible into 2 parts"):
        nn.MicroBatchInterleaved(Line(), 2)(Tensor([1.0, 2.0, 3.0]))


def test_a_pipeline_notes_the_stages_of_its_cells():
    net = Squared()
    nn.PipelineCell(net, 1, {"line": 1})
    assert net.line.pipeline_stage == 1
    with pytest.raises(KeyError, match="must name Cells of the network, got 'lien'"):
        nn.PipelineCell(net, 1, {"lien": 1})


def test_a_cell_with_three_inputs_is_called_as_it_is():
    class Three(nn.Cell):
        def construct(self, a, b, c):
            return a + b + c

    one = Tensor([1.0])
    assert nn.VirtualDatasetCellTriple(Three())(one, one, one).asnumpy().tolist() == [3.0]


# -- one training step ----------------------------------------------------------------------------


def test_a_training_step_returns_the_loss_before_the_update(mode):
    net = Squared()
    step = nn.TrainOneStepCell(net, sgd(net))
    assert step(Tensor([1.0]), Tensor([3.0])).item() == 1.0
    assert net.line.w.asnumpy().tolist() == [3.0]


def test_sens_multiplies_the_gradients_and_not_the_loss(mode):
    net = Squared()
    step = nn.TrainOneStepCell(net, sgd(net), sens=10.0)
    assert step(Tensor([1.0]), Tensor([3.0])).item() == 1.0
    assert net.line.w.asnumpy().tolist() == [12.0]


def test_a_training_step_returns_gradients_by_name_on_request(mode):
    net = Squared()
    loss, grads = nn.TrainOneStepCell(net, sgd(net), return_grad=True)(Tensor([1.0]), Tensor([3.0]))
    assert loss.item() == 1.0
    assert {k: g.asnumpy().tolist() for k, g in grads.items()} == {"line.w": [-2.0]}


def test_a_training_step_updates_only_the_parameters_of_the_optimizer(mode):
    net = nn.SequentialCell(nn.Dense(1, 1), nn.Dense(1, 1))
    before = [p.asnumpy().copy() for p in net.trainable_params()]
    optimizer = nn.SGD(net[1].trainable_params(), 0.5)
    nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)(
        Tensor([[1.0]]), Tensor([[100.0]])
    )
    after = [p.asnumpy() for p in net.trainable_params()]
    assert [bool((a == b).all()) for a, b in zip(before, after)] == [True, True, False, False]


def test_frozen_parameters_stay():
    net = Squared()
    net.line.w.requires_grad = False
    with pytest.raises(ValueError, match="SGD: "):
        sgd(net)


def test_batch_statistics_move_once_per_step(mode):
    net = nn.SequentialCell(nn.BatchNorm1d(1, momentum=0.5), nn.Dense(1, 1))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), sgd(net, 0.0)).set_train()
    step(Tensor([[1.0], [3.0]]), Tensor([[0.0], [0.0]]))
    assert net[0].moving_mean.asnumpy().tolist() == [1.0]


def test_a_network_that_returns_no_loss_is_refused_before_anything_changes(mode):
    class Silent(Squared):
        def construct(self, x, y):
            super().construct(x, y)

    net = Silent()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    for sens in (None, 2.0):
        with pytest.raises(TypeError, match="must return"):
            nn.TrainOneStepCell(net, optimizer, sens=sens)(Tensor([1.0]), Tensor([3.0]))
    assert net.line.w.asnumpy().tolist() == [2.0]
    assert optimizer.global_step.asnumpy().tolist() == [0]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda n: nn.TrainOneStepCell(print, sgd(n)), TypeError, "network must be a Cell"),
        (lambda n: nn.TrainOneStepCell(n, None), TypeError, "optimizer must be an Optimizer"),
        (lambda n: nn.TrainOneStepCell(n, sgd(n), sens=0.0), ValueError, "sens must not be 0"),
        (lambda n: nn.WithEvalCell(n, None, 1), TypeError, "add_cast_fp32 must be"),
        (lambda n: nn.ForwardValueAndGrad(3), TypeError, "network must be a Cell or a function"),
        (
            lambda n: nn.ForwardValueAndGrad(n, get_by_list=True),
            TypeError,
            "weights must be a list of Parameters",
        ),
        (lambda n: nn.ParameterUpdate(Tensor(1.0)), TypeError, "param must be a Parameter"),
        (lambda n: nn.MicroBatchInterleaved(n, 0), ValueError, "interleave_num must be"),
        (lambda n: nn.GradAccumulationCell(3, 2), TypeError, "network must be a Cell"),
        (
            lambda n: nn.TrainOneStepWithLossScaleCell(n, sgd(n), 1024.0),
            TypeError,
            "scale_sense must be a Tensor or a Cell",
        ),
        (
            lambda n: nn.TrainOneStepWithLossScaleCell(n, sgd(n), Tensor([1.0, 2.0])),
            ValueError,
            r"scale_sense must have the shape \(\) or \(1,\), got \(2,\)",
        ),
    ],
)
def test_wrappers_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make(Squared())


def test_a_step_of_a_script_written_by_hand_trains(mode):
    class Step(nn.TrainOneStepCell):
        def __init__(self, network, optimizer):
            super().__init__(network, optimizer)
            self.grad = ops.GradOperation(get_by_list=True)
            self.clip = ops.clip_by_global_norm

        def construct(self, x, y):
            loss = self.network(x, y)
            grads = self.grad(self.network, self.weights)(x, y)
            grads = self.clip(grads, 1.0)
            return ops.depend(loss, self.optimizer(grads))

    net = Squared()
    step = Step(net, sgd(net))
    assert step(Tensor([1.0]), Tensor([12.0])).item() == 100.0
    np.testing.assert_allclose(net.line.w.asnumpy(), [2.5], rtol=1e-5)


# -- scaled losses --------------------------------------------------------------------------------


def scaled(scale) -> tuple[nn.Cell, Squared, nn.Cell]:
    net = Squared()
    optimizer = nn.Momentum(net.trainable_params(), 0.5, 0.9)
    return nn.TrainOneStepWithLossScaleCell(net, optimizer, scale), net, optimizer


@pytest.mark.filterwarnings("error:GRAPH_MODE", "ignore:overflow")
def test_an_overflow_skips_the_update_and_halves_the_scale(mode):
    step, net, optimizer = scaled(nn.DynamicLossScaleUpdateCell(1024.0, 2, 100))
    loss, overflow, scale = step(Tensor([1.0]), Tensor([3.0]))
    assert (loss.item(), bool(overflow), scale.item()) == (1.0, False, 1024.0)
    w, moment = net.line.w.asnumpy().copy(), optimizer.moments[0].asnumpy().copy()
    assert w.tolist() == [3.0]
    _, overflow, _ = step(Tensor([1e30]), Tensor([3.0]))
    assert bool(overflow)
    assert step.scale_sense.item() == 512.0
    np.testing.assert_array_equal(net.line.w.asnumpy(), w)
    np.testing.assert_array_equal(optimizer.moments[0].asnumpy(), moment)
    assert optimizer.global_step.asnumpy().tolist() == [1]
    _, overflow, _ = step(Tensor([1.0]), Tensor([2.0]))
    assert not bool(overflow)
    assert optimizer.global_step.asnumpy().tolist() == [2]


@pytest.mark.filterwarnings("error:GRAPH_MODE", "ignore:overflow")
def test_a_graph_detects_an_overflow_of_a_net_with_dropout(mode):
    class Dropped(Squared):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(p=0.5)

        def construct(self, x, y):
            return super().construct(self.drop(x), y)

    net = Dropped().set_train()
    optimizer = sgd(net)
    step = nn.TrainOneStepWithLossScaleCell(net, optimizer, Tensor(8.0)).set_train()
    x, y = ops.full((64,), 1e30, dtype=ms.float32), ops.zeros(64, ms.float32)
    assert bool(step(x, y)[1])
    assert net.line.w.asnumpy().tolist() == [2.0]
    assert not bool(step(x * 1e-30, y)[1])
    assert net.line.w.asnumpy().tolist() != [2.0]


def test_the_scale_grows_after_a_window_without_overflow(mode):
    step, _, _ = scaled(nn.DynamicLossScaleUpdateCell(8.0, 2, 2))
    scales = []
    for _ in range(5):
        step(Tensor([1.0]), Tensor([2.0]))
        scales.append(step.scale_sense.item())
    assert scales == [8.0, 16.0, 16.0, 32.0, 32.0]


def test_the_scale_never_falls_below_one():
    update = nn.DynamicLossScaleUpdateCell(2.0, 4, 10)
    scale = Parameter(Tensor(2.0), name="scale")
    update(scale, Tensor(True))
    assert scale.item() == 1.0


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_fixed_scale_stays_and_overflows_are_skipped(mode):
    step, net, _ = scaled(nn.FixedLossScaleUpdateCell(64.0))
    step(Tensor([1e30]), Tensor([3.0]))
    assert step.scale_sense.item() == 64.0
    assert net.line.w.asnumpy().tolist() == [2.0]


def test_a_tensor_is_a_scale_that_can_be_set(mode):
    step, net, _ = scaled(Tensor([4.0]))
    step.set_sense_scale(Tensor([2.0]))
    _, _, scale = step(Tensor([1.0]), Tensor([3.0]))
    assert scale.asnumpy().tolist() == [2.0]
    assert net.line.w.asnumpy().tolist() == [3.0]
    with pytest.raises(TypeError, match="sens must be a Tensor"):
        step.set_sense_scale(2.0)


def test_the_scale_saves_small_gradients_in_float16():
    class Tiny(Squared):
        def construct(self, x, y):
            return super().construct(x, y) * Tensor(1e-6, ms.float16) * Tensor(1e-3, ms.float16)

    def moved(scale):
        net = Tiny().to_float(ms.float16)
        before = net.line.w.asnumpy().copy()
        optimizer = nn.SGD(net.trainable_params(), 1e3)
        nn.TrainOneStepWithLossScaleCell(net, optimizer, Tensor(scale))(
            Tensor([1.0]), Tensor([12.0])
        )
        return bool((net.line.w.asnumpy() != before).any())

    assert not moved(1.0)
    assert moved(1024.0)


def test_a_step_of_a_script_uses_the_parts_of_the_scaled_step(mode):
    class Step(nn.TrainOneStepWithLossScaleCell):
        def construct(self, x, y):
            loss = self.network(x, y)
            status, sens = self.start_overflow_check(loss, self.scale_sense)
            grads = self.grad(self.network, self.weights)(x, y, ops.cast(sens, ms.float32))
            grads = self.hyper_map(ops.partial(_grad_scale, sens), grads)
            grads = self.grad_reducer(grads)
            overflow = self.get_overflow_status(status, grads)
            if not self.process_loss_scale(overflow):
                self.optimizer(grads)
            return loss, overflow

    net = Squared()
    step = Step(net, sgd(net), nn.FixedLossScaleUpdateCell(8.0))
    loss, overflow = step(Tensor([1.0]), Tensor([3.0]))
    assert (loss.item(), bool(overflow)) == (1.0, False)
    assert net.line.w.asnumpy().tolist() == [3.0]


def test_the_overflow_of_a_gradient_is_a_number():
    assert _grad_overflow(Tensor([1.0, np.inf])).asnumpy().tolist() == [1.0]
    assert _grad_overflow(Tensor([1.0, 2.0])).asnumpy().tolist() == [0.0]


# -- several ranks --------------------------------------------------------------------------------


def test_one_rank_reduces_to_its_local_gradients(mode):
    params = ParameterTuple([Parameter(Tensor([1.0]), name="a")])
    (grad,) = nn.DistributedGradReducer(params, mean=True)((Tensor([3.0]),))
    assert grad.asnumpy().tolist() == [3.0]


def test_a_mean_divides_by_the_degree():
    params = ParameterTuple([Parameter(Tensor([1.0]), name="a")])
    (grad,) = nn.DistributedGradReducer(params, mean=True, degree=4)((Tensor([3.0]),))
    assert grad.asnumpy().tolist() == [0.75]


def test_the_reducer_checks_the_number_of_gradients():
    params = ParameterTuple([Parameter(Tensor([1.0]), name="a")])
    with pytest.raises(ValueError, match="grads must be 1 tensors, got 2"):
        nn.DistributedGradReducer(params, mean=False)((Tensor([3.0]), Tensor([3.0])))


def test_a_pipeline_divides_by_the_scale():
    params = ParameterTuple([Parameter(Tensor([1.0]), name="a")])
    (grad,) = nn.PipelineGradReducer(params, 4.0)((Tensor([3.0]),))
    assert grad.asnumpy().tolist() == [0.75]


# -- settings that come too late -------------------------------------------------------------------


def late(**settings):
    """A step that was made before the auto-parallel context was set."""
    net = nn.Dense(2, 1)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    ms.set_auto_parallel_context(**settings)
    step(Tensor(np.ones((2, 2), np.float32)), Tensor(np.ones((2, 1), np.float32)))


def test_a_parallel_mode_set_after_creating_the_step_warns(mode):
    with pytest.warns(UserWarning, match="TrainOneStepCell: parallel_mode was 'stand_alone'"):
        late(parallel_mode="data_parallel")


def test_a_gradients_mean_set_after_creating_the_step_warns(mode):
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    with pytest.warns(UserWarning, match="DistributedGradReducer: gradients_mean was False"):
        late(gradients_mean=True)


def test_a_setting_that_the_step_does_not_read_may_come_later(mode):
    late(device_num=8)
