"""Records in a notebook and as pictures."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import nn
from minispore.device import Shapes, estimate, memory_report
from minispore.train import History, Model, explain_schedule

PNG, SVG = b"\x89PNG", b"<?xml"


@pytest.fixture
def model() -> Model:
    net = nn.Dense(2, 3, weight_init="ones", bias_init="zeros")
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    metrics = {"acc": nn.Accuracy(), "f1": nn.F1()}
    return Model(net, loss, nn.SGD(net.trainable_params(), 0.0), metrics=metrics)


def data() -> ds.Dataset:
    x, y = np.ones((8, 2), np.float32), np.arange(8, dtype=np.int32) % 3
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)


@pytest.fixture
def history(model: Model) -> History:
    stored = History()
    model.fit(3, data(), data(), callbacks=stored)
    return stored


def test_history_values_are_python_numbers(history: History) -> None:
    kinds = {name: type(values[0]) for name, values in history.history.items()}
    assert kinds == {"net_output": float, "acc": float, "f1": np.ndarray}


def test_metrics_are_python_floats(model: Model) -> None:
    assert type(model.eval(data())["acc"]) is float


def test_a_history_prints_an_epoch_a_row(history: History) -> None:
    head, *rows = str(history).splitlines()
    assert head.split()[:3] == ["epoch", "loss", "acc"]
    assert [row.split()[:3] for row in rows] == [[str(k), "1.09861", "0.375"] for k in (1, 2, 3)]


def test_a_history_without_an_epoch_says_so() -> None:
    assert str(History()) == "History: no epoch yet"


def test_a_model_prints_its_parts(model: Model) -> None:
    assert str(model) == (
        "Model of Dense: 2 parameters, 9 numbers\n"
        "loss       SoftmaxCrossEntropyWithLogits\n"
        "optimizer  SGD\n"
        "metrics    acc, f1"
    )


@pytest.fixture
def records(model: Model, history: History) -> dict[str, Any]:
    batches = Shapes([((4, 2), np.float32), ((4,), np.int32)], size=2)
    return {
        "schedule": explain_schedule(2, 3, device_target="Ascend"),
        "estimate": estimate(model, batches),
        "memory": memory_report(model, batches),
        "model": model,
        "history": history,
    }


@pytest.mark.parametrize("name", ["schedule", "estimate", "memory", "model", "history"])
def test_a_notebook_shows_what_print_prints(records: dict[str, Any], name: str) -> None:
    printed = records[name]._repr_html_()
    assert printed.startswith("<pre>") and printed.endswith("</pre>")
    assert str(records[name]).splitlines()[0].split()[0] in printed


@pytest.mark.parametrize("name", ["history", "estimate"])
@pytest.mark.parametrize(("ending", "begins"), [("png", PNG), ("svg", SVG)])
def test_a_plot_is_written_by_the_ending_of_its_name(
    records: dict[str, Any], name: str, ending: str, begins: bytes, tmp_path: Path
) -> None:
    path = tmp_path / f"chart.{ending}"
    records[name].plot(path)
    assert path.read_bytes().startswith(begins)


def test_a_history_plots_each_number_on_separate_axes(history: History) -> None:
    samples = history.plot().axes
    assert [axes.get_ylabel() for axes in samples] == ["loss", "acc"]
    assert samples[1].lines[0].get_ydata().tolist() == [0.375] * 3


def test_an_estimate_draws_a_bar_a_way_as_long_as_its_step(records: dict[str, Any]) -> None:
    guess = records["estimate"]
    bars = guess.plot().axes[0].patches
    ends = [max(b.get_x() + b.get_width() for b in bars[way::4]) for way in range(4)]
    assert ends == pytest.approx([p.step_us / 1e3 for p in guess])


def test_an_unknown_ending_is_refused_before_anything_is_written(
    history: History, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"History.plot: path must end in one of .*png"):
        history.plot(tmp_path / "chart.doc")
    assert not list(tmp_path.iterdir())


def test_nothing_to_draw_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="Train first"):
        History().plot()


def test_without_matplotlib_one_line_names_the_extra(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"History.plot: needs matplotlib.*'minispore\[plot\]'"):
        history.plot()


def read_table(html: str) -> tuple[str, list[list[str]]]:
    """Return the caption and the rows of cells of an HTML table."""
    caption, *rows = re.split("<tr>", html)
    cells = [re.findall("<t[dh]>(.*?)</t[dh]>", row) for row in rows]
    return re.sub("<.*?>", "", caption), cells


def test_a_notebook_shows_a_matrix_as_a_table() -> None:
    x = ms.Parameter(ms.Tensor([[0.5, -2.0], [1e-7, 3.0]]), name="x")
    caption, rows = read_table(x._repr_html_())
    assert caption == "Parameter, Float32, (2, 2)"
    assert rows == [["0.5", "-2"], ["1e-07", "3"]]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8", "bool_", "complex64"])
def test_a_notebook_shows_a_vector_of_any_dtype_as_one_row(dtype: str) -> None:
    one = {"bool_": "True", "complex64": "1+0j"}.get(dtype, "1")
    assert read_table(ms.Tensor([1, 1], getattr(ms, dtype))._repr_html_())[1] == [[one, one]]


def test_a_notebook_shows_both_ends_of_a_long_axis() -> None:
    _, rows = read_table(ms.Tensor(np.arange(22).reshape(11, 2))._repr_html_())
    assert [row[0] for row in rows] == ["0", "2", "4", "6", "8", "…", "12", "14", "16", "18", "20"]


@pytest.mark.parametrize("value", [2.0, np.zeros((1, 1, 2)), np.zeros((0, 2))])
def test_a_notebook_shows_other_tensors_as_print_does(value: Any) -> None:
    x = ms.Tensor(value)
    assert x._repr_html_() == f"<pre>{x!r}</pre>"


def test_a_notebook_shows_the_layers_of_a_cell_and_their_parameters() -> None:
    net = nn.SequentialCell(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.Dense(6, 2))
    net[0].weight.requires_grad = False
    caption, rows = read_table(net._repr_html_())
    assert caption == "SequentialCell: 164 numbers in 3 parameters, 14 of them trainable"
    assert rows == [
        ["layer", "class", "parameters"],
        ["(the Cell itself)", "SequentialCell", ""],
        ["0", "Conv2d", "weight (6, 1, 5, 5)"],
        ["1", "ReLU", ""],
        ["2", "Dense", "weight (2, 6), bias (2,)"],
    ]


def test_a_notebook_shows_a_pipeline_without_reading_a_row() -> None:
    def fail() -> Any:
        raise AssertionError("a row was read")

    rows = ds.GeneratorDataset(fail, ["x"]).map(lambda x: (x, x), "x", ["x", "y"]).batch(4)
    both = ds.zip((rows, ds.NumpySlicesDataset({"z": [1]}).shuffle(2)))
    assert read_table(both._repr_html_())[1] == [
        ["operation", "columns"],
        ["GeneratorDataset", "x"],
        ["map(&lt;lambda&gt;)", "x, y"],
        ["batch(4)", "x, y"],
        ["NumpySlicesDataset", "z"],
        ["shuffle", "z"],
        ["zip", "x, y, z"],
    ]
