"""What is no regular file, and names that no file can have: refused by name, before anything."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import mindrecord as mr
from minispore import nn
from minispore.foundation import files
from minispore.train import LambdaCallback, Model, ModelCheckpoint, SummaryRecord

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX")


def first_row(data: ds.Dataset) -> Any:
    return next(iter(data))


def resume(path: str) -> None:
    data = ds.NumpySlicesDataset([np.ones(1, np.float32)], shuffle=False).batch(1)
    Model(nn.Dense(1, 1)).train(1, data, resume_from=path)


READERS: dict[str, Callable[[str], Any]] = {
    "a.ckpt": ms.load_checkpoint,
    "a.safetensors": lambda path: ms.load_checkpoint(path, format="safetensors"),
    "resumed.ckpt": resume,
    "a.mindir": ms.load,
    "proto.mindir": ms.load_mindir,
    "a.csv": lambda path: first_row(ds.CSVDataset(path, column_defaults=[""])),
    "a.txt": lambda path: first_row(ds.TextFileDataset(path)),
    "a.tfrecord": lambda path: first_row(ds.TFRecordDataset(path)),
    "a.mindrecord": ds.MindDataset,
    "b.mindrecord": mr.FileReader,
    "to_mr.csv": lambda path: mr.CsvToMR(path, f"{path}.mindrecord").transform(),
    "words.txt": ds.text.Vocab.from_file,
    "vectors.vec": ds.text.Vectors.from_file,
    "schema.json": ds.Schema,
    "settings.json": ds.config.load,
    "tree.json": lambda path: ds.deserialize(json_filepath=path),
    "print.data": ms.train.parse_print,
    "a.png": ds.vision.read_file,
    "b.png": ds.vision.read_image,
}


@posix
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_what_is_no_regular_file_is_refused_by_name(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if kind == "fifo":
        os.mkfifo(path)
        writer = os.open(path, os.O_RDWR)  # so that a reader would find an open pipe, and wait
    else:
        os.symlink("/dev/zero", path)
        writer = os.open(os.devnull, os.O_RDONLY)
    try:
        with pytest.raises((ValueError, RuntimeError), match=r"\w+: ") as caught:
            READERS[name](str(path))
    finally:
        os.close(writer)
    assert str(path) in str(caught.value) or "/dev/zero" in str(caught.value)


NAMES = {
    "NUL": "a\0b",
    "long name": "y" * 300,
    "long path": "/".join(["x" * 200] * 25),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_folder_that_can_not_be_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    folder = str(tmp_path / NAMES[kind])
    file = f"{folder}/a"
    for call in (
        lambda: ModelCheckpoint("net", folder),
        lambda: ms.save_checkpoint(nn.Dense(1, 1), file),
        lambda: SummaryRecord(folder),
        lambda: mr.FileWriter(file),
    ):
        with pytest.raises((ValueError, mr.ParamValueError), match=r"^\w+: \w+ must have "):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("prefix", ["p" * 300, "p" * 201, "a\0b"])
def test_a_prefix_that_can_not_be_is_refused_before_the_training(
    prefix: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="ModelCheckpoint: prefix must have no NUL"):
        ModelCheckpoint(prefix, str(tmp_path))


def test_the_longest_prefix_can_be_saved(tmp_path: Path) -> None:
    data = ds.NumpySlicesDataset([np.ones(1, np.float32)], shuffle=False).batch(1)
    saver = ModelCheckpoint("p" * 200, str(tmp_path))
    Model(nn.Dense(1, 1)).train(1, data, [saver, LambdaCallback()])
    assert (tmp_path / f"{'p' * 200}-1_1.ckpt").is_file()


@pytest.mark.parametrize("name", ["x" * 200 + "/" + "y" * 230 + "/" + "z" * 50, "\udcff/a"])
def test_a_mindrecord_that_can_have_no_index_is_refused_before_its_rows(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(mr.ParamValueError, match=r"FileWriter: file_name must (have|be UTF-8)"):
        mr.FileWriter(str(tmp_path / name))


def test_the_longest_mindrecord_can_be_written(tmp_path: Path) -> None:
    folder = tmp_path
    while len(str(folder)) < 360:
        folder = folder / ("x" * 40)
    folder.mkdir(parents=True)
    name = str(folder / ("z" * (469 - len(str(folder)))))
    writer = mr.FileWriter(name)
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": 1}])
    writer.commit()
    assert [row["x"] for row in mr.FileReader(name).get_next()] == [1]


def test_the_check_of_a_regular_file_lets_files_pass(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    assert files.check_regular_file(tmp_path / "a") == tmp_path / "a"
    with pytest.raises(FileNotFoundError):
        files.check_regular_file(tmp_path / "b")
