"""Callbacks that watch a value, keep or end a run: History, EarlyStopping and others."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context, device, nn
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import files
from minispore.train import (
    BackupAndRestore,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    ModelCheckpoint,
    OnRequestExit,
    ReduceLROnPlateau,
    RunContext,
    SummaryCollector,
    save_checkpoint,
)
from minispore.train.callback.base import EVENTS, InternalCallbackParam
from tests.train.nets import (
    GRAPH,
    Trace,
    devices,
    epochs,
    modes,
    printed,
    regression,
    sink_sizes,
    sizes,
    train,
    trainer,
    weights_of,
)

# -- History, EarlyStopping, learning rates --------------------------------------------------------


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans())
def test_history_keeps_the_output_of_each_epoch(size, epoch, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    history, outputs = History(), []

    def note(run_context: RunContext) -> None:
        outputs.append(float(np.mean(run_context.original_args().net_outputs.asnumpy())))

    callbacks = [history, LambdaCallback(on_train_epoch_end=note)]
    train(trainer(), regression(size), callbacks, epoch, dataset_sink_mode=sink)
    assert [float(v) for v in history.history["net_output"]] == outputs
    assert history.epoch == {"epoch": list(range(1, epoch + 1))}


def test_history_collects_metrics_and_goes_on_in_the_next_run() -> None:
    history, model = History(), trainer(metrics={"mse"})
    model.fit(2, regression(1), regression(1), callbacks=history)
    model.fit(1, regression(1), regression(1), callbacks=history)
    assert len(history.history["mse"]) == 3
    assert history.epoch == {"epoch": [1]}


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, dev=devices)
def test_the_rate_scheduler_is_called_once_a_sink(size, epoch, sink_size, dev) -> None:
    context.set_context(mode=GRAPH, device_target=dev)
    steps = size if sink_size == -1 else sink_size
    calls = []

    def halve(rate: float, step: int) -> float:
        calls.append((rate, step))
        return rate / 2

    model = trainer()
    train(
        model,
        regression(size),
        LearningRateScheduler(halve),
        epoch,
        dataset_sink_mode=True,
        sink_size=sink_size,
    )
    assert [step for _, step in calls] == [steps * k for k in range(1, epoch + 1)]
    assert [rate for rate, _ in calls] == pytest.approx([0.05 / 2**k for k in range(epoch)])
    rate = model.train_network.optimizer.learning_rate
    assert float(rate.asnumpy()) == pytest.approx(0.05 / 2**epoch)


def monitored(callback: Any, values: list[float], network: Any = None, optimizer: Any = None):
    """Run ``callback`` over epochs whose eval_loss is as given; returns the epochs that ran."""
    params = InternalCallbackParam(
        train_network=network or nn.Dense(1, 1), optimizer=optimizer, net_outputs=Tensor(1.0)
    )
    run_context = RunContext(params)
    callback.on_train_begin(run_context)
    for epoch, value in enumerate(values, 1):
        params.cur_epoch_num = epoch
        params.eval_results = {"eval_loss": value, "accuracy": value}
        callback.on_train_epoch_end(run_context)
        if run_context.get_stop_requested():
            break
    callback.on_train_end(run_context)
    return params.cur_epoch_num


@pytest.mark.parametrize(
    ("options", "values", "stops_after"),
    [
        ({}, [3, 2, 2, 1], 3),  # patience 0: at the first epoch without improvement
        ({"patience": 2}, [3, 3, 3, 3], 3),
        ({"patience": 2}, [3, 3, 2, 2, 2], 5),
        ({"min_delta": 0.5}, [3, 2.8], 2),
        ({"monitor": "accuracy"}, [0.1, 0.2, 0.2], 3),  # more is better
        ({"monitor": "accuracy", "mode": "min"}, [0.2, 0.1, 0.1], 3),
        ({"baseline": 1.0, "patience": 2}, [3, 2, 1.5], 2),  # better, but not than the baseline
        ({}, [1, 0.0, 0.0], 3),  # 0.0 is a value
    ],
)
def test_early_stopping(options, values, stops_after) -> None:
    assert monitored(EarlyStopping(**options), values) == stops_after


def test_early_stopping_says_when_and_restores_the_best_weights() -> None:
    net = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
    callback = EarlyStopping(verbose=True, patience=1, restore_best_weights=True)
    params = InternalCallbackParam(train_network=net)
    run_context = RunContext(params)

    def run() -> None:
        callback.on_train_begin(run_context)
        for epoch, (weight, loss) in enumerate([(1.0, 2.0), (2.0, 1.0), (3.0, 5.0)], 1):
            net.weight.set_data(Tensor([[weight]]))
            params.update(cur_epoch_num=epoch, eval_results={"eval_loss": loss})
            callback.on_train_epoch_end(run_context)
        callback.on_train_end(run_context)

    assert printed(run) == [
        "Restoring model weights from the end of the best epoch.",
        "Epoch 00003: early stopping",
    ]
    assert net.weight.asnumpy().tolist() == [[2.0]]


def test_a_missing_monitored_value_warns_and_does_not_stop() -> None:
    with pytest.warns(UserWarning, match="'recall' is not available. There is: loss, eval_loss"):
        assert monitored(EarlyStopping(monitor="recall"), [1.0]) == 1


def test_the_training_loss_can_be_watched_too() -> None:
    assert monitored(EarlyStopping(monitor="loss", patience=1), [0, 0, 0]) == 2


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"mode": "up"}, ValueError),
        ({"mode": 1}, TypeError),
        ({"monitor": 1}, TypeError),
        ({"patience": -1}, ValueError),
        ({"patience": 1.5}, TypeError),
        ({"min_delta": "1"}, TypeError),
        ({"verbose": 1}, TypeError),
    ],
)
def test_arguments_of_those_that_watch(kind, options, error) -> None:
    with pytest.raises(error):
        kind(**options)


def test_a_plateau_lowers_the_rate() -> None:
    net = nn.Dense(1, 1)
    optimizer = nn.SGD(net.trainable_params(), 1.0)
    callback = ReduceLROnPlateau(factor=0.5, patience=2, verbose=True, cooldown=1, min_lr=0.2)
    lines = printed(lambda: monitored(callback, [5, 5, 5, 5, 5, 5, 5, 5, 5], net, optimizer))
    # waits 2, lowers, cools 1, waits 2 (the cooling epoch counts none), ...
    assert lines == [
        "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.5.",
        "Epoch 00005: ReduceLROnPlateau reducing learning rate to 0.25.",
        "Epoch 00007: ReduceLROnPlateau reducing learning rate to 0.2.",
    ]
    assert float(optimizer.learning_rate.asnumpy()) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("factor", "error"), [(1, TypeError), (1.0, ValueError), (0.0, ValueError), ("x", TypeError)]
)
def test_the_factor_must_be_a_float_between_0_and_1(factor, error) -> None:
    with pytest.raises(error):
        ReduceLROnPlateau(factor=factor)


def test_a_schedule_s_rate_can_not_be_lowered() -> None:
    class Scheduled:
        learning_rate = 0.1

    with pytest.raises(ValueError, match="one fixed learning rate"):
        monitored(ReduceLROnPlateau(), [1.0], optimizer=Scheduled())


def test_lambda_callback_calls_its_hooks() -> None:
    events = []
    hooks = {e: (lambda run_context, e=e: events.append(e)) for e in EVENTS}
    callback = LambdaCallback(**hooks)
    model = trainer(metrics={"mse"})
    train(model, regression(1), callback)
    model.eval(regression(1), callback)
    assert events == [
        f"on_{mode}_{name}"
        for mode in ("train", "eval")
        for name in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
    ]


# -- BackupAndRestore, OnRequestExit ---------------------------------------------------------------


def test_a_backup_is_saved_loaded_and_removed(tmp_path) -> None:
    model = trainer()
    backup = BackupAndRestore(str(tmp_path / "b"), delete_checkpoint=False)
    train(model, regression(2), backup, 2)
    assert os.path.exists(backup.backup_file)
    second = trainer()
    loaded = []
    look = LambdaCallback(on_train_begin=lambda c: loaded.append(weights_of(second)))
    end = BackupAndRestore(str(tmp_path / "b"))
    train(second, regression(2), [end, look])
    assert loaded[0] == weights_of(model)
    assert not os.path.exists(backup.backup_file)


def test_a_missing_backup_is_no_error(tmp_path) -> None:
    train(trainer(), regression(1), BackupAndRestore(str(tmp_path), save_freq=7))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"backup_dir": 1}, TypeError),
        ({"save_freq": 0}, ValueError),
        ({"save_freq": 1.5}, TypeError),
        ({"delete_checkpoint": 1}, TypeError),
    ],
)
def test_arguments_of_a_backup(options, error, tmp_path) -> None:
    with pytest.raises(error):
        BackupAndRestore(**{"backup_dir": str(tmp_path), **options})


@pytest.mark.parametrize("sink", [False, True])
def test_a_signal_ends_a_training_in_good_order(sink, tmp_path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    handler = signal.getsignal(signal.SIGTERM)
    ask = LambdaCallback(on_train_step_end=lambda c: signal.raise_signal(signal.SIGTERM))
    exit_ = OnRequestExit(directory=str(tmp_path), file_name="net")
    trace, model = Trace(), trainer()
    train(model, regression(3), [ask, exit_, trace], 4, dataset_sink_mode=sink)
    assert len(trace.of("step_end")) == 1
    assert signal.getsignal(signal.SIGTERM) is handler
    assert (tmp_path / "rank_0" / "net_train.ckpt").exists()
    second, loaded = trainer(), []
    look = LambdaCallback(on_train_begin=lambda c: loaded.append(weights_of(second)))
    train(second, regression(3), [OnRequestExit(directory=str(tmp_path), file_name="net"), look])
    assert loaded[0] == weights_of(model)


def test_a_word_in_a_file_ends_a_training_too(tmp_path) -> None:
    config = tmp_path / "exit.json"
    config.write_text('{"GracefulExit": 0}')
    exit_ = OnRequestExit(directory=str(tmp_path), config_file=str(config))
    write = LambdaCallback(
        on_train_step_begin=lambda c: config.write_text(
            f'{{"GracefulExit": {int(c.original_args().cur_step_num >= 2)}}}'
        )
    )
    trace = Trace()
    train(trainer(), regression(4), [write, exit_, trace])
    assert len(trace.of("step_end")) == 2


@pytest.mark.parametrize("message", [None, "", "[1]", '{"GracefulExit": 2}'])
def test_a_file_that_asks_for_nothing_ends_no_training(message: str | None, tmp_path) -> None:
    config, trace = tmp_path / "exit.json", Trace()
    if message is not None:
        config.write_text(message)
    exit_ = OnRequestExit(directory=str(tmp_path), config_file=str(config))
    train(trainer(), regression(3), [exit_, trace])
    assert len(trace.of("step_end")) == 3
    assert not exit_.exit


def test_each_training_listens_anew(tmp_path) -> None:
    exit_ = OnRequestExit(save_ckpt=False, directory=str(tmp_path), sig=signal.SIGINT)
    assert not exit_.exit
    requests = []

    def ask(run_context: RunContext) -> None:
        requests.append(run_context.original_args().cur_step_num)
        signal.raise_signal(signal.SIGINT)

    for _ in range(2):
        train(trainer(), regression(3), [LambdaCallback(on_train_step_end=ask), exit_])
    assert requests == [1, 1]


def test_on_request_exit_checks_its_arguments(tmp_path) -> None:
    with pytest.raises(ValueError, match="SIGKILL"):
        OnRequestExit(directory=str(tmp_path), sig=signal.SIGKILL)
    for wrong in ({"save_ckpt": 1}, {"save_mindir": 1}, {"sig": "15"}, {"file_name": 1}):
        with pytest.raises(ValueError, match=f"OnRequestExit: {next(iter(wrong))} must"):
            OnRequestExit(directory=str(tmp_path), **wrong)  # type: ignore[arg-type]


def test_a_signal_ends_an_evaluation_after_its_step_and_saves_its_network(tmp_path) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    ask = LambdaCallback(on_eval_step_end=lambda c: signal.raise_signal(signal.SIGTERM))
    trace = Trace()
    trainer(metrics={"mse"}).eval(
        regression(3), [ask, OnRequestExit(directory=str(tmp_path)), trace]
    )
    assert signal.getsignal(signal.SIGTERM) is handler
    assert (tmp_path / "rank_0" / "Net_eval.ckpt").exists()
    assert not (tmp_path / "rank_0" / "Net_train.ckpt").exists()


def test_an_evaluation_loads_what_a_training_left(tmp_path) -> None:
    model = trainer(metrics={"mse"})
    os.makedirs(tmp_path / "rank_0")
    saved = Parameter(np.full((1, 3), 7, np.float32), name="weight")
    save_checkpoint([saved], str(tmp_path / "rank_0" / "Net_train.ckpt"))
    with pytest.warns(UserWarning, match="not in the dict"):
        model.eval(regression(1), OnRequestExit(directory=str(tmp_path)))
    assert model.predict_network.weight.asnumpy().tolist() == [[7.0, 7.0, 7.0]]


def test_counters_are_where_a_test_can_reset_them() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    device.current().counters.reset()
    train(trainer(), regression(2), None, 10, dataset_sink_mode=True)
    assert device.current().counters.interactions == 10


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: ModelCheckpoint("net", folder),
        lambda folder: ModelCheckpoint("net", lambda params: folder),
        lambda folder: OnRequestExit(directory=folder),
        lambda folder: BackupAndRestore(folder, delete_checkpoint=False),
        lambda folder: SummaryCollector(folder),
    ],
    ids=["checkpoints", "a folder each", "on request", "backup", "summaries"],
)
def test_a_rehearsed_training_makes_its_folders_in_the_scratch_folder(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with files.redirecting_to(str(tmp_path / "scratch")):
        trainer().train(1, regression(1), make(str(tmp_path / "real")))
    assert not (tmp_path / "real").exists() and not any(Path().iterdir())
    assert [path for path in (tmp_path / "scratch").rglob("real*") if path.is_dir()]
