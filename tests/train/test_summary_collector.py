"""SummaryCollector: when it collects, and what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minispore import context, nn, ops
from minispore.core.tensor import Tensor
from minispore.ops import watch
from minispore.train import Model, SummaryCollector
from tests.train.nets import GRAPH, numbers, regression, trainer


def lines(collector: SummaryCollector, kind: str = "train") -> list[dict[str, Any]]:
    with open(collector.path, encoding="utf-8") as file:
        return [r for r in map(json.loads, file) if r["kind"] == kind]


def test_without_sink_the_unit_is_the_step(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), collect_freq=3)
    trainer().train(2, regression(4), collector)
    assert [r["step"] for r in lines(collector)] == [1, 3, 6]


def test_with_sink_the_unit_is_the_epoch(tmp_path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    collector = SummaryCollector(str(tmp_path), collect_freq=2)
    trainer().train(5, regression(4), collector, dataset_sink_mode=True)
    assert [r["step"] for r in lines(collector)] == [4, 8, 16]


def test_a_record_holds_loss_rate_and_distributions(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), custom_lineage_data={"run": "a", "x": 1})
    model = trainer(metrics={"mse"})
    model.train(1, regression(1), collector)
    model.eval(regression(1), collector)
    (record,) = lines(collector)
    assert record["loss"] > 0
    assert record["learning_rate"] == pytest.approx(0.05)
    assert sum(record["weight/histogram"]["counts"]) == 3
    (lineage,) = lines(collector, "train_lineage")
    assert (lineage["network"], lineage["optimizer"], lineage["run"]) == ("Dense", "Momentum", "a")
    (evaluation,) = lines(collector, "eval_lineage")
    assert set(evaluation["metrics"]) == {"mse"}


def test_what_is_collected_can_be_chosen(tmp_path) -> None:
    collector = SummaryCollector(
        str(tmp_path),
        collect_specified_data={"histogram_regular": "bias", "collect_train_lineage": False},
        keep_default_action=False,
    )
    trainer().train(1, regression(1), collector)
    (record,) = lines(collector)
    assert set(record) == {"kind", "step", "time", "bias/histogram"}
    assert lines(collector, "train_lineage") == []


class Watched(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        ops.ScalarSummary()("first", x[0])
        return x.mean()


@pytest.mark.parametrize("mode", [0, 1])
def test_summary_ops_reach_the_record(mode, tmp_path) -> None:
    context.set_context(mode=mode)
    collector = SummaryCollector(str(tmp_path), collect_freq=1)
    Model(Watched()).train(1, numbers(2, shuffle=False), collector)
    assert [r["scalar/first"] for r in lines(collector)] == [0.0, 2.0]
    assert watch.listeners == []


def test_two_collectors_are_one_too_many(tmp_path) -> None:
    two = [SummaryCollector(str(tmp_path)), SummaryCollector(str(tmp_path))]
    with pytest.raises(ValueError, match="got several"):
        trainer().train(1, regression(1), two)
    assert watch.listeners == []


def test_a_file_stays_below_its_size(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), collect_freq=1, max_file_size=900)
    trainer().train(1, regression(50), collector)
    assert (tmp_path / "summary.jsonl").stat().st_size <= 900


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"summary_dir": 1}, TypeError),
        ({"collect_freq": 0}, ValueError),
        ({"collect_freq": 1.5}, TypeError),
        ({"collect_tensor_freq": 0}, ValueError),
        ({"max_file_size": 0}, ValueError),
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
