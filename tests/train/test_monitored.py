"""Callbacks that watch one value: what is better, how long they wait, what they do then."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import Tensor, nn
from minispore.train import (
    EarlyStopping,
    LearningRateScheduler,
    ReduceLROnPlateau,
    RunContext,
)
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.callback.monitored import SMALLER_IS_BETTER
from tests.train.nets import dense, printed


class Epochs:
    """A training by hand: epochs that end with values of choice."""

    def __init__(self, *callbacks: Any, rate: float = 1.0) -> None:
        self.net = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
        self.optimizer = nn.SGD(self.net.trainable_params(), rate)
        self.params = InternalCallbackParam(
            train_network=self.net, optimizer=self.optimizer, net_outputs=Tensor(1.0)
        )
        self.run_context = RunContext(self.params)
        self.callbacks = callbacks
        for callback in callbacks:
            callback.on_train_begin(self.run_context)
        self.params.cur_epoch_num = 0

    def end(self, value: Any, name: str = "eval_loss") -> None:
        """Let an epoch end; the weight is its number."""
        self.params.cur_epoch_num += 1
        self.net.weight.set_data(Tensor([[float(self.params.cur_epoch_num)]]))
        self.params.eval_results = {name: value}
        for callback in self.callbacks:
            callback.on_train_epoch_end(self.run_context)

    @property
    def stopped(self) -> bool:
        return self.run_context.get_stop_requested()

    @property
    def rate(self) -> float:
        return float(self.optimizer.learning_rate.asnumpy())

    @property
    def weight(self) -> float:
        return float(self.net.weight.asnumpy().item())


def stops_after(callback: Any, values: list[float], name: str = "eval_loss") -> int | None:
    epochs = Epochs(callback)
    for value in values:
        epochs.end(value, name)
        if epochs.stopped:
            return int(epochs.params.cur_epoch_num)
    return None


def first_stop(values: list[float], patience: int, delta: float, less: bool) -> int | None:
    """By the definition: the first epoch after which the best is ``patience`` epochs old."""
    best, wait = math.inf if less else -math.inf, 0
    for epoch, value in enumerate(values, 1):
        better = best - value > delta if less else value - best > delta
        best, wait = (value, 0) if better else (best, wait + 1)
        if wait and wait >= patience:
            return epoch
    return None


values = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 4.0]), min_size=1, max_size=8)


@given(
    values=values,
    patience=st.integers(0, 3),
    delta=st.sampled_from([0.0, 0.25, -0.5]),
    mode=st.sampled_from(["min", "max"]),
)
def test_early_stopping_waits_as_long_as_the_best_is_good_for(
    values: list[float], patience: int, delta: float, mode: str
) -> None:
    callback = EarlyStopping(patience=patience, min_delta=delta, mode=mode)
    assert stops_after(callback, values) == first_stop(values, patience, abs(delta), mode == "min")


@pytest.mark.parametrize("name", sorted(SMALLER_IS_BETTER - {"loss"}))
def test_of_errors_and_distances_less_is_better(name: str) -> None:
    assert stops_after(EarlyStopping(name), [3.0, 2.0, 1.0], name) is None
    assert stops_after(EarlyStopping(name), [1.0, 2.0], name) == 2


@pytest.mark.parametrize("name", ["accuracy", "recall", "F1", "my own"])
def test_of_everything_else_more_is_better(name: str) -> None:
    assert stops_after(EarlyStopping(name), [1.0, 2.0, 3.0], name) is None
    assert stops_after(EarlyStopping(name), [2.0, 1.0], name) == 2


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
def test_a_reused_callback_resets_its_state(kind: Any) -> None:
    callback = kind(patience=2)
    for _ in range(2):
        epochs = Epochs(callback)
        for value in (1.0, 2.0):
            epochs.end(value)
        assert (epochs.stopped, epochs.rate) == (False, 1.0)
        epochs.end(2.0)
        assert epochs.stopped == (kind is EarlyStopping)
        assert (epochs.rate < 1.0) == (kind is ReduceLROnPlateau)


def test_early_stopping_reports_the_stop_only_in_the_stopped_training() -> None:
    callback = EarlyStopping(verbose=True)
    first = Epochs(callback)
    first.end(1.0)
    first.end(2.0)
    assert printed(lambda: callback.on_train_end(first.run_context)) == [
        "Epoch 00002: early stopping"
    ]
    second = Epochs(callback)
    second.end(1.0)
    assert printed(lambda: callback.on_train_end(second.run_context)) == []


def test_early_stopping_is_silent_by_default() -> None:
    def run() -> None:
        callback = EarlyStopping(restore_best_weights=True)
        epochs = Epochs(callback)
        epochs.end(1.0)
        epochs.end(2.0)
        callback.on_train_end(epochs.run_context)
        assert epochs.weight == 1.0

    assert printed(run) == []


def test_weights_stay_unless_they_are_to_be_restored() -> None:
    epochs = Epochs(EarlyStopping())
    epochs.end(1.0)
    epochs.end(2.0)
    assert (epochs.stopped, epochs.weight) == (True, 2.0)


def test_where_nothing_is_better_than_the_beginning_its_weights_are_the_best() -> None:
    epochs = Epochs(EarlyStopping(restore_best_weights=True, patience=2))
    for value in (math.nan, math.nan):
        epochs.end(value)
    assert (epochs.stopped, epochs.weight) == (True, 1.0)


def test_best_weights_of_one_training_are_not_those_of_the_next() -> None:
    callback = EarlyStopping(restore_best_weights=True)
    first = Epochs(callback)
    first.end(1.0)
    second = Epochs(callback)
    for _ in range(4):
        second.params.cur_epoch_num += 1
    second.end(math.nan)  # epoch 5: no better, so it stops with the weights that it has
    assert (second.stopped, second.weight) == (True, 5.0)


@pytest.mark.parametrize(
    "value", [1.5, Tensor(1.5), Tensor([1.5]), np.float64(1.5), np.array([[1.5]])]
)
def test_one_number_may_come_in_any_form(value: Any) -> None:
    callback = EarlyStopping()
    Epochs(callback).end(value)
    assert callback.best == 1.5


@pytest.mark.parametrize("value", [[1.0, 2.0], np.zeros(0), Tensor([1.0, 2.0])])
def test_several_numbers_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="EarlyStopping: 'eval_loss' must be one number, got"):
        Epochs(EarlyStopping()).end(value)


def test_the_loss_is_the_mean_of_the_outputs() -> None:
    callback = EarlyStopping("loss")
    epochs = Epochs(callback)
    epochs.params.net_outputs = Tensor([1.0, 2.0])
    epochs.end(9.0)
    assert callback.best == 1.5


def test_without_an_evaluation_only_the_loss_can_be_monitored() -> None:
    epochs = Epochs()
    with pytest.warns(UserWarning, match=r"'eval_loss' is not available\. There is: loss\.$"):
        assert EarlyStopping().get_monitor_value(epochs.params) is None


# -- before a training -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
def test_before_the_first_training_nothing_was_good(kind: Any) -> None:
    assert (kind("loss").best, kind("accuracy").best) == (math.inf, -math.inf)
    assert kind("loss").wait == 0
    state = {"stopped_epoch": 0, "cooldown_counter": 0}
    assert all(getattr(kind(), name, value) == value for name, value in state.items())


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
def test_a_second_training_waits_anew(kind: Any) -> None:
    callback = kind(patience=3)
    first = Epochs(callback)
    for _ in range(3):
        first.end(1.0)
    assert callback.wait == 2
    Epochs(callback)
    assert callback.wait == 0


@pytest.mark.parametrize(
    ("kind", "name", "least"),
    [(EarlyStopping, "patience", 0), (ReduceLROnPlateau, "patience", 0),
     (ReduceLROnPlateau, "cooldown", 0)],
)  # fmt: skip
def test_epochs_to_wait_are_a_count(kind: Any, name: str, least: int) -> None:
    assert getattr(kind(**{name: least}), name) == least
    with pytest.raises(ValueError, match=f"{name} must be >= {least}"):
        kind(**{name: least - 1})


@pytest.mark.parametrize("factor", [0.0, 1.0, 1.5, -0.5])
def test_a_factor_makes_a_rate_smaller(factor: float) -> None:
    with pytest.raises(ValueError, match="factor must be between 0 and 1"):
        ReduceLROnPlateau(factor=factor)


# -- rates -----------------------------------------------------------------------------------------


def rates(values: list[float], **options: Any) -> list[float]:
    epochs = Epochs(ReduceLROnPlateau(factor=0.5, **options))
    outputs = []
    for value in values:
        epochs.end(value)
        outputs.append(epochs.rate)
    return outputs


@pytest.mark.parametrize(
    ("options", "values", "expected"),
    [
        ({"patience": 1}, [1, 1, 1, 0, 0], [1, 0.5, 0.25, 0.25, 0.125]),
        ({"patience": 0}, [1, 1, 0, 0], [1, 0.5, 0.5, 0.25]),
        ({"patience": 2}, [1, 1, 0, 1, 1], [1, 1, 1, 1, 0.5]),
        ({"patience": 1, "cooldown": 2}, [1, 1, 1, 1, 1, 1], [1, 0.5, 0.5, 0.25, 0.25, 0.125]),
        ({"patience": 2, "cooldown": 1}, [1, 1, 1, 1, 1, 1], [1, 1, 0.5, 0.5, 0.25, 0.25]),
        ({"patience": 1, "min_lr": 0.375}, [1, 1, 1, 1], [1, 0.5, 0.375, 0.375]),
        ({"patience": 1, "min_delta": 0.5}, [2, 1.5, 1.0, 0.4], [1, 0.5, 0.5, 0.5]),
        ({"patience": 1, "mode": "max"}, [1, 2, 2, 3], [1, 1, 0.5, 0.5]),
    ],
)
def test_a_plateau_is_so_many_epochs_without_an_improvement(
    options: dict[str, Any], values: list[float], expected: list[float]
) -> None:
    assert rates(values, **options) == expected


def test_a_rate_at_min_lr_stays_unchanged_without_a_message() -> None:
    def run() -> None:
        epochs = Epochs(ReduceLROnPlateau(patience=1, min_lr=1.0, verbose=True))
        for _ in range(3):
            epochs.end(1.0)
        assert epochs.rate == 1.0

    assert printed(run) == []


def test_rate_reductions_are_silent_by_default() -> None:
    assert printed(lambda: rates([1.0, 1.0, 1.0], patience=1)) == []


def test_a_second_training_cools_down_anew() -> None:
    callback = ReduceLROnPlateau(factor=0.5, patience=1, cooldown=5)
    first = Epochs(callback)
    first.end(1.0)
    first.end(1.0)
    assert first.rate == 0.5
    second = Epochs(callback)
    second.end(1.0)
    second.end(1.0)
    assert second.rate == 0.5


def test_a_missing_monitored_value_leaves_the_rate_unchanged() -> None:
    epochs = Epochs(ReduceLROnPlateau("recall", patience=1))
    with pytest.warns(UserWarning, match="ReduceLROnPlateau: 'recall' is not available"):
        epochs.end(1.0)
    assert epochs.rate == 1.0


@pytest.mark.parametrize("rate", [0.1, 0.05, 1e-4, 0.3])
def test_a_schedule_function_receives_the_rate_as_written(rate: float) -> None:
    messages = []
    optimizer = nn.SGD(dense().trainable_params(), rate)
    params = InternalCallbackParam(optimizer=optimizer, cur_step_num=7)
    scheduler = LearningRateScheduler(lambda old, step: messages.append((old, step)) or old * 2)
    scheduler.step_end(RunContext(params))
    assert messages == [(rate, 7)]
    assert optimizer.learning_rate.asnumpy() == np.float32(rate * 2)
    assert optimizer.learning_rate.dtype is Tensor(np.float32(1)).dtype


def test_a_schedule_is_a_function() -> None:
    with pytest.raises(TypeError, match=r"learning_rate_function must be a function.* got 0\.1"):
        LearningRateScheduler(0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [0.0, 1e-6])
def test_a_rate_is_set_where_it_changes(change: float) -> None:
    optimizer = nn.SGD(dense().trainable_params(), 0.5)
    before = optimizer.learning_rate.value_
    params = InternalCallbackParam(optimizer=optimizer, cur_step_num=1)
    LearningRateScheduler(lambda old, step: old + change).step_end(RunContext(params))
    assert (optimizer.learning_rate.asnumpy() == 0.5) == (change == 0.0)
    assert before is not None


@pytest.mark.parametrize(
    ("baseline", "values", "patience", "stop"),
    [(0.3, [0.6, 0.5, 0.7, 0.5, 0.6], 2, 5), (0.55, [0.6, 0.3, 0.5, 0.5], 2, 3)],
)
def test_early_stopping_asks_for_no_network_whose_weights_it_does_not_keep(
    baseline, values, patience, stop
) -> None:
    params = InternalCallbackParam()
    context = RunContext(params)
    callback = EarlyStopping("accuracy", patience=patience, baseline=baseline)
    callback.on_train_begin(context)
    for epoch, value in enumerate(values, 1):
        params.eval_results, params.cur_epoch_num = {"accuracy": value}, epoch
        callback.on_train_epoch_end(context)
        if context.get_stop_requested():
            break
    assert params.cur_epoch_num == callback.stopped_epoch == stop
