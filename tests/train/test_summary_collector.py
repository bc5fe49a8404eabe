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
from minispore.train import (
    LambdaCallback,
    Model,
    ModelCheckpoint,
    SummaryCollector,
    SummaryRecord,
)
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.callback.summary_collector import (
    _choose_tensor_steps,
    _compute_mean_loss,
)
from minispore.train.lineage_pb2 import LineageEvent
from minispore.train.summary_pb2 import Event
from tests.train.nets import GRAPH, PYNATIVE, dense, numbers, regression, trainer


def steps(folder: Path) -> dict[int, dict[str, Any]]:
    """The values of each step that was recorded, by name."""
    (path,) = folder.glob("*_MS")
    actual = [Event.FromString(data) for data in tfrecord.stream_records(path, "")]
    return {e.step: {v.tag: v for v in e.summary.value} for e in actual if e.summary.value}


def lineage(folder: Path) -> list[Any]:
    (path,) = folder.glob("*_lineage")
    return [LineageEvent.FromString(data) for data in tfrecord.stream_records(path, "")]


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
        def construct(self, x: Tensor, y: Tensor) -> Tensor:
            return x.mean() + y.mean()

    columns = np.ones((2, 3, 4, 5), np.float32), np.ones((2, 3, 6, 6), np.float32)
    data = NumpySlicesDataset(columns, ["x", "y"], shuffle=False).batch(2)
    Model(Mean()).train(1, data, SummaryCollector(str(tmp_path)))
    image = steps(tmp_path)[1]["input_data/auto"].image
    assert (image.height, image.width) == (4, 10)


def test_lineage_records_network_optimizer_data_and_checkpoint(tmp_path) -> None:
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


def test_what_an_evaluation_hands_out_is_of_no_step(tmp_path) -> None:
    model = Model(Watched(), eval_network=Watched(), eval_indexes=None, metrics={"loss"})
    model.eval(numbers(2, shuffle=False), SummaryCollector(str(tmp_path)))
    assert not list(tmp_path.glob("*_MS"))  # nothing was recorded
    assert len(lineage(tmp_path)) == 1


def test_a_training_and_an_evaluation_share_a_folder(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path))
    model = trainer(metrics={"mse"})
    model.train(1, regression(1), collector)
    model.eval(regression(1), collector)
    actual = [
        LineageEvent.FromString(data)
        for path in sorted(tmp_path.glob("*_lineage"))
        for data in tfrecord.stream_records(path, "")
    ]
    assert actual[0].train_lineage.algorithm.network == "Dense"
    assert "mse" in actual[1].evaluation_lineage.metric


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


def test_collect_tensor_freq_applies_only_to_tensors(tmp_path) -> None:
    collector = SummaryCollector(str(tmp_path), collect_freq=2, collect_tensor_freq=3)
    Model(Watched()).train(3, numbers(2, shuffle=False), collector)
    assert {s: "x" in r for s, r in steps(tmp_path).items()} == {
        1: True,
        2: False,
        3: True,
        4: False,
        6: True,
    }


def test_with_sink_tensors_are_collected_by_the_epoch(tmp_path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    collector = SummaryCollector(str(tmp_path), collect_freq=2)
    Model(Watched()).train(4, numbers(3, shuffle=False), collector, dataset_sink_mode=True)
    assert {s: "x" in r for s, r in steps(tmp_path).items()} == {3: True, 6: True, 12: True}


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
    inputs = {"summary_dir": str(tmp_path), **options}
    if error is None:
        SummaryCollector(**inputs)
        return
    with pytest.raises(error):
        SummaryCollector(**inputs)


def test_what_an_epoch_collected_is_on_the_disk_when_it_ends(tmp_path) -> None:
    seen: list[list[int]] = []
    look = LambdaCallback(on_train_epoch_end=lambda c: seen.append(list(steps(tmp_path))))
    collector = SummaryCollector(str(tmp_path), collect_freq=2)
    trainer().train(2, regression(2), [collector, look])
    assert seen == [[1, 2], [1, 2, 4]]


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [False, True])
def test_what_is_handed_out_between_steps_is_of_none(mode: int, sink: bool, tmp_path) -> None:
    class SummaryNet(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.net = dense()

        def construct(self, x: Tensor) -> Tensor:
            ops.ScalarSummary()("in step" if self.training else "in evaluation", x.mean())
            return self.net(x)

    context.set_context(mode=mode, device_target="Ascend")
    collector = SummaryCollector(str(tmp_path), collect_freq=1)
    trainer(SummaryNet(), metrics={"mse"}).fit(
        2, regression(1), regression(1), callbacks=collector, dataset_sink_mode=sink
    )
    actual = steps(tmp_path)
    assert list(actual) == [1, 2]
    assert all("in step" in record and "in evaluation" not in record for record in actual.values())


# -- when ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "freq", "value", "expected"),
    [
        (7, 3, None, [0, 3, 6]),
        (6, 3, None, [0, 3, 6]),
        (190, 10, None, list(range(0, 191, 10))),  # twenty times: as often as all else
        (200, 10, None, list(range(0, 191, 10))),  # more: every steps // 19, twenty times
        (399, 20, None, list(range(0, 400, 20))),  # the last one at which it is twenty times
        (1000, 10, None, list(range(0, 989, 52))),
        (38, 1, None, list(range(0, 39, 2))),
        (37, 1, None, list(range(21))),  # too few for that: the first twenty
        (20, 1, None, list(range(21))),
        (19, 1, None, list(range(20))),
        (10, 1, 4, [0, 4, 8]),
        (8, 9, 4, [0, 4, 8]),
    ],
)
def test_tensors_are_collected_about_twenty_times(
    steps: int, freq: int, value: int | None, expected: list[int]
) -> None:
    assert list(_choose_tensor_steps(steps, freq, value)) == expected


@pytest.mark.parametrize(("sink", "units"), [(False, 60), (True, 30)])
def test_how_often_tensors_are_collected_is_counted_in_steps_or_in_sinks(
    sink: bool, units: int, tmp_path: Path
) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    collector = SummaryCollector(str(tmp_path), collect_freq=1)
    trainer().train(30, regression(2), collector, dataset_sink_mode=sink)
    assert collector._tensor_steps == _choose_tensor_steps(units, 1, None)


@pytest.mark.parametrize(("sink", "expected"), [(False, [1, 2, 4, 6, 8]), (True, [4, 8])])
def test_every_nth_and_the_first_are_recorded(
    sink: bool, expected: list[int], tmp_path: Path
) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    collector = SummaryCollector(str(tmp_path), collect_freq=2)
    trainer().train(2, regression(4), collector, dataset_sink_mode=sink)
    assert list(steps(tmp_path)) == expected


def test_a_reused_summary_collector_restarts_its_steps(tmp_path: Path) -> None:
    collector = SummaryCollector(str(tmp_path / "a"), collect_freq=100)
    for _ in range(2):
        trainer().train(1, regression(2), collector)
    results = [
        event.step
        for path in (tmp_path / "a").glob("*_MS")
        for event in (Event.FromString(data) for data in tfrecord.stream_records(path, ""))
        if event.summary.value
    ]
    assert results == [1, 1]


# -- what ------------------------------------------------------------------------------------------


def test_five_parameters_are_watched_unless_a_pattern_says_which(tmp_path: Path) -> None:
    net = nn.SequentialCell(*[nn.Dense(3, 3) for _ in range(4)], nn.Dense(3, 1))
    for pattern, count in ((None, 5), (r".*\.bias$", 5), (r"[01]\.", 4), ("$^", 0)):
        folder = tmp_path / str(count) / str(pattern)[:2].strip(".")
        options = {"collect_specified_data": {"histogram_regular": pattern}}
        trainer(net).train(1, regression(1), SummaryCollector(str(folder), **options))
        assert sum("loss" not in name for name in steps(folder)[1]) == count


@pytest.mark.parametrize("keep", [False, True])
def test_switches_are_as_they_are_set_or_as_all_are(keep: bool, tmp_path: Path) -> None:
    for name, printed in (("collect_metric", "loss/auto"), ("collect_train_lineage", None)):
        for value in (False, True):
            folder = tmp_path / f"{name}{value}"
            collector = SummaryCollector(
                str(folder),
                collect_specified_data={name: value},
                keep_default_action=keep,
                custom_lineage_data={"a": 1},
            )
            trainer().train(1, regression(1), collector)
            if printed:
                actual = steps(folder)[1] if list(folder.glob("*_MS")) else {}
                assert (printed in actual) == value
                assert ("weight/auto" in actual) == keep
            else:
                assert len(lineage(folder)) == 1 + value


def test_images_are_left_out_when_collect_input_data_is_off(tmp_path: Path) -> None:
    class Mean(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x.mean()

    data = NumpySlicesDataset(np.ones((2, 3, 4, 5), np.float32), ["x"], shuffle=False).batch(2)
    options = {"collect_specified_data": {"collect_input_data": False}}
    Model(Mean()).train(1, data, SummaryCollector(str(tmp_path), **options))
    assert set(steps(tmp_path)[1]) == {"loss/auto"}


def test_inputs_that_are_no_images_are_reported_once(tmp_path: Path, caplog: Any) -> None:
    with caplog.at_level("INFO", "minispore.train"):
        trainer().train(1, regression(3), SummaryCollector(str(tmp_path), collect_freq=1))
    assert caplog.text.count("the inputs are no pictures") == 1


@pytest.mark.parametrize(
    ("outputs", "loss"),
    [
        (Tensor([1.0, 3.0]), 2.0),
        ((Tensor([1.0, 2.0]), Tensor(9.0)), 1.5),
        ([Tensor(3)], 3.0),
        (2, 2.0),
        (0.5, 0.5),
        ((), None),
        ("text", None),
        (None, None),
    ],
)
def test_the_loss_is_the_mean_of_the_first_output(outputs: Any, loss: float | None) -> None:
    assert _compute_mean_loss(InternalCallbackParam(net_outputs=outputs)) == loss


def test_a_loss_of_one_step_is_that_of_the_step(tmp_path: Path) -> None:
    seen: list[float] = []
    note = LambdaCallback(
        on_train_step_end=lambda c: seen.append(float(c.original_args().net_outputs.asnumpy()))
    )
    collector = SummaryCollector(str(tmp_path), collect_freq=1)
    trainer().train(1, regression(3), [note, collector])
    assert [r["loss/auto"].scalar_value for r in steps(tmp_path).values()] == seen


@pytest.mark.parametrize("wrong", [{1: 2}, {"a": None}, {"a": (1,)}])
def test_custom_lineage_maps_names_to_numbers_and_texts(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="custom_lineage_data must map str to numbers and texts"):
        SummaryCollector(str(tmp_path), custom_lineage_data=wrong)


@pytest.mark.parametrize(
    "options",
    [
        {"collect_freq": 1},
        {"collect_tensor_freq": 1},
        {"max_file_size": 1},
        {"collect_specified_data": {"histogram_regular": None}},
        {"collect_specified_data": {"collect_landscape": {"intervals": [[1, 2, 3]]}}},
        {"collect_specified_data": None, "custom_lineage_data": None},
    ],
)
def test_summary_collector_accepts_minimal_options(options: Any, tmp_path: Path) -> None:
    SummaryCollector(str(tmp_path / "a" / "b"), **options)
    SummaryCollector(str(tmp_path / "a" / "b"))  # the folder is there


def test_a_misspelled_collect_option_suggests_the_right_name() -> None:
    with pytest.raises(ValueError, match="Did you mean 'collect_metric'"):
        SummaryCollector("unused", collect_specified_data={"collect_metrics": True})
    assert not Path("unused").exists()
