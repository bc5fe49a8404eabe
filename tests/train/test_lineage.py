"""Lineage: what a training and an evaluation say of themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from minispore import nn
from minispore.train import LambdaCallback, Model, ModelCheckpoint, SummaryCollector
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.callback.summary_collector import (
    make_custom_lineage,
    make_eval_lineage,
    make_train_lineage,
)
from tests.train.nets import numbers, regression, trainer
from tests.train.test_summary_collector import Watched


def lineage_of(callbacks: list[Any], model: Any = None) -> Any:
    outputs: list[Any] = []
    look = LambdaCallback(
        on_train_end=lambda c: outputs.append(make_train_lineage(c.original_args()))
    )
    (model or trainer()).train(2, regression(3), [*callbacks, look])
    return outputs[0]


def test_a_training_without_checkpoints_has_no_file() -> None:
    lineage = lineage_of([])
    assert (json.loads(lineage.model.path), lineage.model.size) == ({"ckpt": None}, 0)
    assert lineage.train_dataset.train_dataset_size == 6
    hyper = lineage.hyper_parameters
    assert (hyper.epoch, hyper.batch_size, hyper.device_num) == (2, 2, 1)
    assert (hyper.parallel_mode, hyper.loss_function) == ("stand_alone", "MSELoss")
    assert lineage.algorithm.loss > 0


def test_lineage_names_the_last_of_several_checkpoints(tmp_path: Path) -> None:
    savers = [ModelCheckpoint(name, str(tmp_path)) for name in ("a", "b")]
    lineage = lineage_of(savers)
    path = json.loads(lineage.model.path)["ckpt"]
    assert path == str(tmp_path / "b-2_3.ckpt")
    assert lineage.model.size == Path(path).stat().st_size


def test_a_network_that_returns_its_loss_has_no_optimizer_and_no_function() -> None:
    outputs: list[Any] = []
    look = LambdaCallback(
        on_train_end=lambda c: outputs.append(make_train_lineage(c.original_args()))
    )
    Model(Watched()).train(1, numbers(2), look)
    hyper = outputs[0].hyper_parameters
    assert (hyper.optimizer, hyper.loss_function, hyper.learning_rate) == ("", "", 0.0)


def test_lineage_stores_zero_as_the_rate_of_a_schedule() -> None:
    net = nn.Dense(3, 1)
    optimizer = nn.SGD(net.trainable_params(), [0.5, 0.25, 0.125, 0.1, 0.1, 0.1])
    rate = lineage_of([], Model(net, nn.MSELoss(), optimizer)).hyper_parameters.learning_rate
    assert rate == 0.0


def test_an_evaluation_tells_its_metrics_and_rows() -> None:
    params = InternalCallbackParam(
        metrics={"acc": np.float64(0.5), "f1": np.array([1, 2])}, valid_dataset=regression(3)
    )
    eval_lineage = make_eval_lineage(params)
    assert json.loads(eval_lineage.metric) == {"acc": 0.5, "f1": [1, 2]}
    assert eval_lineage.valid_dataset.valid_dataset_size == 6


def test_evaluation_writes_nothing_when_collect_eval_lineage_is_off(tmp_path: Path) -> None:
    options = {"collect_specified_data": {"collect_eval_lineage": False}}
    trainer(metrics={"mse"}).eval(regression(1), SummaryCollector(str(tmp_path), **options))
    assert not list(tmp_path.iterdir())


def test_numbers_and_texts_keep_their_kind() -> None:
    output = make_custom_lineage({"i": -3, "d": 0.5, "s": "x", "b": True}).user_info
    assert [(u.map_int32, u.map_double, u.map_str) for u in output] == [
        ({"i": -3}, {}, {}),
        ({}, {"d": 0.5}, {}),
        ({}, {}, {"s": "x"}),
        ({"b": 1}, {}, {}),
    ]
