"""SummaryCollector: when it collects, and what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import context, nn, ops
from minispore.core.tensor import Tensor
from minispore.dataset import NumpySlicesDataset
from minispore.dataset.formats import tfrecord
from minispore.ops.control import watch
from minispore.train import Model, ModelCheckpoint, SummaryCollector, SummaryRecord
from minispore.train.lineage_pb2 import LineageEvent
from minispore.train.summary_pb2 import Event
from tests.train.nets import GRAPH, numbers, regression, trainer


def steps(folder: Path) -> dict[int, dict[str, Any]]:
    """The values of each step that was recorded, by name."""
    (path,) = folder.glob("*_MS")
    found = [Event.FromString(data) for data in tfrecord.stream(path, "")]
    return {e.step: {v.tag: v for v in e.summary.value} for e in found if e.summary.value}


def lineage(folder: Path) -> list[Any]:
    (path,) = folder.glob("*_lineage")
    return [LineageEvent.FromString(data) for data in tfrecord.stream(path, "")]


def test_without_sink_the_unit_is_the_step(tmp_path) -> None:
    trainer().train(2, regression(4), SummaryCollector(str(tmp_path), collect_freq=3))
    assert list(steps(tmp_path)) == [1, 3, 6]


def test_with_sink_the_unit_is_the_epoch(tmp_path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    collector = SummaryCollector(str(tmp_path), collect_freq=2)
    trainer().train(5, regression(4), collector, dataset_sink_mode=True)
    assert list(steps(tmp_path)) == [4, 8, 16]


def test_a_record_holds_the_loss_and_the_distributions_of_weights(tmp_path) -> None:
    trainer().train(1, regression(1), SummaryCollector(str(tmp_path)))
    record = steps(tmp_path)[1]
    assert set(record) == {"loss/auto", "weight/auto", "bias/auto"}
    assert record["loss/auto"].scalar_value > 0
    assert record["weight/auto"].histogram.count == 3


def test_pictures_that_go_in_are_collected(tmp_path) -> None:
    class Mean(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x.mean()

    data = NumpySlicesDataset(np.ones((2, 3, 4, 5), np.float32), ["x"], shuffle=False).batch(2)
    Model(Mean()).train(1, data, SummaryCollector(str(tmp_path)))
    image = steps(tmp_path)[1]["input_data/auto"].image
    assert (image.height, image.width) == (4, 10)


def test_lineage_says_what_the_training_was_made_of(tmp_path) -> None:
    custom = {"run": "a", "x": 1, "y": 0.5}
    collector = SummaryCollector(str(tmp_path), custom_lineage_data=custom)
    saves = ModelCheckpoint(directory=str(tmp_path / "ckpt"))
    trainer().train(2, regression(3), [collector, saves])
    first, second = lineage(tmp_path)
    train = first.train_lineage
    assert (train.algorithm.network, train.hyper_parameters.optimizer) == ("Dense", "Momentum")
    assert train.hyper_parameters.learning_rate == pytest.approx(0.05)
    assert train.hyper_parameters.epoch == 2
    assert train.hyper_parameters.batch_size * 3 == train.train_dataset.train_dataset_size
    assert Path(json.loads(train.model.path)["ckpt"]).stat().st_size == train.model.size
    user = second.user_defined_info.user_info
    assert [(u.map_str, u.map_int32, u.map_double) for u in user] == [
        ({"run": "a"}, {}, {}),
        ({}, {"x": 1}, {}),
        ({}, {}, {"y": 0.5}),
    ]


def test_an_evaluation_has_lineage_with_its_metrics(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path))
    trainer(metrics={"mse"}).eval(regression(1), collector)
    (event,) = lineage(tmp_path)
    assert set(json.loads(event.evaluation_lineage.metric)) == {"mse"}


def test_a_training_and_an_evaluation_share_a_folder(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path))
    model = trainer(metrics={"mse"})
    model.train(1, regression(1), collector)
    model.eval(regression(1), collector)
    found = [
        LineageEvent.FromString(data)
        for path in sorted(tmp_path.glob("*_lineage"))
        for data in tfrecord.stream(path, "")
    ]
    assert found[0].train_lineage.algorithm.network == "Dense"
    assert "mse" in found[1].evaluation_lineage.metric


def test_an_evaluation_within_a_training_leaves_no_trace(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), collect_freq=1)
    trainer(metrics={"mse"}).fit(2, regression(2), regression(1), callbacks=collector)
    assert list(steps(tmp_path)) == [1, 2, 3, 4]
    (event,) = lineage(tmp_path)
    assert event.train_lineage.hyper_parameters.epoch == 2


def test_what_is_collected_can_be_chosen(tmp_path) -> None:
    collector = SummaryCollector(
        str(tmp_path),
        collect_specified_data={"histogram_regular": "bias", "collect_train_lineage": False},
        keep_default_action=False,
    )
    trainer().train(1, regression(1), collector)
    assert set(steps(tmp_path)[1]) == {"bias/auto"}
    assert not list(tmp_path.glob("*_lineage"))


class Watched(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        ops.ScalarSummary()("first", x[0])
        ops.TensorSummary()("x", x)
        return x.mean()


@pytest.mark.parametrize("mode", [0, 1])
def test_summary_ops_reach_the_record(mode, tmp_path) -> None:
    context.set_context(mode=mode)
    collector = SummaryCollector(str(tmp_path), collect_freq=1)
    Model(Watched()).train(1, numbers(2, shuffle=False), collector)
    assert [r["first"].scalar_value for r in steps(tmp_path).values()] == [0.0, 2.0]
    assert watch.listeners == []


def test_tensors_have_a_unit_of_their_own(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), collect_freq=2, collect_tensor_freq=3)
    Model(Watched()).train(3, numbers(2, shuffle=False), collector)
    assert {s: "x" in r for s, r in steps(tmp_path).items()} == {
        1: True,
        2: False,
        3: True,
        4: False,
        6: True,
    }


def test_two_collectors_are_one_too_many(tmp_path) -> None:
    two = [SummaryCollector(str(tmp_path)), SummaryCollector(str(tmp_path))]
    with pytest.raises(RuntimeError, match="only one may be open"):
        trainer().train(1, regression(1), two)
    assert watch.listeners == []
    assert SummaryRecord.count == 0


def test_a_file_stays_below_its_size(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), collect_freq=1, max_file_size=900)
    trainer().train(1, regression(50), collector)
    (path,) = tmp_path.glob("*_MS")
    assert path.stat().st_size <= 900


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"summary_dir": 1}, TypeError),
        ({"collect_freq": 0}, ValueError),
        ({"collect_freq": 1.5}, TypeError),
        ({"collect_tensor_freq": 0}, ValueError),
        ({"max_file_size": 0}, ValueError),
        ({"export_options": {"tensor_format": "csv"}}, ValueError),
        ({"keep_default_action": 1}, TypeError),
        ({"collect_specified_data": []}, None),
        ({"collect_specified_data": 1}, TypeError),
        ({"collect_specified_data": {"collect_metrics": True}}, ValueError),
        ({"collect_specified_data": {"collect_metric": 1}}, TypeError),
        ({"collect_specified_data": {"histogram_regular": "("}}, ValueError),
        ({"custom_lineage_data": {"a": []}}, TypeError),
    ],
)
def test_arguments(options, error, tmp_path) -> None:
    given = {"summary_dir": str(tmp_path), **options}
    if error is None:
        SummaryCollector(**given)
        return
    with pytest.raises(error):
        SummaryCollector(**given)
