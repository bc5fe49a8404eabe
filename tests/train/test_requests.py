"""Trainings that are saved while they run, and ended when somebody asks for it."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, context
from minispore.train import (
    BackupAndRestore,
    LambdaCallback,
    OnRequestExit,
    load_checkpoint,
    save_checkpoint,
)
from tests.train.nets import GRAPH, Trace, regression, train, trainer

# -- backups and requests --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freq", "expected"), [("epoch", [1, 2, 3, 4]), (1, [1, 2, 3, 4]), (3, [3])]
)
def test_a_backup_comes_every_so_many_epochs(
    freq: Any, expected: list[int], tmp_path: Path
) -> None:
    backup, seen = BackupAndRestore(str(tmp_path), save_freq=freq), []

    def look(run_context: Any) -> None:
        if backup.find_backup() is not None:
            seen.append(run_context.original_args().cur_epoch_num)
            os.remove(backup.backup_file)

    train(trainer(), regression(1), [backup, LambdaCallback(on_train_epoch_end=look)], 4)
    assert seen == expected


def test_a_request_saves_where_the_training_was(tmp_path: Path) -> None:
    def ask(run_context: Any) -> None:
        if run_context.original_args().cur_step_num == 5:
            signal.raise_signal(signal.SIGTERM)

    exit_ = OnRequestExit(directory=str(tmp_path))
    train(trainer(), regression(3), [LambdaCallback(on_train_step_begin=ask), exit_], 4)
    params = load_checkpoint(str(tmp_path / "rank_0" / "Net_train.ckpt"))
    numbers = [int(params[k].asnumpy()) for k in ("epoch_num", "step_num", "batch_num")]
    assert numbers == [2, 5, 3]


def test_a_request_of_an_earlier_training_is_over(tmp_path: Path) -> None:
    exit_ = OnRequestExit(save_ckpt=False, directory=str(tmp_path))
    exit_.exit = True
    trace = Trace()
    train(trainer(), regression(3), [exit_, trace])
    assert len(trace.of("step_end")) == 3
    assert not list((tmp_path / "rank_0").iterdir())


@pytest.mark.parametrize("asked_in", ["on_train_step_end", "on_eval_step_end"])
def test_an_evaluation_within_a_training_forgets_no_request(asked_in: str, tmp_path: Path) -> None:
    class Exit(OnRequestExit):  # of a class of one's own, so that it is told of evaluations
        def on_train_step_end(self, run_context: Any) -> None:
            if asked_in == "on_train_step_end":
                signal.raise_signal(signal.SIGTERM)
            super().on_train_step_end(run_context)

        def on_eval_step_end(self, run_context: Any) -> None:
            if asked_in == "on_eval_step_end":
                signal.raise_signal(signal.SIGTERM)

    handler, model = signal.getsignal(signal.SIGTERM), trainer(metrics={"mse"})
    exit_, trace = Exit(directory=str(tmp_path)), Trace()
    model.fit(3, regression(2), regression(1), callbacks=[exit_, trace])
    assert len(trace.of("step_end")) == (1 if asked_in == "on_train_step_end" else 3)
    params = load_checkpoint(exit_.train_name + ".ckpt")
    assert (params["weight"].asnumpy() == model.predict_network.weight.asnumpy()).all()
    assert signal.getsignal(signal.SIGTERM) is handler


def test_an_evaluation_within_a_training_has_its_weights(tmp_path: Path) -> None:
    class Exit(OnRequestExit):
        pass

    exit_, model, plain = Exit(directory=str(tmp_path)), trainer(metrics={"mse"}), trainer()
    saved = Tensor(np.full((1, 3), 7, np.float32))
    late = LambdaCallback(
        on_train_step_end=lambda c: save_checkpoint(
            [Parameter(saved, name="weight")], exit_.eval_name + ".ckpt"
        )
    )
    model.fit(2, regression(1), regression(1), callbacks=[exit_, late])
    train(plain, regression(1), None, 2)
    weights = [m.predict_network.weight.asnumpy() for m in (model, plain)]
    assert (weights[0] == weights[1]).all()


def test_a_request_without_save_ckpt_leaves_no_file_and_loads_none(tmp_path: Path) -> None:
    ask = LambdaCallback(on_train_step_end=lambda c: signal.raise_signal(signal.SIGTERM))
    exit_ = OnRequestExit(save_ckpt=False, directory=str(tmp_path))
    (tmp_path / "rank_0" / "Net_train.ckpt").write_bytes(b"of no use")
    trace = Trace()
    train(trainer(), regression(3), [ask, exit_, trace])
    assert len(trace.of("step_end")) == 1
    assert (tmp_path / "rank_0" / "Net_train.ckpt").read_bytes() == b"of no use"


def test_a_training_that_nobody_ended_leaves_no_file(tmp_path: Path) -> None:
    model = trainer(metrics={"mse"})
    train(model, regression(1), OnRequestExit(directory=str(tmp_path)))
    model.eval(regression(1), OnRequestExit(directory=str(tmp_path)))
    assert not list((tmp_path / "rank_0").iterdir())


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ('{"GracefulExit": 1}', 1),
        ('{"GracefulExit": 0}', 4),
        ('{"GracefulExit": 2}', 4),
        ('{"Other": 1}', 4),
        ("[1]", 4),
        ("half of", 4),
        (None, 4),
    ],
)
def test_only_the_right_word_in_the_file_is_a_request(
    words: str | None, steps: int, tmp_path: Path
) -> None:
    if words is not None:
        (tmp_path / "exit.json").write_text(words)
    exit_ = OnRequestExit(directory=str(tmp_path), config_file=str(tmp_path / "exit.json"))
    trace = Trace()
    train(trainer(), regression(4), [exit_, trace])
    assert len(trace.of("step_end")) == steps


def test_an_evaluation_is_ended_and_its_weights_saved_under_another_name(tmp_path: Path) -> None:
    context.set_context(mode=GRAPH)
    handler, steps = signal.getsignal(signal.SIGTERM), []
    ask = LambdaCallback(
        on_eval_step_begin=lambda c: signal.raise_signal(signal.SIGTERM),
        on_eval_step_end=lambda c: steps.append(1),
    )
    model = trainer(metrics={"mse"})
    model.predict_network.weight.set_data(Tensor([[7.0, 8.0, 9.0]]))
    model.eval(regression(3), [ask, OnRequestExit(directory=str(tmp_path), file_name="n")])
    assert len(steps) == 1
    assert signal.getsignal(signal.SIGTERM) is handler
    assert os.listdir(tmp_path / "rank_0") == ["n_eval.ckpt"]
    second = trainer(metrics={"mse"})
    second.eval(regression(1), OnRequestExit(directory=str(tmp_path), file_name="n"))
    assert second.predict_network.weight.asnumpy().tolist() == [[7.0, 8.0, 9.0]]


def test_what_an_evaluation_left_comes_before_what_a_training_left(tmp_path: Path) -> None:
    model = trainer(metrics={"mse"})
    folder = tmp_path / "rank_0"
    for name, weight in (("Net_eval", 1.0), ("Net_train", 2.0)):
        os.makedirs(folder, exist_ok=True)
        model.predict_network.weight.set_data(Tensor([[weight] * 3]))
        save_checkpoint(model.eval_network, str(folder / name))
    model.eval(regression(1), OnRequestExit(directory=str(tmp_path)))
    assert model.predict_network.weight.asnumpy().tolist() == [[1.0, 1.0, 1.0]]


def test_without_a_directory_it_is_the_current_one(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exit_ = OnRequestExit(directory=None)
    assert exit_.train_name == str(tmp_path / "rank_0" / "Net_train")
    assert (tmp_path / "rank_0").is_dir()


def test_a_training_in_a_thread_installs_no_signal_handlers(tmp_path: Path) -> None:
    before, handlers = signal.getsignal(signal.SIGTERM), []
    exit_ = OnRequestExit(directory=str(tmp_path))
    look = LambdaCallback(
        on_train_step_end=lambda c: handlers.append(signal.getsignal(signal.SIGTERM))
    )
    thread = threading.Thread(target=train, args=(trainer(), regression(1), [exit_, look]))
    thread.start()
    thread.join()
    assert handlers == [before]


def test_a_training_and_an_evaluation_in_it_listen_once(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    exit_ = OnRequestExit(directory=str(tmp_path))
    with exit_:
        for _ in range(2):
            exit_._install_handler()
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) is before
    with exit_:
        pass  # nothing to put back
    assert signal.getsignal(signal.SIGTERM) is before
