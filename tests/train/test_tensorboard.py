"""TensorBoard's own reader finds what a SummaryRecord wrote."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Tensor, nn
from minispore.train import Model, SummaryCollector, SummaryRecord
from minispore.train.summary.tensorboard import Graph, Operand, Operation

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its own parts
    accumulator: Any = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


@pytest.fixture
def seen(tmp_path: Path):
    """Record values by plugin and name, and give what TensorBoard reads."""

    def seen(step: int = 3, **values: tuple[str, Any]) -> Any:
        with SummaryRecord(str(tmp_path)) as record:
            for name, (plugin, value) in values.items():
                record.add_value(plugin, name, value)
            record.record(step)
        return read(tmp_path)

    return seen


def read(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return accumulator.EventAccumulator(str(folder)).Reload()


def test_a_scalar_comes_with_its_step(seen) -> None:
    (event,) = seen(step=7, loss=("scalar", Tensor(0.25))).Scalars("loss")
    assert (event.step, event.value) == (7, 0.25)


def test_a_tensor_and_a_histogram_come_as_distributions(seen) -> None:
    actual = seen(
        w=("histogram", Tensor([0.0, 1.0, 2.0, 3.0])), t=("tensor", Tensor([[1.0, np.inf]]))
    )
    value = actual.Histograms("w")[0].histogram_value
    assert (value.min, value.max, value.num, value.sum) == (0.0, 3.0, 4.0, 6.0)
    assert value.sum_squares == 14.0 and sum(value.bucket) == 4.0
    assert value.bucket_limit[-1] == 3.0
    assert actual.Histograms("t")[0].histogram_value.num == 1  # what is finite


def test_a_picture_has_its_size_and_is_a_png(seen) -> None:
    (event,) = seen(a=("image", Tensor(np.ones((1, 3, 4, 5), np.float32)))).Images("a")
    assert (event.height, event.width) == (4, 5)
    assert event.encoded_image_string.startswith(b"\x89PNG")


def test_a_text_can_be_read(seen) -> None:
    actual = seen(note=("text", "begun with a rate of 0.1"))
    assert actual.summary_metadata["note"].plugin_data.plugin_name == "text"
    assert actual.Tensors("note")[0].tensor_proto.string_val == [b"begun with a rate of 0.1"]


def test_a_graph_has_its_nodes_under_their_scopes(tmp_path: Path) -> None:
    graph = Graph(
        parameters=[Operand(name="x")],
        node=[Operation(name="1", op_type="ReLU", scope="net/relu", input=[Operand(name="x")])],
    ).SerializeToString()
    model = bytes([4 << 3 | 2, len(graph)]) + graph  # MindSpore's ModelProto, its field 4
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("graph", "net", model)
        record.record(1)
    nodes = read(tmp_path).Graph().node
    assert [(n.name, n.op, list(n.input)) for n in nodes] == [
        ("x", "Parameter", []),
        ("net/relu/1", "ReLU", ["x"]),
    ]


def test_a_training_with_a_collector_shows_its_loss_curve(tmp_path: Path) -> None:
    x = np.ones((8, 2), np.float32)
    data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(2)
    net = nn.Dense(2, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(2, data, SummaryCollector(str(tmp_path), collect_freq=1), dataset_sink_mode=False)
    text = read(tmp_path)
    (name,) = [tag for tag in text.Tags()["scalars"] if "loss" in tag]
    assert [event.step for event in text.Scalars(name)] == list(range(1, 9))


def test_a_text_that_is_none_is_refused(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path)) as record, pytest.raises(TypeError, match="value must be"):
        record.add_value("text", "note", 3)
