"""The sources: columns, types, order, and files that are missing, damaged or changed."""

from __future__ import annotations

import importlib.util
import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.core import dtype as mstype
from tests.dataset import files
from tests.dataset.conftest import counted, rows

needs_pillow = pytest.mark.skipif(
    importlib.util.find_spec("PIL") is None, reason="decoding images needs Pillow"
)


# -- MNIST --------------------------------------------------------------------------------------


@pytest.mark.parametrize("zipped", [False, True])
def test_mnist_gives_images_with_a_channel_and_uint32_labels(tmp_path, zipped):
    images = files.mnist(tmp_path, "train", 5, zipped=zipped)
    files.mnist(tmp_path, "t10k", 3, zipped=zipped)
    data = ds.MnistDataset(str(tmp_path), "train", shuffle=False)
    assert data.output_shapes() == [[28, 28, 1], []]
    assert data.output_types() == [np.uint8, np.uint32]
    got = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    np.testing.assert_array_equal(np.stack(got)[..., 0], images)
    sizes = [len(ds.MnistDataset(str(tmp_path), usage)) for usage in ("train", "test", "all", None)]
    assert sizes == [5, 3, 8, 8] and data.num_classes() == 10


def test_mnist_takes_the_files_that_are_there_unless_a_usage_says_which(tmp_path):
    files.mnist(tmp_path, "t10k", 3)
    assert len(ds.FashionMnistDataset(str(tmp_path))) == 3
    with pytest.raises(RuntimeError, match=r"must hold train-images-idx3-ubyte, plain or .gz"):
        len(ds.FashionMnistDataset(str(tmp_path), "train"))


def test_the_real_mnist_has_its_sixty_thousand_images(shared_dir):
    data = ds.MnistDataset(str(shared_dir / "mnist"), "train", shuffle=False)
    assert len(data) == 60000
    (image, label), *_ = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert label == 5 and image.sum() == 27525  # the first digit of MNIST is a five


def test_files_of_mnist_must_fit_together(tmp_path):
    files.mnist(tmp_path, "train", 5)
    labels = tmp_path / "train-labels-idx1-ubyte"
    labels.write_bytes(files.idx(np.zeros(4, np.uint8)))
    with pytest.raises(RuntimeError, match=r"as many labels as .* has images, 5, got 4"):
        len(ds.MnistDataset(str(tmp_path), "train"))


def test_a_file_that_changed_is_read_again_and_one_that_vanished_is_reported(tmp_path):
    files.mnist(tmp_path, "train", 5)
    data = ds.MnistDataset(str(tmp_path), "train", shuffle=False)
    assert len(rows(data)[0]) == 5
    files.mnist(tmp_path, "train", 7)
    assert len(data.take(-1)) == 7 and len(rows(data)[0]) == 7
    (tmp_path / "train-images-idx3-ubyte").unlink()
    with pytest.raises(RuntimeError, match="must hold train-images-idx3-ubyte"):
        rows(data)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"dataset_dir": "nowhere"}, ValueError),
        ({"dataset_dir": 3}, TypeError),
        ({"dataset_dir": ""}, TypeError),
        ({"usage": "val"}, ValueError),
        ({"num_samples": -1}, ValueError),
        ({"num_parallel_workers": 0}, ValueError),
        ({"shuffle": 1}, TypeError),
        ({"num_shards": 2}, ValueError),
        ({"num_shards": 2, "shard_id": 2}, ValueError),
        ({"num_shards": 2, "shard_id": -1}, ValueError),
        ({"num_shards": 0, "shard_id": 0}, ValueError),
        ({"sampler": ds.RandomSampler(), "shuffle": True}, ValueError),
        ({"sampler": 3}, TypeError),
    ],
)
def test_sources_say_what_is_wrong_with_their_arguments(tmp_path, arguments, error):
    with pytest.raises(error):
        ds.MnistDataset(**{"dataset_dir": str(tmp_path)} | arguments)


# -- CIFAR --------------------------------------------------------------------------------------


def test_cifar_10_gives_images_and_uint32_labels(tmp_path):
    for i in range(1, 6):
        files.cifar_records(i, 1).tofile(tmp_path / f"data_batch_{i}.bin")
    test = files.cifar_records(4, 1)
    test.tofile(tmp_path / "test_batch.bin")
    sizes = [len(ds.Cifar10Dataset(str(tmp_path), u)) for u in ("train", "test", "all", None)]
    assert sizes == [15, 4, 19, 19]
    data = ds.Cifar10Dataset(str(tmp_path), "test", shuffle=False)
    assert data.output_shapes() == [[32, 32, 3], []]
    assert data.output_types() == [np.uint8, np.uint32]
    assert [label for _, label in rows(data)[0]] == test[:, 0].tolist()


def test_cifar_100_has_two_labels(tmp_path):
    records = files.cifar_records(4, 2, 20)
    records.tofile(tmp_path / "train.bin")
    data = ds.Cifar100Dataset(str(tmp_path), "train", shuffle=False)
    assert data.get_col_names() == ["image", "coarse_label", "fine_label"]
    assert [row[1:] for row in rows(data)[0]] == [tuple(r) for r in records[:, :2].tolist()]


def test_a_cifar_file_that_is_cut_short_is_refused(tmp_path):
    (tmp_path / "test_batch.bin").write_bytes(files.cifar_records(2, 1).tobytes()[:-1])
    with pytest.raises(RuntimeError, match="whole records of 3073 bytes, got 6145"):
        len(ds.Cifar10Dataset(str(tmp_path), "test"))
    with pytest.raises(RuntimeError, match=r"must hold data_batch_1.bin"):
        len(ds.Cifar10Dataset(str(tmp_path), "train"))


# -- arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "names", "first"),
    [
        ([[1, 2], [3, 4]], ["column_0"], [1, 2]),
        (([1, 2], [3.0, 4.0]), ["column_0", "column_1"], (1, 3.0)),
        ({"a": [1, 2], "b": ["x", "yy"]}, ["a", "b"], (1, "x")),
        (np.arange(6).reshape(2, 3), ["column_0"], [0, 1, 2]),
        ({"a": [np.zeros(1), np.zeros(2)]}, ["a"], [0.0]),
        ([1, 2.5], ["column_0"], 1.0),
    ],
)
def test_columns_of_arrays_lists_tuples_and_dicts(data, names, first):
    made = ds.NumpySlicesDataset(data, shuffle=False)
    assert made.get_col_names() == names and len(made) == 2
    assert rows(made)[0][0] == first


def test_a_csv_file_is_columns_of_numbers(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a,b,c\n1,2.5,x\n3,4.5,y\n")
    made = ds.NumpySlicesDataset(str(file), shuffle=False)
    assert made.output_types()[:2] == [np.int64, np.float64]
    assert rows(made) == [[(1, 2.5, "x"), (3, 4.5, "y")]]


@pytest.mark.parametrize(
    ("data", "names", "error"),
    [
        (3, None, TypeError),
        ({1, 2}, None, TypeError),
        ([], None, ValueError),
        ({"a": [1], "b": [1, 2]}, None, ValueError),
        (([1], [2]), ["a"], ValueError),
        ([1], [3], TypeError),
        ([object()], None, TypeError),
        ({"a": 3}, None, TypeError),
        ("no.csv", None, RuntimeError),
    ],
)
def test_numpy_slices_says_what_is_wrong_with_its_data(data, names, error):
    with pytest.raises(error):
        ds.NumpySlicesDataset(data, names)


def test_a_padded_dataset_fills_up_another_one():
    padding = ds.PaddedDataset([{"x": np.array(-1)}, {"x": np.array(-2)}])
    assert rows(counted(2) + padding) == [[0, 1, -1, -2]]
    for wrong, error in ((3, TypeError), ([], ValueError), ([{"a": 1}, {"b": 1}], ValueError)):
        with pytest.raises(error, match="PaddedDataset: "):
            ds.PaddedDataset(wrong)


# -- generators ---------------------------------------------------------------------------------


class Access:
    """Rows with random access."""

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return i, i * 0.5


class Restarting:
    """An iterator that starts again with each iter()."""

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        self.i += 1
        if self.i > 3:
            raise StopIteration
        return self.i


def test_a_generator_may_be_a_function_an_iterable_or_have_random_access():
    def numbers():
        yield from range(3)

    assert rows(ds.GeneratorDataset(numbers, "x"), passes=2) == [[0, 1, 2]] * 2
    assert rows(ds.GeneratorDataset(Restarting(), "x"), passes=2) == [[1, 2, 3]] * 2
    access = ds.GeneratorDataset(Access(), ["x", "y"], shuffle=False)
    assert rows(access) == [[(i, i * 0.5) for i in range(6)]]
    assert len(access) == 6 and len(ds.GeneratorDataset(numbers, "x")) == 3
    assert sorted(rows(ds.GeneratorDataset(Access(), ["x", "y"]))[0]) == rows(access)[0]


def test_a_generator_object_gives_its_rows_in_every_pass():
    data = ds.GeneratorDataset((i for i in range(3)), ["x"])
    assert rows(data, passes=2) == [[0, 1, 2]] * 2
    assert rows(data) == [[0, 1, 2]]


def test_an_endless_generator_is_cut_by_take():
    data = ds.GeneratorDataset(itertools.count, ["x"]).batch(2).take(3)
    assert rows(data) == [[[0, 1], [2, 3], [4, 5]]]


def test_a_generator_makes_no_more_rows_than_are_prepared_ahead():
    made = []

    def numbers():
        for i in itertools.count():
            made.append(i)
            yield i

    iterator = ds.GeneratorDataset(numbers, ["x"]).create_tuple_iterator()
    assert int(next(iterator)[0]) == 0
    iterator.close()
    assert len(made) < 20_000


@pytest.mark.parametrize("workers", [1, 3])
def test_samplers_and_shards_pick_rows_of_random_access(workers):
    made = {"num_parallel_workers": workers, "python_multiprocessing": False}
    picked = ds.GeneratorDataset(Access(), ["x", "y"], sampler=[4, 1], **made)
    assert [x for x, _ in rows(picked)[0]] == [4, 1]
    shards = [
        ds.GeneratorDataset(Access(), ["x", "y"], shuffle=False, num_shards=4, shard_id=i, **made)
        for i in range(4)
    ]
    assert [[x for x, _ in rows(s)[0]] for s in shards] == [[0, 4], [1, 5], [2, 0], [3, 1]]


def test_types_and_schema_are_checked_with_each_row():
    schema = ds.Schema()
    schema.add_column("x", mstype.int64, [])
    schema.add_column("y", "float64")
    assert len(rows(ds.GeneratorDataset(Access(), schema=schema))[0]) == 6
    types = ds.GeneratorDataset(Access(), ["x", "y"], [mstype.int64, mstype.float32], shuffle=False)
    with pytest.raises(RuntimeError, match=r"row 0.* column 'y' must be float32, .* got float64"):
        rows(types)
    schema = ds.Schema()
    schema.add_column("x", mstype.int64, [2])
    with pytest.raises(RuntimeError, match=r"must have shape \(2,\), as the schema says, got \(\)"):
        rows(ds.GeneratorDataset([1, 2], schema=schema))


@pytest.mark.parametrize(
    ("source", "arguments", "error"),
    [
        (5, {"column_names": ["x"]}, TypeError),
        ([1], {}, ValueError),
        ([1], {"column_names": []}, ValueError),
        ([1], {"column_names": ["x", "x"]}, ValueError),
        ([1], {"column_names": ["x"], "column_types": [mstype.int8] * 2}, ValueError),
        ([1], {"column_names": ["x"], "num_parallel_workers": 10000}, ValueError),
        ([1], {"column_names": ["x"], "max_rowsize": [1, 2, 3]}, ValueError),
        (range, {"column_names": ["x"], "sampler": ds.RandomSampler()}, ValueError),
        (iter([1]), {"column_names": ["x"], "num_shards": 2, "shard_id": 0}, ValueError),
        ([1], {"column_names": ["q"], "schema": "nowhere.json"}, RuntimeError),
    ],
)
def test_a_generator_says_what_is_wrong_with_its_arguments(source, arguments, error):
    with pytest.raises(error):
        ds.GeneratorDataset(source, **arguments)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (lambda: iter([(1, 2)]), r"must have 1 values, one for each of \['x'\], got 2"),
        (lambda: iter([None]), "got None"),
        (lambda: 3, "must give an iterator over rows, got 3"),
        (lambda: iter([1 / 0]), "ZeroDivisionError"),
        ([([1, [2]],)], "setting an array element with a sequence"),
    ],
)
def test_a_row_of_a_generator_that_is_none_is_reported(source, text):
    with pytest.raises(RuntimeError, match=f"GeneratorDataset: source failed on row 0.*{text}"):
        rows(ds.GeneratorDataset(source, ["x"]))


# -- text and CSV -------------------------------------------------------------------------------


def write(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


def test_lines_of_text_without_the_empty_ones(tmp_path):
    first = write(tmp_path / "a.txt", "hello\nworld ü\r\n\n  \nlast")
    write(tmp_path / "b.txt", "more\n")
    data = ds.TextFileDataset(first, shuffle=False)
    assert rows(data) == [["hello", "world ü", "  ", "last"]] and len(data) == 4
    both = ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=False, num_samples=5)
    assert rows(both)[0][4] == "more"


def test_shards_of_lines_have_equally_many(tmp_path):
    file = write(tmp_path / "a.txt", "0\n1\n2\n3\n4")
    shards = [ds.TextFileDataset(file, shuffle=False, num_shards=2, shard_id=i) for i in (0, 1)]
    assert [rows(s)[0] for s in shards] == [["0", "1", "2"], ["3", "4", "0"]]
    assert [len(s) for s in shards] == [3, 3]


def test_files_are_shuffled_as_wholes_or_with_their_lines(tmp_path):
    for name in "abcdefgh":
        write(tmp_path / f"{name}.txt", f"{name}0\n{name}1\n{name}2")
    whole = rows(ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=ds.Shuffle.FILES))[0]
    assert all(whole[i : i + 3] == [f"{whole[i][0]}{k}" for k in range(3)] for i in (0, 3, 21))
    mixed = ds.TextFileDataset(str(tmp_path / "*.txt"))
    assert sorted(rows(mixed)[0]) == sorted(whole) and rows(mixed)[0] != sorted(whole)


def test_csv_columns_are_strings_or_what_the_defaults_say(tmp_path):
    file = write(tmp_path / "a.csv", '1,2.5,x\n3,4.5,"y,\nz"\n')
    plain = ds.CSVDataset(file, column_names=["p", "q", "r"], shuffle=False)
    assert rows(plain) == [[("1", "2.5", "x"), ("3", "4.5", "y,\nz")]]
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
        (lambda f: ds.TextFileDataset(f, shuffle=ds.Shuffle.INFILE), ValueError),
        (lambda f: ds.CSVDataset(f, field_delim=",,"), ValueError),
        (lambda f: ds.CSVDataset(f, column_names=["a", "a"]), ValueError),
        (lambda f: ds.CSVDataset(f, column_names=["a"], column_defaults=[1, 2]), ValueError),
        (lambda f: ds.CSVDataset(f, column_names=["a"], column_defaults=[None]), TypeError),
        (lambda f: ds.CSVDataset(os.devnull), RuntimeError),
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
        data = ds.TFRecordDataset(pattern, None, ["label"], shuffle=False, **arguments)
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


def test_a_saved_dataset_is_read_again(tmp_path):
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
    data = ds.TFRecordDataset([f"{path}0", f"{path}1"], schema, shuffle=False)
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


# -- images -------------------------------------------------------------------------------------


@pytest.fixture
def pictures(tmp_path) -> Path:
    """Two classes with two files each that only look like images, and others."""
    for name in ("dog", "cat"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "notes.txt").write_text("no image")
        for i in range(2):
            (tmp_path / name / f"{i}.JPG").write_bytes(bytes([ord(name[0]), i]))
    return tmp_path


def test_an_image_folder_has_a_class_for_each_folder(pictures):
    data = ds.ImageFolderDataset(str(pictures), shuffle=False)
    assert rows(data) == [[([99, 0], 0), ([99, 1], 0), ([100, 0], 1), ([100, 1], 1)]]
    assert data.output_types() == [np.uint8, np.int32]
    assert data.get_class_indexing() == {"cat": 0, "dog": 1}
    assert data.batch(2).num_classes() == 2


def test_class_indexing_picks_folders_and_labels(pictures):
    data = ds.ImageFolderDataset(str(pictures), shuffle=False, class_indexing={"dog": 7})
    assert rows(data) == [[([100, 0], 7), ([100, 1], 7)]]
    with pytest.raises(
        RuntimeError, match=r"must name folders of dataset_dir, got 'dogs'. Did you"
    ):
        ds.ImageFolderDataset(str(pictures), class_indexing={"dogs": 0})
    with pytest.raises(RuntimeError, match="must hold folders with images"):
        ds.ImageFolderDataset(str(pictures), extensions=[".png"])


def test_an_image_that_vanishes_is_reported_with_its_name(pictures):
    data = ds.ImageFolderDataset(str(pictures), shuffle=False)
    (pictures / "cat" / "1.JPG").unlink()
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    with pytest.raises(RuntimeError, match=r"row 1 failed, the image .*1.JPG.*FileNotFoundError"):
        next(iterator)


@needs_pillow
def test_images_are_decoded_where_asked_for(tmp_path):
    from PIL import Image

    (tmp_path / "class").mkdir()
    pixels = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "class" / "0.png")
    (tmp_path / "class" / "1.png").write_bytes(b"no image at all")
    data = ds.ImageFolderDataset(str(tmp_path), shuffle=False, decode=True, num_parallel_workers=2)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(next(iterator)[0], pixels)
    with pytest.raises(RuntimeError, match=r"row 1 failed, the image .*1.png"):
        next(iterator)


def celeba(folder: Path, count: int = 3) -> None:
    names = [f"{i:06d}.jpg" for i in range(count)]
    header = " ".join(f"A{i}" for i in range(40))
    lines = [
        f"{n} " + " ".join(["1", "-1"][(i + j) % 2] for j in range(40)) for i, n in enumerate(names)
    ]
    (folder / "list_attr_celeba.txt").write_text("\n".join([str(count), header, *lines]))
    parts = [f"{n} {i}" for i, n in enumerate(names)]
    (folder / "list_eval_partition.txt").write_text("\n".join(parts))
    for i, n in enumerate(names):
        (folder / n).write_bytes(bytes([i]))


def test_celeba_gives_forty_attributes_and_parts(tmp_path):
    celeba(tmp_path)
    data = ds.CelebADataset(str(tmp_path), shuffle=False)
    assert data.output_types() == [np.uint8, np.uint32]
    assert rows(data)[0][1] == ([1], [0, 1] * 20)
    parts = [ds.CelebADataset(str(tmp_path), usage=u) for u in ("all", "train", "valid", "test")]
    assert [len(part) for part in parts] == [3, 1, 1, 1]
    (tmp_path / "list_attr_celeba.txt").write_text("3\nA B\n000000.jpg 1\n")
    with pytest.raises(RuntimeError, match=r"list_attr_celeba.txt must hold a count"):
        ds.CelebADataset(str(tmp_path))


# -- schema -------------------------------------------------------------------------------------


def test_a_schema_survives_json(tmp_path):
    schema = ds.Schema()
    schema.add_column("a", mstype.int64, [1, -1])
    schema.add_column("s", mstype.string)
    file = tmp_path / "schema.json"
    file.write_text(schema.to_json())
    again = ds.Schema(str(file))
    assert again.columns == schema.columns and str(again) == str(schema)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s.add_column("a", mstype.int8), ValueError),
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
