"""Image data sets to MindRecord files. All images but ImageNet's become JPEG: needs Pillow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats import cifar, idx
from minispore.dataset.formats.mindrecord.exceptions import PathNotExistsError
from minispore.dataset.mindrecord.converter import (
    SUCCESS,
    Converter,
    MSRStatus,
    partitions,
    path_of,
    there,
    write,
    writers,
)
from minispore.dataset.mindrecord.writer import FileWriter
from minispore.dataset.vision.decode import encode_jpeg

_QUALITY = 95  # of JPEG images


class _CifarToMR(Converter):
    """Base of the two: batches to ``destination`` and ``destination + "_test"``."""

    _train: tuple[str, ...]
    _test: str
    _labels: tuple[str, ...]  # fields, in the order in which each image's bytes come
    _classes: tuple[int, ...]  # how many there are of each
    _fields: tuple[str, ...]  # the same fields in the order of the schema

    def __init__(self, source: str, destination: str) -> None:
        op = type(self).__name__
        self.source = path_of(op, "source", source)
        self.destination = str(path_of(op, "destination", destination))

    def transform(self, fields: list[str] | None = None) -> MSRStatus:
        """Write the files.

        Args:
            fields (list[str], optional): the index fields. Default: ``None``, all but the images.

        Returns:
            ``SUCCESS``.

        Raises:
            ValueError: ``fields`` is no list.
            PathNotExistsError: a batch is not there.
            MRMOpenError: a file is there already.
            RuntimeError: a batch is damaged.
        """
        op = type(self).__name__
        if fields is not None and not isinstance(fields, list):
            raise ValueError(f"{op}: fields must be a list or None, got {fields!r}.")
        train = [self._batch(name) for name in self._train]
        test = [self._batch(self._test)]
        schema: dict[str, Any] = {"id": {"type": "int64"}}
        schema |= {name: {"type": "int64"} for name in self._fields}
        schema["data"] = {"type": "bytes"}
        made = FileWriter(self.destination), FileWriter(f"{self.destination}_test")
        with writers(*made):
            for writer, batches, kind in zip(made, (train, test), ("img_train", "img_test")):
                write(writer, schema, kind, fields, self._rows(batches))
        return SUCCESS

    def run(self, fields: list[str] | None = None) -> MSRStatus:
        """The same as :meth:`transform`."""
        return self.transform(fields)

    def _batch(self, name: str) -> Path:
        op, path = type(self).__name__, self.source / name
        if not path.exists() and path.with_suffix("").is_file():
            raise PathNotExistsError(
                f"{op}: source must hold the binary version of CIFAR, {name!r}, got the Python "
                "version, whose pickles can run any code. Download the binary version."
            )
        return there(op, "source", path)

    def _rows(self, batches: list[Path]) -> Iterator[dict[str, Any]]:
        number = 0
        for path in batches:
            images, labels = cifar.read(path, len(self._labels), self._classes)
            for image, values in zip(images, labels.tolist()):
                row = dict(zip(self._labels, values), id=number, data=_jpeg(image))
                yield {name: row[name] for name in ("id", "data", *self._fields)}
                number += 1


class Cifar10ToMR(_CifarToMR):
    """CIFAR-10's binary batches to MindRecord files: ``destination`` has the five batches
    for training, ``destination + "_test"`` the one for testing. Fields: ``id``,
    ``label``, ``data`` (JPEG).

    The Python version of CIFAR holds pickles, which can run any code; it is not read.

    Args:
        source (str): the folder with ``data_batch_1.bin`` to
            ``data_batch_5.bin`` and ``test_batch.bin``.
        destination (str): the file.

    Raises:
        ValueError: an argument is no str.
    """

    _train = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
    _test = "test_batch.bin"
    _labels = _fields = ("label",)
    _classes = (10,)


class Cifar100ToMR(_CifarToMR):
    """CIFAR-100's binary batches to MindRecord files, as :class:`Cifar10ToMR` does. Fields: ``id``,
    ``fine_label``, ``coarse_label``, ``data`` (JPEG).

    Args:
        source (str): the folder with ``train.bin`` and ``test.bin``.
        destination (str): the file.

    Raises:
        ValueError: an argument is no str.
    """

    _train = ("train.bin",)
    _test = "test.bin"
    _labels = ("coarse_label", "fine_label")
    _classes = (20, 100)
    _fields = ("fine_label", "coarse_label")


class MnistToMR(Converter):
    """MNIST's packed files to ``destination + "_train.mindrecord"`` and ``"_test.mindrecord"``.
    Fields: ``label``, ``data`` (JPEG).

    Args:
        source (str): the folder with the four ``.gz`` files.
        destination (str): how the names of the files begin.
        partition_number (int): how many files each set has. Default: ``1``.

    Raises:
        ValueError: an argument is not what it must be.
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        op = type(self).__name__
        self.source = path_of(op, "source", source)
        self.destination = str(path_of(op, "destination", destination))
        self.partition_number = partitions(op, partition_number)

    def transform(self) -> MSRStatus:
        schema = {"label": {"type": "int64"}, "data": {"type": "bytes"}}
        sets = {"train": "train", "t10k": "test"}
        made = [
            FileWriter(f"{self.destination}_{name}.mindrecord", self.partition_number)
            for name in sets.values()
        ]
        with writers(*made):
            for writer, name in zip(made, sets):
                write(writer, schema, "mnist_schema", ["label"], self._rows(name))
        return SUCCESS

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        parts = f"{name}-images-idx3-ubyte.gz", f"{name}-labels-idx1-ubyte.gz"
        paths = [there("MnistToMR", "source", self.source / part) for part in parts]
        images, labels = idx.read(paths[0], 3), idx.read(paths[1], 1)
        if len(images) != len(labels):
            raise RuntimeError(
                f"MnistToMR: {paths[0]} must have an image for each label, got {len(images)} for "
                f"{len(labels)}."
            )
        for image, label in zip(images, labels.tolist()):
            yield {"label": label, "data": _jpeg(image)}


class ImageNetToMR(Converter):
    """Folders of images to MindRecord files. Fields: ``label``, ``image`` (the file as
    it is), ``file_name``.

    Args:
        map_file (str): a text file; each line is the name of a folder and its label.
        image_dir (str): the folder with these folders.
        destination (str): the file; with several, their names have a number at the end.
        partition_number (int): how many files. Default: ``1``.

    Raises:
        ValueError: an argument is not what it must be.
    """

    def __init__(
        self, map_file: str, image_dir: str, destination: str, partition_number: int = 1
    ) -> None:
        op = type(self).__name__
        self.map_file = path_of(op, "map_file", map_file)
        self.image_dir = path_of(op, "image_dir", image_dir)
        self.destination = str(path_of(op, "destination", destination))
        self.partition_number = partitions(op, partition_number)

    def transform(self) -> MSRStatus:
        schema = {
            "label": {"type": "int32"},
            "image": {"type": "bytes"},
            "file_name": {"type": "string"},
        }
        writer = FileWriter(self.destination, self.partition_number)
        with writers(writer):
            write(writer, schema, "imagenet_schema", ["label", "file_name"], self._rows())
        return SUCCESS

    def _rows(self) -> Iterator[dict[str, Any]]:
        for folder, label in self._labels().items():
            path = there("ImageNetToMR", "image_dir", self.image_dir / folder)
            for image in sorted(file for file in path.iterdir() if file.is_file()):
                yield {"label": label, "image": image.read_bytes(), "file_name": str(image)}

    def _labels(self) -> dict[str, int]:
        lines = there("ImageNetToMR", "map_file", self.map_file).read_text(encoding="utf-8")
        found: dict[str, int] = {}
        for number, line in enumerate(lines.splitlines(), 1):
            folder, _, label = line.strip().rpartition(" ")
            if line.strip() and (not folder or not label.isdecimal()):
                raise RuntimeError(
                    f"ImageNetToMR: each line of map_file must be a folder and its label, got "
                    f"{line!r} in line {number}."
                )
            if folder:
                found[folder.strip()] = int(label)
        return found


def _jpeg(image: np.ndarray) -> bytes:
    return encode_jpeg(np.ascontiguousarray(image), _QUALITY).tobytes()
