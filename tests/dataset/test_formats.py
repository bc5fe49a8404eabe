"""The binary readers: what they read, and that no bytes whatever make them crash or take memory."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minispore.dataset.formats import cifar, idx, lines, tfrecord
from minispore.dataset.formats.crc32c import crc32c
from tests.dataset import files

damage = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert", "double"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 255),
    ),
    min_size=1,
    max_size=4,
)


def damaged(content: bytes, steps: list[tuple[str, float, int]]) -> bytes:
    """The content with bytes changed, lost, put in, or a stretch of it twice."""
    out = bytearray(content)
    for kind, where, value in steps:
        at = int(where * len(out))
        if kind == "flip" and out:
            out[at] ^= value or 1
        elif kind == "cut":
            del out[at : at + 1 + value]
        elif kind == "insert":
            out[at:at] = bytes([value]) * (1 + value % 9)
        elif kind == "double":
            out[at:at] = out[at : at + value]
    return bytes(out)


def read_or_refused(read, path: Path, content: bytes):
    """What the reader gives, None where it refuses; in no more memory than the file justifies."""
    path.write_bytes(content)
    tracemalloc.start()
    try:
        text = read(path)
    except (RuntimeError, ValueError) as refused:
        assert str(refused) and type(refused) is not UnicodeDecodeError
        text = None
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # A deflated byte can stand for a thousand; everything else is a small multiple.
    assert peak < 2_000_000 + 40 * len(content)
    return text


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("formats") / "file"


# -- CRC ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "crc"),
    [  # RFC 3720, appendix B.4
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
        (b"", 0),
    ],
)
def test_crc32c_gives_the_values_of_its_standard(data, crc):
    assert crc32c(data) == crc


@given(st.integers(0, 3000), st.integers(0, 2**32 - 1))
def test_crc32c_of_long_data_is_that_of_its_definition(size, seed):
    data = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8).tobytes()
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    assert crc32c(data) == state ^ 0xFFFFFFFF


# -- IDX ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("zipped", [False, True])
def test_an_idx_file_is_read_plain_or_zipped_whatever_its_name(path, zipped):
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    path.write_bytes(gzip.compress(files.idx(array)) if zipped else files.idx(array))
    np.testing.assert_array_equal(idx.read(path, 3), array)


@given(st.binary(max_size=200))
def test_idx_refuses_random_bytes(path, content):
    or_refused = read_or_refused(lambda p: idx.read(p, 1), path, content)
    assert or_refused is None or files.idx(or_refused) == content or content[:2] == b"\x1f\x8b"


@given(damage, st.booleans())
def test_idx_reads_a_damaged_file_right_or_refuses_it(path, steps, zipped):
    array = np.arange(120, dtype=np.uint8).reshape(5, 4, 6)
    content = files.idx(array)
    broken = damaged(gzip.compress(content) if zipped else content, steps)
    or_refused = read_or_refused(lambda p: idx.read(p, 3), path, broken)
    if or_refused is not None and not zipped:  # what it says is what is there
        assert files.idx(or_refused) == broken


def test_idx_with_an_enormous_size_asks_for_no_memory(path):
    content = bytes((0, 0, 8, 3)) + np.array([2**31, 2**31, 2**31], ">u4").tobytes() + bytes(100)
    assert read_or_refused(lambda p: idx.read(p, 3), path, content) is None


# -- CIFAR --------------------------------------------------------------------------------------


def test_a_cifar_record_is_a_label_and_three_planes(path):
    records = files.cifar_records(3, 1)
    records.tofile(path)
    images, labels = cifar.read(path, 1, (10,))
    assert labels[:, 0].tolist() == records[:, 0].tolist()
    assert images[1, 2, 3].tolist() == [records[1, 1 + p * 1024 + 2 * 32 + 3] for p in range(3)]


@given(damage)
def test_cifar_reads_a_damaged_file_right_or_refuses_it(path, steps):
    broken = damaged(files.cifar_records(3, 2, 20).tobytes(), steps)
    or_refused = read_or_refused(lambda p: cifar.read(p, 2, (20, 100)), path, broken)
    if or_refused is not None:
        images, labels = or_refused
        planes = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
        assert np.concatenate([labels, planes], axis=1).tobytes() == broken


# -- TFRecord -----------------------------------------------------------------------------------


def everything(path: Path, compression: str = "") -> list[tfrecord.Example]:
    """All Examples, by stream and, from a plain file, by index: the same."""
    streamed = [tfrecord.parse_example(data) for data in tfrecord.stream_records(path, compression)]
    if not compression:
        with path.open("rb") as file:
            places = tfrecord.index_records(path).tolist()
            indexed = [
                tfrecord.parse_example(tfrecord.read_record(path, file, *place)) for place in places
            ]
        assert str(indexed) == str(streamed)
    return streamed


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_a_tfrecord_file_reads_as_written(path, compression):
    path.write_bytes(files.records(4, compression))
    assert str(everything(path, compression)) == str(files.examples(4))


def test_lists_may_be_packed_or_not_and_unknown_fields_are_passed_over():
    packed = bytes.fromhex("0a0c 0a0a 0a0178 1205 1a03 0a0107")
    assert tfrecord.parse_example(packed)["x"].tolist() == [7]
    one_by_one = bytes.fromhex("0a0f 0a0d 0a0178 1208 1a04 0801 0802 4805")
    assert tfrecord.parse_example(one_by_one)["x"].tolist() == [1, 2]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_all_integers_survive(values):
    example = {"x": np.array(values, np.int64)}
    assert tfrecord.parse_example(tfrecord.serialise_example(example))["x"].tolist() == values


@given(st.binary(max_size=100))
def test_a_message_of_random_bytes_is_parsed_or_refused(content):
    try:
        tfrecord.parse_example(content)
    except tfrecord.DamagedFileError as refused:
        assert str(refused)


@given(damage)
def test_a_damaged_message_is_parsed_or_refused(steps):
    try:
        tfrecord.parse_example(damaged(tfrecord.serialise_example(files.examples(2)[1]), steps))
    except tfrecord.DamagedFileError as refused:
        assert str(refused)


@given(st.binary(max_size=100), st.sampled_from(["", "GZIP", "ZLIB"]))
def test_tfrecord_refuses_random_bytes(path, content, compression):
    assume(content)
    or_refused = read_or_refused(lambda p: everything(p, compression), path, content)
    assert not or_refused


@given(damage, st.sampled_from(["", "GZIP", "ZLIB"]))
def test_tfrecord_reads_whole_records_of_a_damaged_file_or_refuses_it(path, steps, compression):
    broken = damaged(files.records(3, compression), steps)
    or_refused = read_or_refused(lambda p: everything(p, compression), path, broken)
    references = {str(example) for example in files.examples(3)}
    assert or_refused is None or {str(example) for example in or_refused} <= references


def test_a_record_with_an_enormous_length_asks_for_no_memory(path):
    file = io.BytesIO()
    head = (2**60).to_bytes(8, "little")
    crc = crc32c(head)
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    file.write(head + masked.to_bytes(4, "little") + bytes(50))
    assert read_or_refused(everything, path, file.getvalue()) is None
    zipped = gzip.compress(file.getvalue())
    assert read_or_refused(lambda p: everything(p, "GZIP"), path, zipped) is None


def test_a_zlib_file_that_ends_early_is_refused(path):
    whole = zlib.compress(files.records(3))
    assert read_or_refused(lambda p: everything(p, "ZLIB"), path, whole[:-5]) is None


# -- lines --------------------------------------------------------------------------------------


@given(st.binary(max_size=300))
def test_lines_are_those_between_line_ends(path, content):
    path.write_bytes(content)
    places = lines.index_lines(path, quoted=False, keep_empty=True).tolist()
    expected = content.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert [content[start : start + length] for start, length in places] == expected


@given(st.lists(st.sampled_from([b"", b"\r", b"a", b"b\r"])), st.integers(1, 4))
def test_nonempty_lines_are_indexed_for_any_chunk_size(path, given, piece):
    path.write_bytes(b"\n".join(given))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_CHUNK_BYTES", piece)
        for bare, blank in ((False, (b"", b"\r")), (True, (b"",))):
            places = lines.index_lines(path, quoted=False, keep_returns=bare).tolist()
            contents = [path.read_bytes()[start : start + length] for start, length in places]
            assert contents == [line for line in given if line not in blank]


def test_line_ends_between_quotes_are_part_of_a_record(path):
    path.write_bytes(b'1,"a\nb"\n\n2,"c ""d"""\r\n3,e')
    places = lines.index_lines(path, quoted=True).tolist()
    content = path.read_bytes()
    results = [lines.decode_line(content[s : s + n], s).removesuffix("\r") for s, n in places]
    assert [lines.parse_csv_record(line, ",") for line in results] == [
        ["1", "a\nb"],
        ["2", 'c "d"'],
        ["3", "e"],
    ]


@given(st.lists(st.lists(st.text(max_size=5), min_size=2, max_size=2), min_size=1, max_size=5))
def test_csv_records_of_any_text_survive(path, records):
    import csv

    assume(not any("\0" in v or "\r" in v for r in records for v in r))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(records)
    content = path.read_bytes()
    results = [
        lines.parse_csv_record(lines.decode_line(content[s : s + n], s), ",")
        for s, n in lines.index_lines(path, quoted=True).tolist()
    ]
    assert results == records


@given(st.binary(max_size=200))
def test_csv_records_of_random_bytes_are_parsed_or_refused(path, content):
    path.write_bytes(content)
    for start, length in lines.index_lines(path, quoted=True).tolist():
        try:
            lines.parse_csv_record(lines.decode_line(content[start : start + length], start), ",")
        except ValueError as refused:
            assert str(refused)
