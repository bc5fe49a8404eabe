"""The sources: columns, types, order, and files that are missing, damaged or changed."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.ir import dtype as mstype
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


def test_mnist_reads_the_existing_files_unless_usage_is_set(tmp_path):
    files.mnist(tmp_path, "t10k", 3)
    assert len(ds.FashionMnistDataset(str(tmp_path))) == 3
    with pytest.raises(RuntimeError, match=r"must hold train-images-idx3-ubyte, plain or .gz"):
        list(ds.FashionMnistDataset(str(tmp_path), "train"))


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


def test_a_changed_file_is_reread_and_a_missing_one_is_reported(tmp_path):
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
        ({"num_shards": 2}, RuntimeError),
        ({"num_shards": 2, "shard_id": 2}, ValueError),
        ({"num_shards": 2, "shard_id": -1}, ValueError),
        ({"num_shards": 0, "shard_id": 0}, ValueError),
        ({"sampler": ds.RandomSampler(), "shuffle": True}, RuntimeError),
        ({"sampler": "3"}, TypeError),
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
        list(ds.Cifar10Dataset(str(tmp_path), "train"))


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
    dataset = ds.NumpySlicesDataset(data, shuffle=False)
    assert dataset.get_col_names() == names and len(dataset) == 2
    assert rows(dataset)[0][0] == first


class Series:
    """What has elements and is neither list nor array, as a column of a DataFrame."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)


def test_a_column_of_a_dict_may_be_anything_with_elements():
    data = {"a": Series([1, 2]), "b": range(3, 5), "c": (c for c in "xy")}
    dataset = ds.NumpySlicesDataset(data, shuffle=False)
    rows = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [[column.item() for column in row] for row in rows] == [[1, 3, "x"], [2, 4, "y"]]


def test_a_csv_file_is_columns_of_numbers(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a,b,c\n1,2.5,x\n3,4.5,y\n")
    dataset = ds.NumpySlicesDataset(str(file), shuffle=False)
    assert dataset.output_types()[:2] == [np.int64, np.float64]
    assert rows(dataset) == [[(1, 2.5, "x"), (3, 4.5, "y")]]


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
        ([1j], None, TypeError),
        ({"a": {"b": [1]}}, None, TypeError),
        (np.zeros(2, complex), None, TypeError),
        (np.zeros(2, "M8[D]"), None, TypeError),
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


def test_a_generator_yields_no_more_rows_than_are_prefetched():
    outputs = []

    def numbers():
        for i in itertools.count():
            outputs.append(i)
            yield i

    iterator = ds.GeneratorDataset(numbers, ["x"]).create_tuple_iterator()
    assert int(next(iterator)[0]) == 0
    iterator.close()
    assert len(outputs) < 20_000


def test_a_closed_iterator_raises_another_error_than_an_exhausted_one():
    iterator = ds.NumpySlicesDataset([1, 2], ["x"]).create_tuple_iterator(num_epochs=-1)
    next(iterator)
    iterator.stop()
    with pytest.raises(AttributeError, match="TupleIterator: has been closed"):
        next(iterator)


def test_one_of_several_column_types_may_be_left_open():
    data = ds.GeneratorDataset([(np.int8(1), np.int16(2))], ["x", "y"], [None, np.int16])
    assert data.output_types() == [np.int8, np.int16]
    with pytest.raises(RuntimeError, match="column 'y' must be int16"):
        rows(ds.GeneratorDataset([(np.int8(1), np.int8(2))], ["x", "y"], [None, np.int16]))


def test_a_source_of_unknown_length_is_refused_when_its_rows_are_numbered():
    class Endless:
        def __getitem__(self, index):
            return index

    data = ds.GeneratorDataset(Endless(), ["x"])
    with pytest.raises(RuntimeError, match="'__len__' method is required"):
        data.get_dataset_size()


@pytest.mark.parametrize("workers", [1, 3])
def test_samplers_and_shards_pick_rows_of_random_access(workers):
    options = {"num_parallel_workers": workers, "python_multiprocessing": False}
    picked = ds.GeneratorDataset(Access(), ["x", "y"], sampler=[4, 1], **options)
    assert [x for x, _ in rows(picked)[0]] == [4, 1]
    shards = [
        ds.GeneratorDataset(
            Access(), ["x", "y"], shuffle=False, num_shards=4, shard_id=i, **options
        )
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


# -- images -------------------------------------------------------------------------------------


@pytest.fixture
def pictures(tmp_path) -> Path:
    """Two classes with two files each that only look like images."""
    for name in ("dog", "cat"):
        (tmp_path / name / "inner").mkdir(parents=True)
        for i in range(2):
            (tmp_path / name / f"{i}.JPG").write_bytes(bytes([ord(name[0]), i]))
    return tmp_path


def test_an_image_folder_has_a_class_for_each_folder(pictures):
    data = ds.ImageFolderDataset(str(pictures), shuffle=False)
    assert rows(data) == [[([99, 0], 0), ([99, 1], 0), ([100, 0], 1), ([100, 1], 1)]]
    assert data.output_types() == [np.uint8, np.int32]
    assert data.get_class_indexing() == {"cat": 0, "dog": 1}
    assert data.batch(2).num_classes() == 2
    one = ds.ImageFolderDataset(str(pictures), class_indexing={"dog": 7})
    rest = ds.PaddedDataset([{"image": np.zeros(1, np.uint8), "label": np.int32(1)}])
    for concatenated in (one + data, data + one, data + rest, rest + data):
        assert concatenated.num_classes() == 2
    assert (rest + rest).num_classes() is None


def test_of_an_image_folder_extensions_pick_files_and_without_them_all_count(pictures):
    (pictures / "cat" / "notes.txt").write_text("no image")
    for ends, count in (([".JPG"], 4), ([".txt"], 1), (None, 5), ([], 5), ([".JPG", ".txt"], 5)):
        data = ds.ImageFolderDataset(str(pictures), extensions=ends)
        assert data.get_dataset_size() == count
    for ends in ([".jpg"], ["JPG"]):  # exactly
        with pytest.raises(RuntimeError, match="must hold folders with images"):
            ds.ImageFolderDataset(str(pictures), extensions=ends)
    with pytest.raises(TypeError, match="extensions must be a list"):
        ds.ImageFolderDataset(str(pictures), extensions=".JPG")


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (None, "images, got none in {}. Give each class a folder."),
        ([], "images, got none in {}. Give each class a folder."),
        ([".png", ".bmp"], "images (.png, .bmp), got none in {}. Pass other extensions."),
    ],
)
def test_an_image_folder_without_images_names_the_extensions_if_there_are_any(tmp_path, ends, text):
    (tmp_path / "cat").mkdir()
    with pytest.raises(RuntimeError) as error:
        ds.ImageFolderDataset(str(tmp_path), extensions=ends)
    assert str(error.value).endswith(f" must hold folders with {text.format(tmp_path)}")


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
def test_decode_option_decodes_images(tmp_path):
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
    # Line by line the lists are of the same images, whatever their names are in the second.
    (tmp_path / "list_eval_partition.txt").write_text("a.jpeg 0\nb.jpeg 1\nb.jpeg 1\n")
    assert [len(ds.CelebADataset(str(tmp_path), usage=u)) for u in ("train", "valid")] == [1, 2]
    (tmp_path / "list_attr_celeba.txt").write_text("3\nA\na.JPG 1\nb.jpg 1\nc.JPG 1\n")
    for ends, count in ((".JPG", 2), (".jpg", 1)):  # exactly
        assert len(ds.CelebADataset(str(tmp_path), extensions=[ends])) == count
    with pytest.raises(RuntimeError, match="must hold images"):
        ds.CelebADataset(str(tmp_path), extensions=["JPG"])
    (tmp_path / "list_attr_celeba.txt").write_text("3\nA B\n000000.jpg 1\n")
    with pytest.raises(RuntimeError, match=r"list_attr_celeba.txt must hold a count"):
        ds.CelebADataset(str(tmp_path))


def test_files_without_a_row_are_refused_when_they_are_read(tmp_path):
    (tmp_path / "empty.txt").write_text("")
    data = ds.TextFileDataset(str(tmp_path / "empty.txt"))
    assert data.get_dataset_size() == 0
    with pytest.raises(RuntimeError, match="the files must hold a row"):
        rows(data)


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("GTZANDataset", RuntimeError),
        ("LibriTTSDataset", RuntimeError),
        ("CocoDataset", ValueError),
    ],
)
def test_sources_without_classes_refuse_a_sampler_of_classes(kind, error):
    assert getattr(ds, kind).no_classes_error is error
    source = getattr(ds, kind).__new__(getattr(ds, kind))
    with pytest.raises(error, match="sampler must not be a PKSampler"):
        source._init_over_table(None, None, None, None, ds.PKSampler(1), None, None)


def test_a_cache_is_one_also_of_rows_in_memory(tmp_path):
    files.mnist(tmp_path)
    with pytest.raises(TypeError, match="cache must be a DatasetCache"):
        ds.MnistDataset(str(tmp_path), cache=1)


def test_all_of_cifar_100_comes_in_the_order_of_the_names_of_its_files(tmp_path: Path) -> None:
    for name, coarse in (("train", 1), ("test", 2)):
        rows = np.full((2, 3074), coarse, np.uint8)
        rows.tofile(tmp_path / f"{name}.bin")
    rows = ds.Cifar100Dataset(str(tmp_path), "all", shuffle=False)
    seen = [int(r["coarse_label"]) for r in rows.create_dict_iterator(1, output_numpy=True)]
    assert seen == [2, 2, 1, 1]
