"""How trainings and evaluations end: when the data's threads are gone, whatever has happened."""

from __future__ import annotations

from typing import Any

import pytest

from minispore import Tensor, context
from minispore.device.channel import open_channels
from minispore.nn.metrics import Metric
from minispore.train import Callback, LambdaCallback, Model
from minispore.train import feed as feeds
from tests.train.nets import GRAPH, PYNATIVE, Log, numbers, regression, trainer

both = pytest.mark.parametrize("sink", [False, True])


@pytest.fixture
def closings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The feeds that were closed, each time."""
    seen: list[str] = []
    for kind in (feeds.HostFeed, feeds.SinkFeed):
        original = kind.close

        def close(self: Any, original: Any = original) -> None:
            seen.append(type(self).__name__)
            original(self)

        monkeypatch.setattr(kind, "close", close)
    return seen


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@both
def test_the_dataset_is_closed_before_the_end_callbacks_run(
    mode: int, sink: bool, closings: Any
) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    at: dict[str, int] = {}

    class Look(Callback):
        def on_train_epoch_end(self, run_context: Any) -> None:
            at["epoch"] = len(closings)

        def on_train_end(self, run_context: Any) -> None:
            at["end"] = len(closings)
            at["open"] = len(open_channels())

        def on_eval_step_end(self, run_context: Any) -> None:
            at["eval step"] = len(closings)

        def on_eval_epoch_end(self, run_context: Any) -> None:
            at["eval end"] = len(closings)

    model = trainer(metrics={"mse"})
    model.train(1, regression(2), Look(), dataset_sink_mode=sink)
    assert at == {"epoch": 0, "end": 1, "open": 0}
    closings.clear()
    model.eval(regression(2), Look(), dataset_sink_mode=sink)
    assert at | {"eval step": 0, "eval end": 1} == at


class Fails(Metric):
    def clear(self) -> None:
        pass

    def update(self, *inputs: Any) -> None:
        raise KeyError("metric")

    def eval(self) -> float:
        return 0.0


@both
def test_data_ends_where_a_metric_fails(sink: bool, closings: Any) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    with pytest.raises(KeyError, match="metric"):
        trainer(metrics={"mine": Fails()}).eval(regression(3), dataset_sink_mode=sink)
    assert closings == ["SinkFeed" if sink else "HostFeed"]


@pytest.mark.parametrize("event", ["on_train_begin", "on_train_step_end", "on_train_epoch_end"])
@both
def test_data_ends_where_a_callback_fails(event: str, sink: bool, closings: Any) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")

    def fail(run_context: Any) -> None:
        raise KeyError(event)

    with pytest.raises(KeyError):
        trainer().train(2, regression(3), LambdaCallback(**{event: fail}), dataset_sink_mode=sink)
    assert closings == ["SinkFeed" if sink else "HostFeed"]
    assert open_channels() == []


@both
def test_what_an_evaluation_is_of_is_in_its_record(sink: bool) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    model, data, seen = trainer(metrics={"mse"}), regression(3), {}
    look = LambdaCallback(
        on_eval_begin=lambda c: seen.update(c.original_args()),
        on_eval_step_begin=lambda c: seen.update(element=c.original_args().eval_dataset_element),
    )
    model.eval(data, look, dataset_sink_mode=sink)
    assert seen["valid_dataset"] is data
    assert (seen["batch_num"], seen["mode"], seen["dataset_sink_mode"]) == (3, "eval", sink)
    assert seen["list_callback"] == [look] and seen["network"] is model.predict_network
    assert len(seen["element"]) == (0 if sink else 2)


def test_an_evaluation_within_a_training_tells_its_loss_with_the_metrics() -> None:
    results: list[Any] = []
    look = LambdaCallback(
        on_train_epoch_end=lambda c: results.append(dict(c.original_args().eval_results))
    )
    trainer(metrics={"mse"}).fit(1, regression(1), regression(2), callbacks=look)
    assert set(results[0]) == {"mse", "eval_loss"}
    assert results[0]["eval_loss"] == pytest.approx(results[0]["mse"], rel=1e-5)


def test_a_network_that_measures_itself_has_no_loss() -> None:
    results: list[Any] = []
    look = LambdaCallback(
        on_train_epoch_end=lambda c: results.append(dict(c.original_args().eval_results))
    )
    net = Log(1)
    model = Model(net, metrics={"mae"}, eval_network=Twice())
    model.fit(1, numbers(1), numbers(1), callbacks=look)
    assert set(results[0]) == {"mae"}


class Twice(Log):
    def __init__(self) -> None:
        super().__init__(1)

    def construct(self, x: Tensor) -> Any:
        return x, x
