"""Converts image datasets to MindRecord files.

All images except ImageNet's are encoded as JPEG, which needs Pillow.
"""

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
    check_existing_file,
    check_existing_path,
    check_partition_number,
    check_path,
    commit_or_discard,
    write_rows,
)
from minispore.dataset.mindrecord.writer import FileWriter
from minispore.dataset.vision.decode import encode_jpeg

_QUALITY = 95  # quality of JPEG images


class _CifarToMR(Converter):
    """Base of the CIFAR converters: batches to ``destination`` and ``destination + "_test"``."""

    _train_files: tuple[str, ...]
    _test_file: str
    _label_fields: tuple[str, ...]  # fields, in the order of the label bytes before each image
    _class_counts: tuple[int, ...]  # the number of classes of each label
    _schema_fields: tuple[str, ...]  # the same fields in the order of the schema

    def __init__(self, source: str, destination: str) -> None:
        api_name = type(self).__name__
        self.source = check_path(api_name, "source", source)
        self.destination = str(check_path(api_name, "destination", destination))

    def transform(self, fields: list[str] | None = None) -> MSRStatus:
        """Write the files.

        Args:
            fields (list[str], optional): the index fields. Default: ``None``, all but the images.

        Returns:
            ``SUCCESS``.

        Raises:
            ValueError: ``fields`` is not a list.
            PathNotExistsError: a batch is missing.
            MRMOpenError: a file already exists.
            RuntimeError: a batch is damaged.
        """
        api_name = type(self).__name__
        if fields is not None and not isinstance(fields, list):
            raise ValueError(f"{api_name}: fields must be a list or None, got {fields!r}.")
        train = [self._find_batch_file(name) for name in self._train_files]
        test = [self._find_batch_file(self._test_file)]
        schema: dict[str, Any] = {"id": {"type": "int64"}}
        schema |= {name: {"type": "int64"} for name in self._schema_fields}
        schema["data"] = {"type": "bytes"}
        file_writers = FileWriter(self.destination), FileWriter(f"{self.destination}_test")
        with commit_or_discard(*file_writers):
            for writer, batches, description in zip(
                file_writers, (train, test), ("img_train", "img_test")
            ):
                write_rows(writer, schema, description, fields, self._iterate_rows(batches))
        return SUCCESS

    def run(self, fields: list[str] | None = None) -> MSRStatus:
        """Convert the source as :meth:`transform` does."""
        return self.transform(fields)

    def _find_batch_file(self, name: str) -> Path:
        """Return the path of a batch file.

        Raises:
            PathNotExistsError: the file does not exist, or only in the Python version.
        """
        api_name, path = type(self).__name__, self.source / name
        if not path.exists() and path.with_suffix("").is_file():
            raise PathNotExistsError(
                f"{api_name}: source must hold the binary version of CIFAR, {name!r}, got the "
                "Python version, whose pickles can run any code. Download the binary version."
            )
        return check_existing_path(api_name, "source", path)

    def _iterate_rows(self, batches: list[Path]) -> Iterator[dict[str, Any]]:
        """Yield the numbered rows of all batch files, with images as JPEG."""
        number = 0
        for path in batches:
            images, labels = cifar.read(path, len(self._label_fields), self._class_counts)
            for image, values in zip(images, labels.tolist()):
                row = dict(zip(self._label_fields, values), id=number, data=_encode_as_jpeg(image))
                yield {name: row[name] for name in ("id", "data", *self._schema_fields)}
                number += 1


class Cifar10ToMR(_CifarToMR):
    """Converts CIFAR-10's binary batches to MindRecord files.

    ``destination`` gets the five training batches, ``destination + "_test"`` the test
    batch. Fields: ``id``, ``label``, ``data`` (JPEG).

    The Python version of CIFAR holds pickles, which can run any code; it is not read.

    Args:
        source (str): the folder with ``data_batch_1.bin`` to
            ``data_batch_5.bin`` and ``test_batch.bin``.
        destination (str): the file.

    Raises:
        ValueError: an argument is not a str.
    """

    _train_files = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
    _test_file = "test_batch.bin"
    _label_fields = _schema_fields = ("label",)
    _class_counts = (10,)


class Cifar100ToMR(_CifarToMR):
    """Converts CIFAR-100's binary batches to MindRecord files, as :class:`Cifar10ToMR` does.

    Fields: ``id``, ``fine_label``, ``coarse_label``, ``data`` (JPEG).

    Args:
        source (str): the folder with ``train.bin`` and ``test.bin``.
        destination (str): the file.

    Raises:
        ValueError: an argument is not a str.
    """

    _train_files = ("train.bin",)
    _test_file = "test.bin"
    _label_fields = ("coarse_label", "fine_label")
    _class_counts = (20, 100)
    _schema_fields = ("fine_label", "coarse_label")


class MnistToMR(Converter):
    """Converts MNIST's packed files to MindRecord files.

    The files are ``destination + "_train.mindrecord"`` and ``destination + "_test.mindrecord"``.
    Fields: ``label``, ``data`` (JPEG).

    Args:
        source (str): the folder with the four ``.gz`` files.
        destination (str): the prefix of the file names.
        partition_number (int): the number of files per set. Default: ``1``.

    Raises:
        ValueError: an argument has an invalid value.
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        api_name = type(self).__name__
        self.source = check_path(api_name, "source", source)
        self.destination = str(check_path(api_name, "destination", destination))
        self.partition_number = check_partition_number(api_name, partition_number)

    def transform(self) -> MSRStatus:
        """Write ``<destination>_train.mindrecord`` and ``..._test.mindrecord``, both or none."""
        schema = {"label": {"type": "int64"}, "data": {"type": "bytes"}}
        output_names = {"train": "train", "t10k": "test"}
        file_writers = [
            FileWriter(f"{self.destination}_{name}.mindrecord", self.partition_number)
            for name in output_names.values()
        ]
        with commit_or_discard(*file_writers):
            for writer, name in zip(file_writers, output_names):
                write_rows(writer, schema, "mnist_schema", ["label"], self._iterate_rows(name))
        return SUCCESS

    def _iterate_rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield label and JPEG image of each row of one of MNIST's two sets.

        Raises:
            RuntimeError: the numbers of images and labels differ.
        """
        file_names = f"{name}-images-idx3-ubyte.gz", f"{name}-labels-idx1-ubyte.gz"
        paths = [
            check_existing_file("MnistToMR", "source", self.source / file_name)
            for file_name in file_names
        ]
        images, labels = idx.read(paths[0], 3), idx.read(paths[1], 1)
        if len(images) != len(labels):
            raise RuntimeError(
                f"MnistToMR: {paths[0]} must have an image for each label, got {len(images)} for "
                f"{len(labels)}."
            )
        for image, label in zip(images, labels.tolist()):
            yield {"label": label, "data": _encode_as_jpeg(image)}


class ImageNetToMR(Converter):
    """Converts folders of images to MindRecord files.

    Fields: ``label``, ``image`` (the bytes of the file), ``file_name``.

    Args:
        map_file (str): a text file; each line is the name of a folder and its label.
        image_dir (str): the folder with these folders.
        destination (str): the file; several files get a number at the end of their names.
        partition_number (int): the number of files. Default: ``1``.

    Raises:
        ValueError: an argument has an invalid value.
    """

    def __init__(
        self, map_file: str, image_dir: str, destination: str, partition_number: int = 1
    ) -> None:
        api_name = type(self).__name__
        self.map_file = check_path(api_name, "map_file", map_file)
        self.image_dir = check_path(api_name, "image_dir", image_dir)
        self.destination = str(check_path(api_name, "destination", destination))
        self.partition_number = check_partition_number(api_name, partition_number)

    def transform(self) -> MSRStatus:
        """Write the images of all folders of ``map_file``, or no file at all."""
        schema = {
            "label": {"type": "int32"},
            "image": {"type": "bytes"},
            "file_name": {"type": "string"},
        }
        writer = FileWriter(self.destination, self.partition_number)
        with commit_or_discard(writer):
            write_rows(
                writer, schema, "imagenet_schema", ["label", "file_name"], self._iterate_rows()
            )
        return SUCCESS

    def _iterate_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of all folders of ``map_file``, with the bytes of the image files."""
        for folder, label in self._read_labels().items():
            path = check_existing_path("ImageNetToMR", "image_dir", self.image_dir / folder)
            for image in sorted(file for file in path.iterdir() if file.is_file()):
                yield {"label": label, "image": image.read_bytes(), "file_name": str(image)}

    def _read_labels(self) -> dict[str, int]:
        """Read the label of each folder from ``map_file``.

        Raises:
            RuntimeError: a line is not a folder and a label.
        """
        lines = check_existing_file("ImageNetToMR", "map_file", self.map_file).read_text(
            encoding="utf-8"
        )
        labels: dict[str, int] = {}
        for number, line in enumerate(lines.splitlines(), 1):
            folder, _, label = line.strip().rpartition(" ")
            if line.strip() and (not folder or not label.isdecimal()):
                raise RuntimeError(
                    f"ImageNetToMR: each line of map_file must be a folder and its label, got "
                    f"{line!r} in line {number}."
                )
            if folder:
                labels[folder.strip()] = int(label)
        return labels


def _encode_as_jpeg(image: np.ndarray) -> bytes:
    return encode_jpeg(np.ascontiguousarray(image), _QUALITY).tobytes()
