"""The binary version of CIFAR-10 and CIFAR-100.

A record has label bytes and an image of 32 x 32 pixels, as planes R, G, B.

Source: A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SIDE = 32
PIXELS = 3 * SIDE * SIDE


def read(path: Path, labels: int, classes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Read the images (N, 32, 32, 3) and the label bytes (N, labels) of one file.

    Args:
        path: the file.
        labels: the number of label bytes in a record.
        classes: the number of classes of each label.

    Raises:
        RuntimeError: the file can't be read, its last record is incomplete, or a label is
            out of range.
    """
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as exc:
        raise RuntimeError(f"{path.name}: must be a readable file. {exc}") from exc
    size = labels + PIXELS
    if not len(raw) or len(raw) % size:
        raise RuntimeError(
            f"{path.name}: must hold whole records of {size} bytes, got {len(raw)} bytes. The file "
            f"is damaged, incomplete, or not the binary version: {path}"
        )
    records = raw.reshape(-1, size)
    for i, count in enumerate(classes):
        invalid = np.flatnonzero(records[:, i] >= count)
        if len(invalid):
            raise RuntimeError(
                f"{path.name}: labels must be less than {count}, got {records[invalid[0], i]} in "
                f"record {invalid[0]}. The file is damaged: {path}"
            )
    planes = records[:, labels:].reshape(-1, 3, SIDE, SIDE)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), records[:, :labels]
