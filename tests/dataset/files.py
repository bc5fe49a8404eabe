"""Small files of each format that the tests read, and damage."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import numpy as np

from minispore.dataset.formats import tfrecord


def idx(array: np.ndarray) -> bytes:
    """An IDX file of a uint8 array."""
    head = bytes((0, 0, 8, array.ndim)) + np.array(array.shape, ">u4").tobytes()
    return head + array.tobytes()


def mnist(folder: Path, part: str = "train", count: int = 5, *, zipped: bool = False) -> np.ndarray:
    """The two files of a part of MNIST; the images are returned, labels are 0, 1, 2, ..."""
    images = np.random.default_rng(count).integers(0, 256, (count, 28, 28), dtype=np.uint8)
    labels = np.arange(count, dtype=np.uint8) % 10
    for name, array in (("images-idx3", images), ("labels-idx1", labels)):
        path = folder / f"{part}-{name}-ubyte"
        if zipped:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(idx(array)))
        else:
            path.write_bytes(idx(array))
    return images


def cifar_records(count: int, labels: int, classes: int = 10) -> np.ndarray:
    """Records of the binary version of CIFAR."""
    rng = np.random.default_rng(count)
    records = rng.integers(0, 256, (count, labels + 3072), dtype=np.uint8)
    records[:, :labels] %= classes
    return records


def examples(count: int) -> list[tfrecord.Example]:
    """Examples with a feature of each kind."""
    return [
        {
            "label": np.array([i]),
            "values": np.arange(3, dtype=np.float32) * i,
            "image": [bytes(range(i + 1))],
            "names": [b"a", b"bc"],
            "big": np.array([-1, 2**40, i]),
        }
        for i in range(count)
    ]


def records(count: int, compression: str = "") -> bytes:
    """A TFRecord file of :func:`examples`."""
    file = io.BytesIO()
    for example in examples(count):
        tfrecord.write_record(file, tfrecord.serialise_example(example))
    pack = {"GZIP": gzip.compress, "ZLIB": zlib.compress}.get(compression, bytes)
    return pack(file.getvalue())
