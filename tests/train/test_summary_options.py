"""What SummaryCollector takes and refuses, and where it finds the optimizer, as MindSpore's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import nn, ops
from minispore.core.tensor import Tensor
from minispore.train import Model, SummaryCollector
from minispore.train.callback.summary_collector import find_optimizer
from minispore.train.callback.summary_options import DEFAULTS, check_collect_options
from tests.train.nets import regression
from tests.train.test_summary_collector import lineage, steps


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match="summary_dir must be a folder"):
        SummaryCollector(str(tmp_path / "file"))
    with pytest.raises(ValueError, match="summary_dir must name a folder"):
        SummaryCollector("")


@pytest.mark.parametrize(
    ("landscape", "error", "text"),
    [
        ({"x": 1}, ValueError, "collect_landscape has no"),
        ({"landscape_size": None}, TypeError, "landscape_size"),
        ({"landscape_size": 2}, ValueError, "landscape_size"),
        ({"landscape_size": 256}, ValueError, "landscape_size"),
        ({"landscape_size": 3.0}, TypeError, "landscape_size"),
        ({"unit": 123}, TypeError, "unit"),
        ({"unit": "day"}, ValueError, "unit"),
        ({"create_landscape": 1}, TypeError, "create_landscape"),
        ({"create_landscape": {"train": 1}}, TypeError, "train"),
        ({"create_landscape": {"x": True}}, ValueError, "create_landscape has no"),
        ({"num_samples": True}, TypeError, "num_samples"),
        ({"intervals": None}, TypeError, "intervals"),
        ({"intervals": [1]}, TypeError, "an interval"),
        ({"intervals": [[1, 2]]}, ValueError, "an interval"),
        ({"intervals": [[1, 2, "3"]]}, TypeError, "an epoch of intervals"),
    ],
)
def test_options_of_a_landscape_are_checked(
    landscape: Any, error: Any, text: str, tmp_path: Path
) -> None:
    landscape = {"intervals": [], **landscape}
    with pytest.raises(error, match=rf"^SummaryCollector: {text}\b"):
        SummaryCollector(str(tmp_path), collect_specified_data={"collect_landscape": landscape})


@pytest.mark.parametrize(
    ("landscape", "text"), [(123, "collect_landscape"), ({"unit": "epoch"}, "intervals")]
)
def test_a_landscape_is_a_dict_that_names_its_intervals(
    landscape: Any, text: str, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match=f"^SummaryCollector: {text} must"):
        SummaryCollector(str(tmp_path), collect_specified_data={"collect_landscape": landscape})


EVERYTHING = {
    "landscape_size": 255,
    "unit": "epoch",
    "create_landscape": {"train": True, "result": False},
    "num_samples": 1,
    "intervals": [[1, 2, 3, 4]],
}


SMALLEST = {**EVERYTHING, "landscape_size": 3}


@pytest.mark.parametrize(
    "landscape", [None, {}, {"intervals": []}, {"intervals": [[1, 2, 3]]}, EVERYTHING, SMALLEST]
)
def test_collect_landscape_accepts_valid_options(landscape: Any, tmp_path: Path) -> None:
    SummaryCollector(str(tmp_path), collect_specified_data={"collect_landscape": landscape})


def test_a_name_that_is_no_text_and_a_bool_as_lineage_are_of_a_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a name in collect_specified_data must be a str"):
        SummaryCollector(str(tmp_path), collect_specified_data={5: True})
    with pytest.raises(TypeError, match="must map str to numbers and texts"):
        SummaryCollector(str(tmp_path), custom_lineage_data={"a": True})


def test_all_is_collected_by_default_but_a_landscape() -> None:
    on = ("metric", "graph", "train_lineage", "eval_lineage", "input_data", "dataset_graph")
    off = {"histogram_regular": None, "collect_landscape": None}
    output = check_collect_options("Collector", None, True)
    assert output == {f"collect_{name}": True for name in on} | off


@pytest.mark.parametrize(
    ("value", "keep", "expected"),
    [
        (None, False, {}),
        ({"collect_metric": False}, True, {**DEFAULTS, "collect_metric": False}),
        ({"collect_metric": True}, False, {"collect_metric": True}),
    ],
)
def test_collect_options_override_the_retained_defaults(
    value: Any, keep: bool, expected: dict[str, Any]
) -> None:
    assert check_collect_options("Collector", value, keep) == expected


class Step(nn.Cell):
    """A training step of its own, which holds its optimizer."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Dense(3, 1)
        self.optimizer = nn.Momentum([self.net.weight], 0.25, 0.9)
        self.step = ops.value_and_grad(self.loss, None, self.optimizer.parameters)

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        return ((self.net(x) - y) ** 2).mean()

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss, gradients = self.step(x, y)
        self.optimizer(gradients)
        return loss


def test_lineage_reads_the_optimizer_from_the_train_network(tmp_path: Path) -> None:
    Model(Step()).train(1, regression(1), SummaryCollector(str(tmp_path)))
    (train,) = [e.train_lineage for e in lineage(tmp_path) if e.train_lineage is not None]
    assert train.hyper_parameters.optimizer == "Momentum"
    assert np.float32(train.hyper_parameters.learning_rate) == 0.25


def test_distributions_are_those_of_what_the_optimizer_changes(tmp_path: Path) -> None:
    step = Step()
    Model(step).train(1, regression(1), SummaryCollector(str(tmp_path)))
    seen = [name for name in steps(tmp_path)[1] if name != "loss/auto"]
    assert seen == [f"{step.net.weight.name}/auto"]


def test_a_network_without_optimizer_has_no_distributions(tmp_path: Path) -> None:
    class Params(dict[str, Any]):
        __getattr__ = dict.__getitem__

    assert (
        find_optimizer(Params(optimizer=None, mode="train", train_network=nn.Dense(2, 1))) is None
    )
