"""What a Model refuses, when, and that nothing has happened then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore import context, device, nn
from minispore.core.tensor import Tensor
from minispore.ir import runtime as seam
from minispore.nn.metrics import Accuracy
from minispore.train import (
    Callback,
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossMonitor,
    Model,
    RunContext,
)
from tests.train.nets import (
    GRAPH,
    Log,
    Trace,
    dense,
    modes,
    numbers,
    regression,
    trainer,
    weights_of,
)

# -- Model(...) ------------------------------------------------------------------------------------


def test_a_network_without_loss_trains_and_predicts_unwrapped() -> None:
    net = dense()
    model = Model(net)
    assert model.train_network is net
    assert model.predict_network is net
    assert model.eval_network is None


def test_model_wraps_the_network_with_loss_and_optimizer() -> None:
    net = dense()
    assert type(Model(net, nn.MSELoss()).train_network) is nn.WithLossCell
    model = trainer(net)
    assert type(model.train_network) is nn.TrainOneStepCell
    assert model.train_network.training
    no_loss = Model(net, None, nn.SGD(net.trainable_params(), 0.1))
    assert type(no_loss.train_network) is nn.TrainOneStepCell


def test_metrics_make_an_evaluation_network() -> None:
    model = trainer(metrics={"mse"})
    assert type(model.eval_network) is nn.WithEvalCell


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"foo": 1}, ValueError),
        ({"amp_level": "O9"}, ValueError),
        ({"amp_level": 2}, TypeError),
        ({"boost_level": "O7"}, ValueError),
        ({"metrics": ["mse"]}, TypeError),
        ({"metrics": "mse"}, TypeError),
        ({"metrics": {"nonsense"}}, KeyError),
        ({"metrics": {"a": 1}}, TypeError),
        ({"metrics": {"mse"}, "eval_network": dense(), "eval_indexes": [0]}, ValueError),
        ({"metrics": {"mse"}, "eval_network": dense(), "eval_indexes": (0, 1, 2)}, ValueError),
        ({"keep_batchnorm_fp32": 1}, TypeError),
        ({"loss_scale_manager": 1}, TypeError),
    ],
)
def test_bad_arguments_of_a_model(options, error) -> None:
    with pytest.raises(error):
        trainer(**options)


@pytest.mark.parametrize("network", [None, "net", nn.Dense])
def test_a_network_must_be_a_cell(network) -> None:
    with pytest.raises(TypeError, match="network must be a Cell"):
        Model(network)


def test_model_requires_a_network() -> None:
    with pytest.raises(TypeError):
        Model()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "options",
    [{"amp_level": "O2"}, {"loss_scale_manager": FixedLossScaleManager()}, {"metrics": {"mse"}}],
)
def test_what_needs_an_optimizer_or_a_loss_is_refused_without(options) -> None:
    with pytest.raises(ValueError):
        Model(dense(), **options)


@pytest.mark.parametrize("manager", [FixedLossScaleManager(), DynamicLossScaleManager()])
def test_on_cpu_updates_can_not_be_dropped(manager) -> None:
    with pytest.raises(ValueError, match="on CPU"):
        trainer(loss_scale_manager=manager)


# -- train -----------------------------------------------------------------------------------------

wrong = st.sampled_from(
    [
        ({"epoch": 0}, ValueError),
        ({"epoch": -1}, ValueError),
        ({"epoch": 1.0}, TypeError),
        ({"epoch": "1"}, TypeError),
        ({"epoch": None}, TypeError),
        ({"epoch": True}, TypeError),
        ({"sink_size": 0}, ValueError),
        ({"sink_size": -2}, ValueError),
        ({"sink_size": 1.5}, TypeError),
        ({"sink_size": True}, TypeError),
        ({"sink_size": "3"}, TypeError),
        ({"sink_size": None}, TypeError),
        ({"dataset_sink_mode": 0}, TypeError),
        ({"dataset_sink_mode": 1}, TypeError),
        ({"dataset_sink_mode": None}, TypeError),
        ({"dataset_sink_mode": "True"}, TypeError),
        ({"initial_epoch": -1}, ValueError),
        ({"initial_epoch": 2}, ValueError),
        ({"initial_epoch": 3}, ValueError),
        ({"initial_epoch": 0.5}, TypeError),
        ({"sink_size": 2**30, "dataset_sink_mode": True}, ValueError),
    ]
)


@given(case=wrong, mode=modes, fit=st.booleans())
def test_bad_arguments_are_refused_before_anything_happens(case, mode, fit) -> None:
    options, error = case
    context.set_context(mode=mode, device_target="Ascend")
    trace, model, data = Trace(), trainer(metrics={"mse"}), regression(2)
    before = weights_of(model)
    counters = device.current().counters.snapshot()
    arguments = {"epoch": 2, "train_dataset": data, "callbacks": [trace], **options}
    with pytest.raises(error):
        (model.fit if fit else model.train)(**arguments)
    assert trace.events == []
    assert weights_of(model) == before
    assert device.current().counters == counters


@pytest.mark.parametrize(
    "callbacks", [None, [], {}, LossMonitor(), [LossMonitor()], (Trace(),), {Trace()}]
)
def test_callbacks_may_be_single_or_in_a_container(callbacks) -> None:
    Model(Log(1)).train(1, numbers(1), callbacks)


@pytest.mark.parametrize("callbacks", ["x", [1], [None], {1}, 0, lambda c: None, [LossMonitor]])
def test_callbacks_that_are_no_callbacks_are_a_type_error(callbacks) -> None:
    net = Log(1)
    with pytest.raises(TypeError, match="callbacks must"):
        Model(net).train(1, numbers(1), callbacks)
    assert int(net.calls.asnumpy()) == 0


@pytest.mark.parametrize("sink", [False, True])
def test_an_empty_dataset_is_refused_before_any_callback(sink) -> None:
    context.set_context(device_target="Ascend")
    trace = Trace()
    data = numbers(1, 2).batch(2, drop_remainder=True)
    assert data.get_dataset_size() == 0
    with pytest.raises(ValueError, match="must have a batch"):
        Model(Log(1)).train(1, data, trace, dataset_sink_mode=sink)
    assert trace.events == []


def test_the_order_of_checks_is_mindspore_s() -> None:
    model, data = trainer(), regression(2)
    bad = {"dataset_sink_mode": 1, "sink_size": 1.5, "epoch": 0, "initial_epoch": -1}
    for key, error in [
        ("dataset_sink_mode", TypeError),
        ("sink_size", TypeError),
        ("epoch", ValueError),
        ("initial_epoch", ValueError),
    ]:
        with pytest.raises(error, match=key):
            model.train(**{"epoch": 1, "train_dataset": data, **bad})
        del bad[key]
    with pytest.raises(ValueError, match="must have a batch"):
        model.train(1, data.batch(9, drop_remainder=True), "x", sink_size=0)  # the size is first
    with pytest.raises(ValueError, match="sink_size"):
        model.train(1, data, "x", sink_size=0)


def test_something_that_is_no_dataset_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        trainer().train(1, [1, 2])


def test_two_columns_are_needed_with_a_loss() -> None:
    trace, model = Trace(), trainer()
    x = np.ones((4, 3), np.float32)
    data = ds.NumpySlicesDataset((x, x, x), ["a", "b", "c"]).batch(2)
    with pytest.raises(ValueError, match="two columns, data and label, got 3"):
        model.train(1, data, trace)
    assert [name for name, *_ in trace.events] == ["begin", "epoch_begin"]


@given(mode=modes, sink=st.booleans(), second=st.booleans())
def test_a_dataset_belongs_to_one_model(mode, sink, second) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    data, model = regression(2), trainer()
    model.train(1, data, dataset_sink_mode=sink)
    model.train(1, data, dataset_sink_mode=second)  # the same Model may go on
    other = trainer()
    before = weights_of(other)
    with pytest.raises(RuntimeError, match="another Model"):
        other.train(1, data, dataset_sink_mode=second)
    assert weights_of(other) == before


def test_a_dataset_of_a_deleted_model_is_refused_by_another_model() -> None:
    data = regression(1)
    trainer().train(1, data)
    for _ in range(20):  # ids are used again, tokens are not
        with pytest.raises(RuntimeError):
            trainer().train(1, data)


def test_device_num_must_be_one_on_a_single_device() -> None:
    context.set_context(device_target="Ascend")
    context.set_auto_parallel_context(device_num=2)
    model = trainer(metrics={"mse"})
    for run in (
        lambda data: model.train(1, data),
        lambda data: model.fit(1, data),
        lambda data: model.eval(data),
        lambda data: model.build(data),
    ):
        with pytest.raises(ValueError, match="device_num must be 1"):
            run(regression(1))


def test_sink_and_the_debug_mode_of_datasets_do_not_go_together() -> None:
    context.set_context(device_target="Ascend")
    ds.config.set_debug_mode(True)
    with pytest.raises(ValueError, match="debug mode"):
        trainer().train(1, regression(1), dataset_sink_mode=True)
    trainer().train(1, regression(1))


# -- fit -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"valid_frequency": 0}, ValueError),
        ({"valid_frequency": 1.5}, TypeError),
        ({"valid_frequency": "1"}, TypeError),
        ({"valid_dataset_sink_mode": 1}, TypeError),
        ({"valid_dataset": regression(1).batch(9, drop_remainder=True)}, ValueError),
    ],
)
def test_bad_arguments_of_fit(options, error) -> None:
    trace = Trace()
    arguments = {"valid_dataset": regression(1), "callbacks": trace, **options}
    with pytest.raises(error):
        trainer(metrics={"mse"}).fit(1, regression(1), **arguments)
    assert trace.events == []


def test_fit_needs_metrics_to_evaluate() -> None:
    with pytest.raises(ValueError, match="metrics"):
        trainer().fit(1, regression(1), regression(1))


class OldNames(Callback):
    def step_end(self, run_context) -> None:
        pass


def test_old_callback_names_warn_in_train_and_eval_and_are_refused_by_fit() -> None:
    model = trainer(metrics={"mse"})
    with pytest.warns(DeprecationWarning, match="OldNames defines step_end"):
        model.train(1, regression(1), OldNames())
    with pytest.warns(DeprecationWarning, match="OldNames defines step_end"):
        model.eval(regression(1), OldNames())
    with pytest.raises(ValueError, match="must define on_train"):
        model.fit(1, regression(1), callbacks=[OldNames()])
    model.fit(1, regression(1), callbacks=[LossMonitor(9)])  # built-in ones may


# -- eval, predict, build --------------------------------------------------------------------------


def test_eval_needs_metrics() -> None:
    with pytest.raises(ValueError, match="metrics"):
        trainer().eval(regression(1))


def test_eval_of_nothing_is_the_metric_s_error() -> None:
    with pytest.raises(RuntimeError):
        trainer(metrics={"mse"}).eval(regression(1).batch(9, drop_remainder=True))


def test_predict_takes_tensors_only_and_leaves_training_mode() -> None:
    model = trainer()
    assert model.predict(Tensor(np.ones((2, 3), np.float32))).shape == (2, 1)
    assert not model.predict_network.training
    with pytest.raises(TypeError, match="Wrap a NumPy array"):
        model.predict(np.ones((2, 3), np.float32))
    with pytest.raises(ValueError, match="must not be empty"):
        model.predict(Tensor(np.ones((0, 3), np.float32)))
    with pytest.raises(ValueError, match="backend"):
        model.predict(Tensor(np.ones((2, 3), np.float32)), backend="onnx")


def test_build_is_for_ascend_and_wants_the_same_epochs_later() -> None:
    model = trainer(metrics={"mse"})
    with pytest.raises(RuntimeError, match="Ascend"):
        model.build(regression(1))
    context.set_context(mode=GRAPH, device_target="Ascend")
    with pytest.raises(ValueError, match="neither"):
        model.build()
    with pytest.raises(TypeError):
        model.build([1])
    with pytest.raises(RuntimeError, match="metrics"):
        trainer().build(None, regression(1))
    data = regression(2)
    model.build(data, regression(1), epoch=3)
    with pytest.raises(ValueError, match="epoch must be 3"):
        model.train(2, data, dataset_sink_mode=True)
    model.train(3, data, dataset_sink_mode=True)


@pytest.mark.parametrize(
    ("sink", "options"), [(True, {}), (True, {"sink_size": 2}), (False, {})], ids=str
)
def test_a_training_after_build_compiles_nothing(sink: bool, options: dict[str, int]) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    model, data, held_out = trainer(metrics={"mse"}), regression(4), regression(3)
    model.build(data, held_out, sink_mode=sink, **options)
    compiled = seam.compiler.compiles
    model.train(1, data, dataset_sink_mode=sink, **options)
    model.eval(held_out, dataset_sink_mode=False)
    assert seam.compiler.compiles == compiled


def test_an_evaluation_takes_no_number_for_its_sink_mode() -> None:
    with pytest.raises(TypeError, match="dataset_sink_mode"):
        trainer(metrics={"mse"}).eval(regression(1), dataset_sink_mode=1)


def test_a_model_prints_its_parts() -> None:
    assert str(trainer(metrics={"mse"})).splitlines() == [
        "Model of Dense: 2 parameters, 4 numbers",
        "loss       MSELoss",
        "optimizer  Momentum",
        "metrics    mse",
    ]
    assert str(Model(dense())).splitlines()[1:] == [
        "loss       none",
        "optimizer  none",
        "metrics    none",
    ]


@pytest.mark.parametrize(("first", "epochs"), [(0, 3), (1, 2)])
def test_a_model_counts_the_epochs_of_its_last_training(first: int, epochs: int) -> None:
    model = trainer()
    model.train(3, regression(2), initial_epoch=first)
    assert model.epoch_iter == epochs


@pytest.mark.parametrize("batched", [True, False])
def test_an_error_over_rows_without_a_batch_asks_for_one(batched: bool) -> None:
    rows = ds.NumpySlicesDataset(np.zeros((4, 5), np.float32), ["x"])
    model = Model(nn.Dense(3, 1))
    with pytest.raises(Exception, match=r"\b5\b|MatMul|Dense") as caught:
        model.train(1, rows.batch(2) if batched else rows)
    requests = "Did you forget dataset.batch(...)?" in "".join(
        getattr(caught.value, "__notes__", ())
    )
    assert requests != batched


class _RaiseInStep(Callback):
    """Raises a ValueError of its own before the given step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_step_begin(self, run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == self.step:
            raise ValueError("not about shapes")


@pytest.mark.filterwarnings("ignore:SGD. learning_rate must have a value for each step")
@pytest.mark.parametrize("rates", [[0.1], 0.1])
def test_an_error_after_the_first_step_is_none_of_a_missing_batch(rates: object) -> None:
    rows = ds.NumpySlicesDataset((np.ones((3, 4, 5), np.float32),), ["x"])
    net = nn.Dense(5, 1)
    optimizer = nn.SGD(net.trainable_params(), rates)
    with pytest.raises((RuntimeError, ValueError)) as caught:
        Model(net, optimizer=optimizer).train(1, rows, _RaiseInStep(3))
    assert not any("dataset.batch" in note for note in getattr(caught.value, "__notes__", ()))


class Outputs(nn.Cell):
    """Gives so many outputs: a loss, predictions and labels first."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def construct(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        return ((x - y).mean(), x, y, x)[: self.count]


def test_indexes_say_which_outputs_of_an_eval_network_are_measured() -> None:
    net = dense()
    data = ds.NumpySlicesDataset(([3.0, 5.0], [1.0, 1.0]), ["x", "y"]).batch(2)

    def measured(count: int) -> dict[str, float]:
        model = Model(net, None, None, {"mae", "loss"}, Outputs(count), [0, 1, 2])
        return model.eval(data, dataset_sink_mode=False)

    assert measured(3) == measured(4) == {"mae": 3.0, "loss": 3.0}
    with pytest.raises(ValueError, match="three outputs or more, got 2"):
        measured(2)


def test_layouts_are_for_modes_that_split_parameters() -> None:
    model = trainer()
    with pytest.raises(RuntimeError, match="parallel_mode"):
        model.infer_train_layout(regression(1), sink_size=0)  # the mode is asked first
    with pytest.raises(RuntimeError, match="parallel_mode"):
        model.infer_predict_layout(Tensor(np.ones((1, 3), np.float32)))
    context.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    layout = model.infer_train_layout(regression(1))
    assert layout["weight"] == ([1], [-1, -1], [1, 3], 0, True, "")
    with pytest.raises(ValueError, match="dataset_sink_mode"):
        model.infer_train_layout(regression(1), dataset_sink_mode=False)
    assert model.infer_predict_layout(Tensor(np.ones((1, 3), np.float32)))["bias"][2] == [1]


def test_a_custom_metric_is_reported_under_its_name() -> None:
    x = np.eye(3, dtype=np.float32)
    data = ds.NumpySlicesDataset((x, np.arange(3, dtype=np.int32)), ["x", "y"]).batch(3)
    net = nn.Dense(3, 3, weight_init=Tensor(x), bias_init="zeros")
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, metrics={"how good": Accuracy()})
    assert model.eval(data) == {"how good": 1.0}


@pytest.mark.parametrize("epoch", [0, -1])
def test_an_epoch_is_the_least(epoch: int) -> None:
    with pytest.raises(ValueError, match=rf"epoch must be .*1.*, got {epoch}"):
        trainer().train(epoch, regression(1))
