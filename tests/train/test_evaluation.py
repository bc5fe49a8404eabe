"""An evaluation: its numbers, its record, what its network may return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import context, nn
from minispore.core.tensor import Tensor
from minispore.train import Callback, LambdaCallback, Model
from tests.train.nets import GRAPH, PYNATIVE, dense, regression, trainer


class Look(Callback):
    """Notes the record at each event of an evaluation."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def _note(self, event: str, run_context: Any) -> None:
        params = run_context.original_args()
        numbers = params.cur_step_num, params.batch_num, params.mode, params.dataset_sink_mode
        self.seen.append((event, *numbers))

    def on_eval_begin(self, run_context: Any) -> None:
        self._note("begin", run_context)

    def on_eval_step_begin(self, run_context: Any) -> None:
        self._note("step", run_context)

    def on_eval_end(self, run_context: Any) -> None:
        self._note("end", run_context)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [False, True])
def test_the_steps_of_an_evaluation_are_counted_from_one(mode: int, sink: bool) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    look = Look()
    trainer(metrics={"mse"}).eval(regression(3), look, dataset_sink_mode=sink)
    steps = [("begin", 0), ("step", 1), ("step", 2), ("step", 3), ("end", 3)]
    assert look.seen == [(*step, 3, "eval", sink) for step in steps]


def test_an_evaluation_that_can_not_be_sunk_says_so_and_is_none() -> None:
    look = Look()
    with pytest.warns(UserWarning, match="data can't be sunk to CPU"):
        trainer(metrics={"mse"}).eval(regression(1), look, dataset_sink_mode=True)
    assert {sink for *_, sink in look.seen} == {False}


def test_an_evaluation_begins_anew() -> None:
    model = trainer(metrics={"mse"})
    messages = [model.eval(regression(n)) for n in (3, 1, 3)]
    assert messages[0] == messages[2] != messages[1] == trainer(metrics={"mse"}).eval(regression(1))


def test_in_fit_the_loss_is_the_mean_of_all_batches() -> None:
    class Losses(Callback):
        def on_train_epoch_end(self, run_context: Any) -> None:
            self.results = dict(run_context.original_args().eval_results)

    x = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
    data = ds.NumpySlicesDataset((x, np.zeros_like(x)), ["x", "y"], shuffle=False)
    net = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 1e-9), metrics={"mae"})
    losses = Losses()
    model.fit(1, data.batch(4), data.batch(2), callbacks=losses)
    assert losses.results == pytest.approx({"mae": 1.5, "eval_loss": (0.5 + 6.5) / 2})


class Gives(nn.Cell):
    def __init__(self, give: Any) -> None:
        super().__init__()
        self.give = give

    def construct(self, x: Tensor, y: Tensor) -> Any:
        return self.give(x, y)


def measured(give: Any, indexes: list[int] | None) -> dict[str, float]:
    data = ds.NumpySlicesDataset(([3.0, 5.0], [1.0, 1.0]), ["x", "y"]).batch(2)
    return Model(dense(), None, None, {"mae"}, Gives(give), indexes).eval(data)


def test_without_indexes_a_metric_takes_all_outputs() -> None:
    assert measured(lambda x, y: (x, y), None) == {"mae": 3.0}


def test_a_single_output_is_too_few_for_indexes() -> None:
    with pytest.raises(ValueError, match="three outputs or more, got 1"):
        measured(lambda x, y: x, [0, 1, 2])


def test_an_eval_network_returns_a_tensor_or_a_tuple() -> None:
    with pytest.raises(ValueError, match="must return a Tensor or a tuple, got"):
        measured(lambda x, y: [x, y], None)


def test_a_requested_stop_ends_an_evaluation_after_its_step() -> None:
    class Stop(Look):
        def on_eval_step_end(self, run_context: Any) -> None:
            run_context.request_stop()

    look = Stop()
    trainer(metrics={"mse"}).eval(regression(3), look)
    assert [event for event, *_ in look.seen] == ["begin", "step", "end"]


def test_callbacks_of_an_evaluation_see_its_phase() -> None:
    phases = []
    look = LambdaCallback(
        on_eval_step_end=lambda c: phases.append(c.original_args().eval_network.phase)
    )
    model = trainer(metrics={"mse"})
    model.train(1, regression(1))
    model.eval(regression(2), look)
    assert phases == ["eval"] * 2


@pytest.mark.parametrize("sink", [False, True])
def test_the_record_names_the_network_that_is_fed(sink: bool) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    seen: list[Any] = []
    watch = LambdaCallback(on_eval_step_end=lambda c: seen.append(c.original_args().eval_network))
    model = trainer(metrics={"mse"})
    model.eval(regression(2), watch, dataset_sink_mode=sink)
    assert len(seen) == 2 and all((n is not model.eval_network) == sink for n in seen)


def test_a_callback_sees_the_results_of_an_evaluation_in_fit_at_its_end() -> None:
    seen: list[Any] = []

    class Ends(Callback):
        def on_eval_end(self, run_context: Any) -> None:
            seen.append(dict(run_context.original_args().get("eval_results", {})))

    model = trainer(metrics={"mse"})
    model.fit(1, regression(1), regression(2), callbacks=Ends())
    model.eval(regression(1), Ends())
    assert [list(results) for results in seen] == [["mse", "eval_loss"], []]


def test_what_a_callback_switched_stays_so_until_the_model_does_the_other_thing() -> None:
    seen = []

    class Turns(Callback):
        def on_train_step_begin(self, run_context: Any) -> None:
            run_context.original_args().train_network.set_train(False)

        def on_eval_step_begin(self, run_context: Any) -> None:
            run_context.original_args().network.set_train()

        def on_train_step_end(self, run_context: Any) -> None:
            seen.append(("train", run_context.original_args().network.training))

        def on_eval_step_end(self, run_context: Any) -> None:
            seen.append(("eval", run_context.original_args().network.training))

    trainer(metrics={"mse"}).fit(2, regression(1), regression(1), callbacks=Turns())
    assert seen == [("train", False), ("eval", True), ("train", True), ("eval", True)]


@pytest.mark.parametrize("between", ["eval", "predict", "other"])
def test_an_evaluation_within_a_callback_is_over_with_it_where_the_model_did_it(between) -> None:
    model, seen = trainer(metrics={"mse"}), []

    class Evaluates(Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            seen.append(run_context.original_args().network.training)
            if between == "predict":
                model.predict(Tensor(np.ones((1, 3), np.float32)))
            else:
                other = Model(model.predict_network, nn.MSELoss(), metrics={"mse"})
                (model if between == "eval" else other).eval(regression(1))

    model.train(1, regression(3), callbacks=Evaluates())
    assert seen == [True, between != "other", between != "other"]
