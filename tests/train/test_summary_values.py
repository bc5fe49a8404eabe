"""Arrays as a summary holds them: numbers of types, counts, pictures, sizes of files."""

from __future__ import annotations

import logging
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import Tensor, nn
from minispore.dataset.formats import tfrecord
from minispore.ir import dtype as mstype
from minispore.train import SummaryRecord
from minispore.train.summary import png, tensorboard
from minispore.train.summary.event_file import EventFile
from minispore.train.summary.values import arrange_images, count_bins, find_mismatch, make_value
from minispore.train.summary_pb2 import Event

# -- types -----------------------------------------------------------------------------------------

#: anf_ir.proto, enum DataType: DT_BOOL = 1, DT_INT8 = 2, ... DT_FLOAT64 = 12; DT_BFLOAT16 = 46.
NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
)  # fmt: skip
NUMBERS = {name: number for number, name in enumerate(NAMES, 1)} | {"bfloat16": 46}


@pytest.mark.parametrize(("name", "number"), NUMBERS.items())
def test_a_tensor_tells_its_type_by_mindspore_s_number(name: str, number: int) -> None:
    dtype = mstype.to_numpy(getattr(mstype, "bool_" if name == "bool" else name))
    assert make_value("tensor", "x", np.ones(2, dtype)).tensor.data_type == number


@pytest.mark.parametrize(
    ("plugin", "shape", "wrong"),
    [
        ("scalar", (), ""),
        ("scalar", (1, 1), ""),
        ("scalar", (2,), "hold one element"),
        ("scalar", (0,), "hold one element"),
        ("tensor", (1,), ""),
        ("tensor", (), "have at least 1 axis"),
        ("histogram", (0,), ""),
        ("image", (1, 1, 2, 2), ""),
        ("image", (1, 3, 2, 2), ""),
        ("image", (1, 2, 2, 2), "have 4 axes"),
        ("image", (1, 0, 2, 2), "have 4 axes"),
        ("image", (1, 4, 2, 2), "have 4 axes"),
        ("image", (3, 1, 2), "have 4 axes"),
        ("image", (1, 3, 2, 2, 1), "have 4 axes"),
        ("image", (0, 3, 2, 2), "have 4 axes"),
    ],
)
def test_each_plugin_accepts_only_its_shapes(plugin: str, shape: Any, wrong: str) -> None:
    assert find_mismatch(plugin, np.zeros(shape, np.float32)).startswith(wrong)
    assert bool(find_mismatch(plugin, np.zeros(shape, np.float32))) == bool(wrong)


# -- distributions ---------------------------------------------------------------------------------

numbers = st.lists(
    st.floats(-1e6, 1e6, width=32) | st.sampled_from([np.nan, np.inf, -np.inf]), max_size=40
)


@given(numbers=numbers)
def test_a_histogram_counts_each_value_once(numbers: list[float]) -> None:
    array = np.array(numbers, np.float32)
    output = make_value("histogram", "x", array).histogram
    assert output.count == array.size
    assert output.nan_count == sum(np.isnan(x) for x in numbers)
    assert output.pos_inf_count == numbers.count(np.inf)
    assert output.neg_inf_count == numbers.count(-np.inf)
    finite = array[np.isfinite(array)]
    assert sum(b.count for b in output.buckets) == finite.size
    if finite.size:
        assert (output.min, output.max) == (finite.min(), finite.max())
        assert output.sum == pytest.approx(float(finite.astype(np.float64).sum()))
        assert output.buckets[0].left <= output.min
        assert len(output.buckets) == count_bins(finite.size)


@given(numbers=numbers)
def test_tensorboard_s_distribution_counts_what_is_finite(numbers: list[float]) -> None:
    finite = [x for x in numbers if np.isfinite(x)]
    output = tensorboard.make_value("histogram", "x", np.array(numbers, np.float32)).histo
    assert output.num == sum(output.bucket) == len(finite)
    assert len(output.bucket) == len(output.bucket_limit) == count_bins(len(finite))
    assert output.sum == pytest.approx(sum(finite))
    assert output.sum_squares == pytest.approx(sum(x * x for x in finite))
    if finite:
        assert (output.min, output.max) == (min(finite), max(finite))
        assert output.bucket_limit[-1] == pytest.approx(
            max(finite) if min(finite) < max(finite) else max(finite) + 0.5
        )
    else:
        assert output.bucket_limit == [0.0]


@pytest.mark.parametrize(
    ("values", "kind"), [([True, False, True], np.bool_), ([1, 2, 4], np.int8), ([250], np.uint8)]
)
def test_a_histogram_of_whole_numbers_has_their_ends(values: Any, kind: Any) -> None:
    output = make_value("histogram", "x", np.array(values, kind)).histogram
    assert (output.min, output.max, output.sum) == (min(values), max(values), sum(values))
    assert sum(b.count for b in output.buckets) == len(values)


def test_the_number_of_buckets_is_mindspore_s() -> None:
    at = {0: 1, 1: 2, 5: 2, 6: 3, 10: 3, 11: 2, 19: 2, 20: 3, 889: 89, 890: 90, 10_000: 90}
    assert {n: count_bins(n) for n in at} == at


# -- pictures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "shape"), [(1, (2, 3)), (8, (2, 24)), (9, (4, 24)), (16, (4, 24)), (17, (6, 24))]
)
def test_a_row_has_eight_pictures_at_most(count: int, shape: tuple[int, int]) -> None:
    batch = np.arange(1, count + 1).reshape(-1, 1, 1, 1) * np.ones((1, 3, 2, 3))
    grid = arrange_images(batch)
    assert grid.shape == (*shape, 3)
    for k in range(count):
        row, column = divmod(k, 8)
        assert (grid[2 * row : 2 * row + 2, 3 * column : 3 * column + 3] == k + 1).all()


def test_channels_rows_and_columns_keep_their_places() -> None:
    array = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    assert np.array_equal(arrange_images(array), array[0].transpose(1, 2, 0))


@pytest.mark.parametrize(
    ("pixels", "shown"),
    [
        ([0.0, 0.5, 1.0], [0, 127, 255]),
        ([0.25, 0.5, 0.75], [63, 127, 191]),  # within [0, 1]: not stretched
        ([0.0, 1.0, 2.0], [0, 85, 170]),  # (x - low) * 255 / (high - low + 1)
        ([-1.0, 0.0, 1.0], [0, 85, 170]),
        ([-0.5, 0.0, 0.5], [0, 63, 127]),
        ([100.0, 101.0, 354.0], [0, 1, 254]),
        ([7.0, 7.0, 7.0], [0, 0, 0]),
        ([-3.0, -3.0, -3.0], [0, 0, 0]),
    ],
)
def test_pixels_become_bytes(pixels: list[float], shown: list[int]) -> None:
    image = make_value("image", "x", np.array(pixels, np.float32).reshape(1, 1, 1, 3)).image
    assert parts(image.encoded_image)[b"IDAT"] == bytes([0, *np.repeat(shown, 3)])
    assert (image.height, image.width, image.colorspace) == (1, 3, 3)


def parts(file: bytes) -> dict[bytes, bytes]:
    """The parts of a PNG file by kind, checked; the pixels unpacked."""
    assert file[:8] == bytes([137, 80, 78, 71, 13, 10, 26, 10])
    actual, at = {}, 8
    while at < len(file):
        (length,) = struct.unpack_from(">I", file, at)
        kind, data = file[at + 4 : at + 8], file[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", file, at + 8 + length)[0] == zlib.crc32(kind + data)
        actual[kind] = zlib.decompress(data) if kind == b"IDAT" else data
        at += 12 + length
    return actual


def test_a_png_file_is_as_the_standard_says() -> None:
    picture = np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
    actual = parts(png.encode_png(picture))
    assert list(actual) == [b"IHDR", b"IDAT", b"IEND"]
    # Width, height, 8 bits a sample, colour type 2 (RGB), deflate, no filters, not interlaced.
    assert actual[b"IHDR"] == struct.pack(">II", 3, 2) + bytes([8, 2, 0, 0, 0])
    assert actual[b"IDAT"] == b"\0" + bytes(range(9)) + b"\0" + bytes(range(9, 18))
    assert actual[b"IEND"] == b""


# -- TensorBoard's messages ------------------------------------------------------------------------


def test_tensorboard_values_name_the_plugin_of_each_kind() -> None:
    values = {
        "scalar": np.float32([0.5]),
        "image": np.ones((1, 3, 2, 4), np.float32),
        "histogram": np.ones(3),
        "tensor": np.ones(3),
        "text": "words",
    }
    outputs_by_name = {
        plugin: tensorboard.make_value(plugin, "x", value) for plugin, value in values.items()
    }
    values_by_name = {
        plugin: value.metadata.plugin_data.plugin_name for plugin, value in outputs_by_name.items()
    }
    assert values_by_name == {
        "scalar": "scalars",
        "image": "images",
        "histogram": "histograms",
        "tensor": "histograms",
        "text": "text",
    }
    text = outputs_by_name["text"].tensor
    assert (text.dtype, text.string_val) == (7, [b"words"])  # types.proto: DT_STRING
    assert [d.size for d in text.tensor_shape.dim] == [1]
    image = outputs_by_name["image"].image
    assert (image.height, image.width, image.colorspace) == (2, 4, 3)


def test_a_graph_says_which_version_of_tensorflow_reads_it() -> None:
    graph = tensorboard.Graph(
        node=[tensorboard.Operation(name="1", op_type="ReLU")]  # of the network itself
    )
    output = tensorboard.GraphDef.FromString(tensorboard.convert_graph(graph.SerializeToString()))
    assert output.versions.producer == 27
    assert [(n.name, n.op) for n in output.node] == [("1", "ReLU")]


# -- files -----------------------------------------------------------------------------------------


def scalars(path: str | Path) -> list[tuple[int, float]]:
    actual = [Event.FromString(data) for data in tfrecord.stream_records(Path(path), "")]
    return [(e.step, v.scalar_value) for e in actual for v in e.summary.value]


@pytest.mark.parametrize(("spare", "written"), [(0, 2), (-1, 1), (15, 2)])
def test_a_file_takes_what_fits_to_the_last_byte(tmp_path: Path, spare: int, written: int) -> None:
    event = Event(wall_time=1.0, step=3)
    each = len(event.SerializeToString()) + 16  # as tfrecord frames it
    file = EventFile(tmp_path / "a", 2 * each + spare)
    for _ in range(3):
        file.write(event)
    file.close()
    assert (tmp_path / "a").stat().st_size == written * each


def test_a_file_without_records_is_not_created(tmp_path: Path) -> None:
    file = EventFile(tmp_path / "a", None)
    file.flush()
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_event_file_is_appended_with_one_version_record(tmp_path: Path) -> None:
    for _ in range(2):
        file = EventFile(
            tmp_path / "a", None, lambda wall_time: Event(wall_time=wall_time, version="V")
        )
        file.write(Event(wall_time=1.0, step=3))
        file.flush()
        file.close()
        file.flush()  # of what is ended: nothing
    actual = [Event.FromString(data) for data in tfrecord.stream_records(tmp_path / "a", "")]
    assert [(e.version, e.step) for e in actual] == [("V", 0), ("", 3), ("", 3)]


@pytest.mark.parametrize("most", [-1, None])
def test_a_negative_size_is_none(tmp_path: Path, most: int | None, caplog: Any) -> None:
    with SummaryRecord(str(tmp_path), max_file_size=most) as record:
        for step in range(3):
            record.add_value("scalar", "x", Tensor(0.5))
            record.record(step)
    assert scalars(record.log_dir) == [(0, 0.5), (1, 0.5), (2, 0.5)]
    assert ("negative" in caplog.text) == (most == -1)


def test_a_size_of_nothing_lets_nothing_in(tmp_path: Path, caplog: Any) -> None:
    with SummaryRecord(str(tmp_path), max_file_size=0) as record:
        record.add_value("scalar", "x", Tensor(0.5))
        assert record.record(1)
    assert scalars(record.log_dir) == []
    assert "has reached max_file_size" in caplog.text


def test_a_value_is_recorded_only_once(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", Tensor(0.5))
        record.record(1)
        record.record(2)
    assert scalars(record.log_dir) == [(1, 0.5)]


def test_an_error_of_the_disk_is_logged(tmp_path: Path, monkeypatch: Any, caplog: Any) -> None:
    def full(*args: Any) -> None:
        raise OSError("no space left")

    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", Tensor(0.5))
        monkeypatch.setattr(tfrecord, "write_record", full)
        assert record.record(1)
    assert "SummaryRecord.record: no space left" in caplog.text


def test_a_closed_record_says_so_at_each_call(tmp_path: Path, caplog: Any) -> None:
    record = SummaryRecord(str(tmp_path))
    record.close()
    with caplog.at_level(logging.ERROR):
        assert record.record(1) is False
        assert caplog.messages == ["SummaryRecord.record: the record is closed."]
        record.flush()
    assert caplog.messages[1:] == ["SummaryRecord.flush: the record is closed."]


def test_only_tensors_are_exported(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        record.add_value("scalar", "a", Tensor(1.0))
        record.record(1)
        assert not list(tmp_path.glob("export_*"))
        for name in ("b", "c"):
            record.add_value("tensor", name, Tensor([1.0]))
        record.record(2)
    assert sorted(p.name for p in tmp_path.glob("export_*/tensor/*")) == ["b_2.npy", "c_2.npy"]


@pytest.mark.parametrize("options", [None, {}, {"tensor_format": None}])
def test_nothing_is_exported_by_default(tmp_path: Path, options: Any) -> None:
    with SummaryRecord(str(tmp_path), export_options=options) as record:
        record.add_value("tensor", "b", Tensor([1.0]))
        record.record(2)
    assert not list(tmp_path.glob("export_*"))


@pytest.mark.parametrize("name", ["a b", "", "-a", "a/b", "ä"])
def test_a_prefix_is_a_plain_word(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="file_prefix must be of letters"):
        SummaryRecord(str(tmp_path), file_prefix=name)


@pytest.mark.parametrize("folder", ["", "  ", None])
def test_a_record_needs_a_folder(folder: Any) -> None:
    with pytest.raises(TypeError, match="log_dir must be a path"):
        SummaryRecord(folder)


def test_summary_record_accepts_a_network_and_a_nested_folder(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path / "a" / "b"), network=nn.ReLU()) as record:
        record.add_value("scalar", "x", Tensor(0.5))
        record.record(1, train_network=nn.ReLU())
    assert scalars(record.log_dir) == [(1, 0.5)]
    assert Path(record.log_dir).parent == tmp_path / "a" / "b"


def test_a_landscape_is_a_message_as_it_is(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("landscape", "x", Event(version="of a landscape"))
        record.record(1)
    _, event = (
        Event.FromString(data) for data in tfrecord.stream_records(Path(record.log_dir), "")
    )
    (value,) = event.summary.value
    assert Event.FromString(value.loss_landscape).version == "of a landscape"
