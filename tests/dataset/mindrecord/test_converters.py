"""Other data sets as MindRecord files."""

from __future__ import annotations

import os
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from minispore import mindrecord as mr
from minispore.dataset.formats import tfrecord
from minispore.dataset.mindrecord import images
from tests.dataset import files
from tests.dataset.mindrecord.conftest import read

FixedLenFeature = namedtuple("FixedLenFeature", ["shape", "dtype"])


@pytest.fixture
def raw_images(monkeypatch):
    """Images stay as they are: no Pillow is needed."""
    monkeypatch.setattr(images, "encode_jpeg", lambda image, quality: image.ravel())


def cifar(folder: Path, names: list[str], labels: tuple[int, ...]) -> np.ndarray:
    """Batches of two images, the labels of the second one higher by one; all pixels."""
    pixels = np.random.default_rng(0).integers(0, 256, (len(names), 2, 3072)).astype(np.uint8)
    for name, data in zip(names, pixels):
        records = [bytes(v + i for v in labels) + image.tobytes() for i, image in enumerate(data)]
        (folder / name).write_bytes(b"".join(records))
    return pixels


def test_cifar10_becomes_a_file_for_training_and_one_for_testing(tmp_path, raw_images):
    names = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
    pixels = cifar(tmp_path, names, (3,))
    out = str(tmp_path / "out")
    assert mr.Cifar10ToMR(str(tmp_path), out).transform() is mr.SUCCESS
    train, test = read(out), read(f"{out}_test")
    assert [row["id"] for row in train] == list(range(10)) and len(test) == 2
    assert [row["label"] for row in test] == [3, 4]
    # Planes of one colour each become pixels of three colours.
    whole = pixels[5][1].reshape(3, 32, 32).transpose(1, 2, 0)
    assert test[1]["data"] == whole.tobytes()


def test_cifar100_has_two_labels_and_the_index_fields_are_chosen(tmp_path, raw_images):
    cifar(tmp_path, ["train.bin", "test.bin"], (7, 50))
    out = str(tmp_path / "out")
    mr.Cifar100ToMR(str(tmp_path), out).run(["fine_label"])
    rows = read(out)
    assert list(rows[0]) == ["coarse_label", "fine_label", "id", "data"]
    assert [(row["coarse_label"], row["fine_label"]) for row in rows] == [(7, 50), (8, 51)]
    assert mr.MindPage(out).candidate_fields == ["fine_label"]
    with pytest.raises(ValueError, match="fields must be a list"):
        mr.Cifar100ToMR(str(tmp_path), out).transform("fine_label")


def test_a_batch_that_is_missing_or_wrong_leaves_no_file(tmp_path, raw_images):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(mr.PathNotExistsError, match=r"test\.bin"):
        cifar(tmp_path, ["train.bin"], (7, 50))
        mr.Cifar100ToMR(str(tmp_path), str(out / "f")).transform()
    (tmp_path / "test.bin").write_bytes(b"short")
    with pytest.raises(RuntimeError, match=r"test\.bin: must hold whole records of 3074 bytes"):
        mr.Cifar100ToMR(str(tmp_path), str(out / "f")).transform()
    assert os.listdir(out) == []


def test_the_python_version_of_cifar_is_refused_with_the_way_out(tmp_path):
    for name in ("train", "test"):
        (tmp_path / name).write_bytes(b"a pickle")
    with pytest.raises(mr.PathNotExistsError, match="Download the binary version"):
        mr.Cifar100ToMR(str(tmp_path), str(tmp_path / "out")).transform()


def test_mnist_becomes_two_sets(tmp_path, raw_images):
    pixels = files.mnist(tmp_path, "train", 5, zipped=True)
    files.mnist(tmp_path, "t10k", 3, zipped=True)
    mr.MnistToMR(str(tmp_path), str(tmp_path / "m"), 2).transform()
    train = read(str(tmp_path / "m_train.mindrecord0"))
    assert [row["label"] for row in train] == [0, 1, 2, 3, 4]
    assert train[2]["data"] == pixels[2].tobytes()
    assert len(read(str(tmp_path / "m_test.mindrecord1"))) == 3


def test_images_become_jpeg(tmp_path):
    pytest.importorskip("PIL")
    files.mnist(tmp_path, "train", 1, zipped=True)
    files.mnist(tmp_path, "t10k", 1, zipped=True)
    mr.MnistToMR(str(tmp_path), str(tmp_path / "m")).transform()
    assert read(str(tmp_path / "m_train.mindrecord"))[0]["data"][:3] == b"\xff\xd8\xff"


def test_folders_of_images_become_one_file_as_they_are(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        for i in range(2):
            (tmp_path / name / f"{i}.JPEG").write_bytes(name.encode() + bytes([i]))
    (tmp_path / "map").write_text("dog 0\ncat 7\n")
    out = str(tmp_path / "out")
    mr.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), out).transform()
    text = read(out)
    assert [(row["label"], row["image"]) for row in text] == [
        (0, b"dog\0"),
        (0, b"dog\1"),
        (7, b"cat\0"),
        (7, b"cat\1"),
    ]
    assert text[0]["file_name"] == str(tmp_path / "dog" / "0.JPEG")
    (tmp_path / "map").write_text("dog zero\n")
    with pytest.raises(RuntimeError, match="got 'dog zero' in line 1"):
        mr.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), f"{out}2").transform()


def test_columns_of_a_csv_file_get_the_type_of_their_values(tmp_path):
    (tmp_path / "t.csv").write_text('age,name,rate,empty\n23,J,0.5,\n-4,"K, L",,\n')
    out = str(tmp_path / "out")
    mr.CsvToMR(str(tmp_path / "t.csv"), out).transform()
    first, second = read(out)
    assert first == {"age": 23, "empty": "", "name": "J", "rate": 0.5}
    assert second["name"] == "K, L" and np.isnan(second["rate"])
    mr.CsvToMR(str(tmp_path / "t.csv"), f"{out}2", ["name"], 2).transform()
    assert read(f"{out}20") == [{"name": "J"}, {"name": "K, L"}]
    with pytest.raises(RuntimeError, match=r"got 'nam'\. Did you mean"):
        mr.CsvToMR(str(tmp_path / "t.csv"), f"{out}3", ["nam"]).transform()


@pytest.mark.parametrize("content", ["a,b\n1\n", "", "a b\n1\n"])
def test_a_csv_file_that_is_no_table_is_refused(tmp_path, content):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(RuntimeError, match="must"):
        mr.CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "out")).transform()
    assert os.listdir(tmp_path) == ["t.csv"]


FEATURES = {
    "image/raw": FixedLenFeature([], "string"),
    "name": FixedLenFeature([1], "string"),
    "label": FixedLenFeature([], "int64"),
    "box": FixedLenFeature([4], "float32"),
}


def records(path: Path, **changed) -> str:
    example = {
        "image/raw": [b"\xff\0"],
        "name": ["é".encode()],
        "label": np.array([3]),
        "box": np.array([0, 1, 2, 3], np.float32),
    } | changed
    with path.open("wb") as file:
        tfrecord.write_record(file, tfrecord.serialise_example(example))
    return str(path)


def test_features_of_a_tfrecord_file_become_fields(tmp_path):
    out = str(tmp_path / "out")
    mr.TFRecordToMR(records(tmp_path / "t"), out, FEATURES, ["image/raw"]).transform()
    (actual,) = read(out)
    assert actual.pop("box").tolist() == [0, 1, 2, 3]
    assert actual == {"image_raw": b"\xff\0", "name": "é", "label": 3}


@pytest.mark.parametrize(
    "changed",
    [
        {"label": np.array([1, 2])},
        {"label": np.array([0.5], np.float32)},
        {"box": np.zeros(3, np.float32)},
        {"name": [b"\xff"]},
        {"name": [b"a", b"b"]},
        {"label": [b"3"]},
    ],
)
def test_a_record_that_does_not_fit_the_features_is_refused(tmp_path, changed):
    source = records(tmp_path / "t", **changed)
    with pytest.raises(RuntimeError, match="as feature_dict says, it is not in record 0"):
        mr.TFRecordToMR(source, str(tmp_path / "out"), FEATURES, ["image/raw"]).transform()
    assert os.listdir(tmp_path) == ["t"]


@pytest.mark.parametrize(
    "arguments",
    [
        (3, "out", FEATURES),
        ("t", "", FEATURES),
        ("t", "out", {}),
        ("t", "out", FEATURES, ["nothing"]),
        ("t", "out", FEATURES, ["label"]),
        ("t", "out", FEATURES, "name"),
        ("t", "out", {"x": 3}),
        ("t", "out", {"x": FixedLenFeature([2, 2], "int64")}),
        ("t", "out", {"x": FixedLenFeature([2], "string")}),
        ("t", "out", {"x": FixedLenFeature([], "int8")}),
    ],
)
def test_arguments_of_a_tfrecord_converter_are_checked(arguments):
    with pytest.raises(ValueError, match=r"TFRecordToMR: .*must"):
        mr.TFRecordToMR(*arguments)


@pytest.mark.parametrize(
    "make",
    [
        lambda: mr.Cifar10ToMR(1, "out"),
        lambda: mr.CsvToMR("t", "out", "name"),
        lambda: mr.CsvToMR("t", "out", None, "2"),
        lambda: mr.ImageNetToMR("map", None, "out"),
        lambda: mr.MnistToMR("m", "out", True),
    ],
)
def test_arguments_of_converters_are_checked(make):
    with pytest.raises(ValueError, match="must be"):
        make()


def test_converters_name_a_missing_source(tmp_path):
    nowhere, out = str(tmp_path / "nowhere"), str(tmp_path / "out")
    for output in (
        mr.Cifar10ToMR(nowhere, out),
        mr.CsvToMR(nowhere, out),
        mr.ImageNetToMR(nowhere, nowhere, out),
        mr.MnistToMR(nowhere, out),
        mr.TFRecordToMR(nowhere, out, FEATURES),
    ):
        with pytest.raises(mr.PathNotExistsError, match="nowhere"):
            output.transform()
    assert os.listdir(tmp_path) == []
