"""SummaryRecord: what is in the files it writes, and when."""

from __future__ import annotations

import io
import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import context, nn, ops
from minispore.core.tensor import Tensor
from minispore.dataset.formats import tfrecord
from minispore.foundation.protobuf.wire import encode_block
from minispore.ops.control import watch
from minispore.train import SummaryRecord
from minispore.train.lineage_pb2 import (
    EvaluationLineage,
    LineageEvent,
    TrainLineage,
    UserDefinedInfo,
)
from minispore.train.summary.summary_record import _get_summary_tensor_data
from minispore.train.summary.values import arrange_images, count_bins
from minispore.train.summary_pb2 import Event


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    assert SummaryRecord.count == 0
    assert watch.listeners == []


def events(path: Any, kind: Any = Event) -> list[Any]:
    return [kind.FromString(data) for data in tfrecord.stream_records(Path(path), "")]


def values(record: SummaryRecord) -> dict[str, Any]:
    """The values of the only step."""
    version, event = events(record.log_dir)
    assert version.version == "MindSpore.Event:1"
    return {value.tag: value for value in event.summary.value}


def recorded(folder: Path, plugin: str, array: Any, name: str = "x") -> Any:
    with SummaryRecord(str(folder)) as record:
        record.add_value(plugin, name, Tensor(array))
        assert record.record(7)
    return values(record)[name]


def test_a_scalar_is_where_mindspore_and_tensorboard_look_for_it(tmp_path) -> None:
    value = recorded(tmp_path, "scalar", [0.5])
    assert (value.scalar_value, value.simple_value) == (0.5, 0.5)


def test_a_step_has_its_number_and_time(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        for step in (3, 5):
            record.add_value("scalar", "loss", Tensor(1.0 * step))
            record.record(step)
    first, *steps = events(record.log_dir)
    assert [e.step for e in steps] == [3, 5]
    assert all(e.wall_time >= first.wall_time > 1.7e9 for e in steps)


def test_a_tensor_keeps_its_shape_and_type(tmp_path) -> None:
    tensor = recorded(tmp_path, "tensor", np.arange(6, dtype=np.int64).reshape(2, 3)).tensor
    assert (tensor.dims, tensor.data_type, tensor.float_data) == ([2, 3], 5, [0, 1, 2, 3, 4, 5])


def test_a_histogram_counts_what_is_finite_and_what_is_not(tmp_path) -> None:
    array = np.array([1, 2, 3, np.nan, np.inf, -np.inf, 5], np.float32)
    output = recorded(tmp_path, "histogram", array).histogram
    assert (output.min, output.max, output.sum, output.count) == (1, 5, 11, 7)
    assert (output.nan_count, output.pos_inf_count, output.neg_inf_count) == (1, 1, 1)
    assert [(b.left, b.width, b.count) for b in output.buckets] == [(1, 2, 2), (3, 2, 2)]


def test_a_histogram_of_equal_values_is_one_wide(tmp_path) -> None:
    output = recorded(tmp_path, "histogram", np.full(3, 2.0, np.float32)).histogram
    assert [(b.left, b.width, b.count) for b in output.buckets] == [(1.5, 0.5, 0), (2, 0.5, 3)]


def test_a_histogram_of_nothing_finite_has_no_buckets(tmp_path) -> None:
    output = recorded(tmp_path, "histogram", np.array([np.nan])).histogram
    assert (output.buckets, output.nan_count) == ([], 1)


def test_histograms_have_ten_values_a_bin_and_at_most_ninety_bins() -> None:
    assert [count_bins(n) for n in (1, 6, 11, 880, 881)] == [2, 3, 2, 89, 89]


def test_pictures_of_a_batch_stand_side_by_side_eight_in_a_row() -> None:
    batch = np.arange(9.0).reshape(9, 1, 1, 1) * np.ones((1, 1, 2, 3))
    grid = arrange_images(batch)
    assert grid.shape == (4, 24, 3)
    assert grid[0, ::3, 0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert grid[2, ::3, 2].tolist() == [8, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.0, 1.0, [0, 255]), (-2.0, 2.0, [0, 204]), (5.0, 5.0, [0, 0]), (0.0, 254.0, [0, 254])],
)
def test_a_picture_is_scaled_to_bytes(tmp_path, low, high, shown) -> None:
    array = np.array([low, high], np.float32).reshape(1, 1, 1, 2)
    image = recorded(tmp_path, "image", array).image
    assert (image.height, image.width, image.colorspace) == (1, 2, 3)
    png = image.encoded_image
    at = png.index(b"IDAT")
    line = zlib.decompress(png[at + 4 : at + 4 + int.from_bytes(png[at - 4 : at], "big")])
    assert list(line) == [0, *np.repeat(shown, 3)]  # no filter, then three bytes a pixel


def test_of_two_values_with_one_name_the_newest_counts(tmp_path, caplog) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", Tensor(1.0))
        record.add_value("tensor", "x", Tensor([1.0]))
        assert "added twice" not in caplog.text
        with caplog.at_level(logging.WARNING):
            record.add_value("scalar", "x", Tensor(2.0))
        record.record(1)
    assert [v.scalar_value for v in events(record.log_dir)[1].summary.value] == [2, 0]
    assert "added twice" in caplog.text


class Watched(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        ops.ScalarSummary()("mean", x.mean())
        ops.TensorSummary()("x", x)
        ops.HistogramSummary()("spread", x)
        ops.ImageSummary()("picture", x)
        return x


@pytest.mark.parametrize("mode", [0, 1])
def test_what_summary_ops_hand_out_is_recorded(mode, tmp_path) -> None:
    context.set_context(mode=mode)
    with SummaryRecord(str(tmp_path)) as record:
        Watched()(Tensor(np.ones((1, 3, 2, 2), np.float32)))
        record.record(1)
    actual = values(record)
    assert set(actual) == {"mean", "x", "spread", "picture"}
    assert actual["mean"].scalar_value == 1
    assert actual["x"].tensor.dims == [1, 3, 2, 2]


def test_what_is_handed_out_and_no_picture_is_left_out(tmp_path, caplog) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        Watched()(Tensor(np.ones((1, 2, 2, 2), np.float32)))
        record.record(1)
    assert set(values(record)) == {"mean", "x", "spread"}
    assert "image picture must have 4 axes (N, C, H, W), with 1 or 3 channels" in caplog.text


def test_in_eval_mode_summary_ops_are_not_recorded(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.set_mode("eval")
        Watched()(Tensor(np.ones((1, 3, 2, 2), np.float32)))
        record.set_mode("train")
        record.add_value("scalar", "other", Tensor(1.0))
        record.record(1)
    assert set(values(record)) == {"other"}


def test_a_filter_drops_plugins(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "a", Tensor(1.0))
        record.add_value("tensor", "b", Tensor([1.0]))
        record.record(1, plugin_filter=lambda plugin: plugin != "tensor")
        record.record(2)
    assert set(values(record)) == {"a"}


def test_lineage_is_written_to_a_separate_file(tmp_path) -> None:
    info = UserDefinedInfo()
    info.user_info.add(map_int32={"depth": -3})
    info.user_info.add(map_double={"rate": 0.5}, map_str={"who": "me"})
    info.map_dict = {"more": UserDefinedInfo(map_str={"a": ""})}
    train = TrainLineage()
    train.algorithm.network = "LeNet"
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("train_lineage", "a", train)
        record.add_value("eval_lineage", "b", EvaluationLineage(metric="{}"))
        record.add_value("custom_lineage_data", "c", info)
        record.record(1)
    assert not Path(record.log_dir).exists()
    (path,) = tmp_path.iterdir()
    assert path.name.endswith("_lineage")
    first, second, third = events(path, LineageEvent)
    assert first.train_lineage.algorithm.network == "LeNet"
    assert second.evaluation_lineage.metric == "{}"
    assert third.user_defined_info == info


def test_a_graph_is_the_graph_of_its_model(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value(
            "graph", "net", encode_block(2, b"domain") + encode_block(4, b"\x12\x03net")
        )
        record.record(1)
    _, event = events(record.log_dir)
    assert event.graph_def == b"\x12\x03net"


def test_a_file_ends_at_its_size(tmp_path) -> None:
    with SummaryRecord(str(tmp_path), max_file_size=200) as record:
        for step in range(50):
            record.add_value("scalar", "x", Tensor(1.0))
            assert record.record(step)
    assert 100 < Path(record.log_dir).stat().st_size <= 200


def test_tensors_are_exported_as_arrays(tmp_path) -> None:
    with SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        record.add_value("tensor", "a/b", Tensor([1.0, 2.0]))
        record.record(4)
    (path,) = tmp_path.glob("export_*/tensor/*.npy")
    assert path.name == "a%2Fb_4.npy"
    assert np.load(io.BytesIO(path.read_bytes())).tolist() == [1, 2]


def test_the_name_of_the_file_has_prefix_and_suffix(tmp_path) -> None:
    with SummaryRecord(str(tmp_path), file_prefix="a", file_suffix="b") as record:
        name = Path(record.log_dir).name
    assert name.startswith("a.out.events.summary.")
    assert name.endswith("b")


def test_flush_brings_all_to_the_disk(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", Tensor(1.0))
        record.record(1)
        record.flush()
        assert set(values(record)) == {"x"}


def test_a_closed_record_records_nothing(tmp_path, caplog) -> None:
    record = SummaryRecord(str(tmp_path))
    record.close()
    record.close()
    assert record.record(1) is False
    record.flush()
    assert "closed" in caplog.text
    with pytest.raises(ValueError, match="must be open"):
        record.__enter__()


def test_only_one_is_open(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)), pytest.raises(RuntimeError, match="only one"):
        SummaryRecord(str(tmp_path))


@pytest.mark.parametrize("loud", [False, True])
def test_a_disk_error_is_raised_only_with_raise_exception(tmp_path, loud, monkeypatch) -> None:
    def full(*args: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(tfrecord, "write_record", full)
    with SummaryRecord(str(tmp_path), raise_exception=loud) as record:
        record.add_value("scalar", "x", Tensor(1.0))
        if loud:
            with pytest.raises(OSError, match="no space"):
                record.record(1)
        else:
            assert record.record(1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"log_dir": 1}, TypeError),
        ({"file_prefix": 1}, TypeError),
        ({"file_prefix": "a/b"}, ValueError),
        ({"file_suffix": ""}, ValueError),
        ({"max_file_size": 1.5}, TypeError),
        ({"raise_exception": 1}, TypeError),
        ({"network": 1}, TypeError),
        ({"export_options": 1}, TypeError),
        ({"export_options": {"a": "npy"}}, ValueError),
        ({"export_options": {"tensor_format": "csv"}}, ValueError),
    ],
)
def test_arguments(tmp_path, options, error) -> None:
    with pytest.raises(error):
        SummaryRecord(**{"log_dir": str(tmp_path), **options})


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (("scalr", "x", Tensor(1.0)), ValueError),
        (("scalar", "", Tensor(1.0)), ValueError),
        (("scalar", "x", 1.0), TypeError),
        (("scalar", "x", Tensor([1.0, 2.0])), ValueError),
        (("tensor", "x", Tensor(1.0)), ValueError),
        (("image", "x", Tensor([1.0])), ValueError),
        (("tensor", "x", Tensor([1j])), ValueError),
        (("graph", "x", 1), TypeError),
        (("train_lineage", "x", UserDefinedInfo()), TypeError),
    ],
)
def test_values(tmp_path, value, error) -> None:
    with SummaryRecord(str(tmp_path)) as record, pytest.raises(error):
        record.add_value(*value)


def test_steps_and_modes_are_checked(tmp_path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        with pytest.raises(TypeError, match="step must be an int"):
            record.record(1.5)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="train_network"):
            record.record(1, train_network=3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="mode must be"):
            record.set_mode("test")


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_summary_tensor_data_is_returned_once(mode: int) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.tensor, self.scalar = ops.TensorSummary(), ops.ScalarSummary()

        def construct(self, x: Tensor) -> Tensor:
            self.tensor("x", x)
            self.scalar("sum", x.sum())
            self.tensor("x", x + 1)
            return x

    context.set_context(mode=mode)
    _get_summary_tensor_data()
    net = Net()
    for value in (1.0, 2.0):
        net(Tensor([value, value]))
    summary_tensor_data = _get_summary_tensor_data()
    assert {name: t.asnumpy().tolist() for name, t in summary_tensor_data.items()} == {
        "x[:Tensor]": [3.0, 3.0],
        "sum[:Scalar]": 4.0,
    }
    assert _get_summary_tensor_data() == {}
