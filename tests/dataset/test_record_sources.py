"""Sources of lines and records: text, CSV, TFRecord, schemas."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import text
from minispore.ir import dtype as mstype
from tests.dataset import files
from tests.dataset.conftest import counted, rows

# -- text and CSV -------------------------------------------------------------------------------


def write(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


def test_lines_of_text_without_the_empty_ones(tmp_path):
    first = write(tmp_path / "a.txt", "hello\nworld ü\n\n  \nlast")
    write(tmp_path / "b.txt", "more\n")
    data = ds.TextFileDataset(first, shuffle=False)
    assert rows(data) == [["hello", "world ü", "  ", "last"]] and len(data) == 4
    both = ds.TextFileDataset(str(tmp_path / "*.txt"), 5, 1, shuffle=False)
    assert rows(both)[0][4] == "more"


def test_lines_end_at_line_feeds_and_keep_all_else_as_in_mindspore(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\r\n\r\n\n \n\rd")
    data = ds.TextFileDataset(str(path), shuffle=False)
    assert rows(data) == [["\ufeffa\r", "b\rc\r", "\r", " ", "\rd"]] and len(data) == 5
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\r\n")
    assert text.Vocab.from_file(str(path)).vocab() == {"\ufeffa\r": 0, "b\rc\r": 1}
    with ds.LineReader(str(path)) as lines:
        assert [lines[1], lines[2]] == ["\ufeffa", "b\rc"]


def test_a_return_ends_a_record_and_a_mark_of_the_byte_order_is_in_the_first_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4")
    messages = list(ds.CSVDataset(str(path), shuffle=False).create_dict_iterator(1, True))
    assert [{k: str(v) for k, v in row.items()} for row in messages] == [
        {"\ufeffa": "1", "b": "2"},
        {"\ufeffa": "3", "b": "4"},
    ]


def test_shards_of_lines_have_equally_many(tmp_path):
    file = write(tmp_path / "a.txt", "0\n1\n2\n3\n4")
    shards = [ds.TextFileDataset(file, None, 1, False, num_shards=2, shard_id=i) for i in (0, 1)]
    assert [rows(s)[0] for s in shards] == [["0", "1", "2"], ["3", "4", "0"]]
    assert [len(s) for s in shards] == [3, 3]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_shard_that_goes_round_in_a_file_reads_separated_values_in_one_go(tmp_path, workers):
    path = tmp_path / "train.tsv"
    path.write_text("sentence\tlabel\n" + "".join(f"{i}\t0\n" for i in range(5)))
    options = {"shuffle": False, "num_shards": 2, "shard_id": 1, "num_parallel_workers": workers}
    for data in (
        ds.CSVDataset(str(path), "\t", **options),
        ds.SST2Dataset(str(tmp_path), **options),
    ):
        (only,) = rows(data)
        assert [first for first, _ in only] == ["3", "4", "0"]
    numbers = tmp_path / "numbers"
    numbers.write_text("0\n1\n2\n3\n4\n")  # of lines, two workers take the parts in turn
    order = ["3", "4", "0"] if workers == 1 else ["3", "0", "4"]
    assert rows(ds.TextFileDataset(str(numbers), **options)) == [order]


def test_files_are_shuffled_as_wholes_or_with_their_lines(tmp_path):
    for name in "abcdefgh":
        write(tmp_path / f"{name}.txt", f"{name}0\n{name}1\n{name}2")
    whole = rows(ds.TextFileDataset(str(tmp_path / "*.txt"), None, 1, ds.Shuffle.FILES))[0]
    assert all(whole[i : i + 3] == [f"{whole[i][0]}{k}" for k in range(3)] for i in (0, 3, 21))
    mixed = ds.TextFileDataset(str(tmp_path / "*.txt"))
    assert sorted(rows(mixed)[0]) == sorted(whole) and rows(mixed)[0] != sorted(whole)


def test_csv_columns_are_strings_or_what_the_defaults_say(tmp_path):
    file = write(tmp_path / "a.csv", '1,2.5,x\n3,4.5,"y,\nz"\n')
    plain = ds.CSVDataset(file, column_names=["p", "q", "r"], shuffle=False)
    assert rows(plain) == [[("1", "2.5", "x"), ("3", "4.5", "y,\nz")]]
    comma = ds.CSVDataset(file, None, column_names=["p", "q", "r"], shuffle=False)
    assert rows(comma) == rows(plain)
    typed = ds.CSVDataset(
        file, column_names=["p", "q", "r"], column_defaults=[0, 0.0, ""], shuffle=False
    )
    assert typed.output_types()[:2] == [np.int32, np.float32]
    assert rows(typed) == [[(1, 2.5, "x"), (3, 4.5, "y,\nz")]]


def test_the_first_line_names_the_columns_of_all_files(tmp_path):
    write(tmp_path / "a.csv", "p;q\n1;2\n")
    write(tmp_path / "b.csv", "p;q\n3;4\n")
    data = ds.CSVDataset(str(tmp_path / "*.csv"), field_delim=";", shuffle=False)
    assert data.get_col_names() == ["p", "q"]
    assert rows(data) == [[("1", "2"), ("3", "4")]]
    write(tmp_path / "c.csv", "q;p\n5;6\n")
    with pytest.raises(RuntimeError, match=r"c.csv: must start with the names \['p', 'q'\]"):
        ds.CSVDataset(str(tmp_path / "*.csv"), field_delim=";")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("1,2\n3\n", r"row 1 failed, in the file .*a.csv.* must have 2 values, got 1"),
        ("1,2\nx,2\n", r"row 1 failed.* column 'p' must be int, .* got 'x'"),
        ("1,2\n,2\n", r"row 1 failed.* got ''"),
        ('1,2\n"3,2\n', r"row 1 failed.* must be CSV"),
        ("1,2\n99999999999,2\n", r"row 1 failed.* must be int"),
    ],
)
def test_a_csv_record_that_is_none_is_reported_with_file_and_row(tmp_path, content, text):
    file = write(tmp_path / "a.csv", content)
    data = ds.CSVDataset(file, column_names=["p", "q"], column_defaults=[0, 0], shuffle=False)
    iterator = data.create_tuple_iterator(num_epochs=1)
    assert int(next(iterator)[0]) == 1
    with pytest.raises(RuntimeError, match=text):
        next(iterator)


def test_text_that_is_no_utf_8_is_reported_with_its_row(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"fine\nbad \xff\n")
    with pytest.raises(RuntimeError, match=r"row 1 failed.* must be UTF-8"):
        rows(ds.TextFileDataset(str(tmp_path / "a.txt"), shuffle=False))


def test_a_file_that_shrinks_while_it_is_read_is_reported(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("".join(f"line {i}\n" for i in range(10000)))
    ds.config.set_debug_mode(True)
    iterator = ds.TextFileDataset(str(file), shuffle=False).create_tuple_iterator(num_epochs=1)
    next(iterator)
    os.truncate(file, 100)
    with pytest.raises(RuntimeError, match="must not become shorter while it is read"):
        list(iterator)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda f: ds.TextFileDataset("nowhere*.txt"), ValueError),
        (lambda f: ds.TextFileDataset([]), ValueError),
        (lambda f: ds.TextFileDataset(3), TypeError),
        (lambda f: ds.TextFileDataset(f, shuffle="x"), TypeError),
        (lambda f: ds.CSVDataset(f, field_delim=",,"), ValueError),
        (lambda f: ds.CSVDataset(f, column_names=["a", "a"]), ValueError),
        (lambda f: ds.CSVDataset(f, column_names=["a"], column_defaults=[1, 2]), ValueError),
        (lambda f: ds.CSVDataset(f, column_names=["a"], column_defaults=[None]), TypeError),
        (lambda f: ds.CSVDataset(os.devnull), ValueError),
        (lambda f: ds.CSVDataset(write(Path(f).with_name("empty.csv"), "")), RuntimeError),
        (lambda f: ds.TFRecordDataset(f, compression_type="RAR"), ValueError),
        (lambda f: ds.TFRecordDataset(f), RuntimeError),
        (lambda f: ds.TFRecordDataset(f, schema=3), TypeError),
    ],
)
def test_sources_of_files_say_what_is_wrong_with_their_arguments(tmp_path, make, error):
    file = write(tmp_path / "a.txt", "a,b\n1,2\n")
    with pytest.raises(error):
        make(file)


# -- TFRecord -----------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_features_become_columns_in_alphabetical_order(tmp_path, compression):
    (tmp_path / "a").write_bytes(files.records(3, compression))
    data = ds.TFRecordDataset(str(tmp_path / "a"), shuffle=False, compression_type=compression)
    assert data.get_col_names() == ["big", "image", "label", "names", "values"]
    assert data.output_types() == [np.int64, np.uint8, np.int64, np.uint8, np.float32]
    assert rows(data)[0][2] == ([-1, 2**40, 2], [0, 1, 2], [2], [97, 98, 99], [0, 2, 4])
    assert data.get_dataset_size() == 3
    shuffled = ds.TFRecordDataset(
        str(tmp_path / "a"), None, ["label"], compression_type=compression
    )
    assert sorted(rows(shuffled)[0]) == [[0], [1], [2]]


def test_a_schema_gives_types_and_shapes(tmp_path):
    (tmp_path / "a").write_bytes(files.records(3))
    schema = ds.Schema()
    schema.add_column("label", mstype.int32, [])
    schema.add_column("values", mstype.float32, [-1, 1])
    schema.add_column("names", mstype.string)
    data = ds.TFRecordDataset(str(tmp_path / "a"), schema, shuffle=False)
    assert rows(data)[0][1] == (1, [[0.0], [1.0], [2.0]], ["a", "bc"])
    assert data.output_types()[0] == np.int32
    only = ds.TFRecordDataset(str(tmp_path / "a"), schema, ["names", "label"], shuffle=False)
    assert rows(only)[0][0] == (["a", "bc"], 0)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (("values", mstype.int64), "feature 'values' must be int64, .* got float32"),
        (("image", mstype.float32), "feature 'image' must be float32, .* got bytes"),
        (("values", mstype.float32, [4]), r"must fill the shape \[4\]"),
        (("value", mstype.float32), "must have a feature 'value'. Did you mean 'values'"),
    ],
)
def test_a_record_that_does_not_fit_the_schema_is_reported(tmp_path, column, text):
    (tmp_path / "a").write_bytes(files.records(3))
    schema = ds.Schema()
    schema.add_column(*column)
    with pytest.raises(RuntimeError, match=f"row 0 failed, in the file .*{text}"):
        rows(ds.TFRecordDataset(str(tmp_path / "a"), schema, shuffle=False))


def test_shards_of_tfrecord_files_are_files_or_rows(tmp_path):
    for name, count in (("a", 3), ("b", 2)):
        (tmp_path / name).write_bytes(files.records(count))
    pattern = str(tmp_path / "*")

    def labels(**arguments):
        data = ds.TFRecordDataset(pattern, None, ["label"], None, 1, False, **arguments)
        return [label for (label,) in rows(data)[0]]

    assert [labels(num_shards=2, shard_id=i) for i in (0, 1)] == [[0, 1, 2], [0, 1]]
    equal = [labels(num_shards=2, shard_id=i, shard_equal_rows=True) for i in (0, 1)]
    assert equal == [[0, 1, 2], [0, 1, 0]]
    with pytest.raises(RuntimeError, match="at least num_shards=3 files, got 2"):
        labels(num_shards=3, shard_id=0)


def test_a_damaged_record_is_reported_and_those_before_it_arrive(tmp_path):
    content = bytearray(files.records(3))
    content[-10] ^= 1
    (tmp_path / "a").write_bytes(content)
    data = ds.TFRecordDataset(str(tmp_path / "a"), None, ["label"], shuffle=False)
    iterator = data.create_tuple_iterator(num_epochs=1)
    assert len([next(iterator) for _ in range(2)]) == 2
    with pytest.raises(RuntimeError, match=r"row 2 failed.* must match its checksum"):
        next(iterator)


def test_a_saved_tfrecord_dataset_reads_as_written(tmp_path):
    columns = {
        "i": np.arange(5, dtype=np.int32),
        "f": np.ones((5, 2), np.float32),
        "s": ["a", "b", "c", "dd", "e"],
        "b": np.array([True, False, True, True, False]),
    }
    path = str(tmp_path / "saved")
    ds.NumpySlicesDataset(columns, shuffle=False).save(path, 2, "tfrecord")
    assert sorted(os.listdir(tmp_path)) == ["saved0", "saved1"]
    schema = ds.Schema()
    for name, kind in (("i", "int32"), ("f", "float32"), ("s", "string"), ("b", "bool")):
        schema.add_column(name, kind)
    data = ds.TFRecordDataset([f"{path}0", f"{path}1"], schema, None, None, 1, shuffle=False)
    assert [row[0] for row in rows(data)[0]] == [[0], [2], [4], [1], [3]]
    assert rows(data)[0][3] == ([1], [1.0, 1.0], ["b"], [False])


def test_saving_a_row_that_fails_leaves_no_file(tmp_path):
    data = counted(5).map(lambda x: 1 // int(x - 3))
    with pytest.raises(RuntimeError, match="row 3"):
        data.save(str(tmp_path / "saved"), 1, "tfrecord")
    assert os.listdir(tmp_path) == []
    (tmp_path / "saved").write_text("mine")
    with pytest.raises(FileExistsError):
        counted(5).save(str(tmp_path / "saved"), 1, "tfrecord")
    assert (tmp_path / "saved").read_text() == "mine"


# -- schema -------------------------------------------------------------------------------------


def test_a_schema_survives_json(tmp_path):
    schema = ds.Schema()
    schema.add_column("a", mstype.int64, [1, -1])
    schema.add_column("s", mstype.string)
    file = tmp_path / "schema.json"
    file.write_text(schema.to_json())
    dataset = ds.Schema(str(file))
    assert dataset.columns == schema.columns and str(dataset) == str(schema)


def test_a_column_may_be_described_anew():
    schema = ds.Schema()
    schema.parse_columns([{"name": "a", "type": "int8"}, {"name": "b", "type": "int8"}])
    schema.parse_columns({"a": {"type": "int32", "shape": [3]}})
    assert list(schema.columns) == ["a", "b"]
    assert (schema.columns["a"].dtype, schema.columns["a"].shape) == (np.int32, (3,))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s.add_column(3, mstype.int8), TypeError),
        (lambda s: s.add_column("b", "int9"), TypeError),
        (lambda s: s.add_column("b", "int8", 3), TypeError),
        (lambda s: s.add_column("b", "int8", [-2]), ValueError),
        (lambda s: s.parse_columns(3), TypeError),
        (lambda s: s.parse_columns([{"name": "b"}]), RuntimeError),
        (lambda s: s.from_json({"columns": {}}), RuntimeError),
        (lambda s: s.from_json({"columns": {"b": {"type": "int8"}}, "numRows": -1}), RuntimeError),
        (lambda s: ds.Schema("nowhere.json"), RuntimeError),
    ],
)
def test_a_schema_says_what_is_wrong(call, error):
    schema = ds.Schema()
    schema.add_column("a", mstype.int8)
    with pytest.raises(error):
        call(schema)


def test_a_zipped_file_that_is_cut_short_is_refused(tmp_path):
    files.mnist(tmp_path, "train", 5, zipped=True)
    images = tmp_path / "train-images-idx3-ubyte.gz"
    images.write_bytes(images.read_bytes()[:-20])
    with pytest.raises(RuntimeError, match="must be a readable IDX file"):
        len(ds.MnistDataset(str(tmp_path), "train"))
