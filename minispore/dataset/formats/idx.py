"""IDX, the format of the MNIST files.

A file has a magic number (two zero bytes, type, rank), sizes and data, big-endian.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minispore.dataset.formats import bounds

_TYPE_CODES = {"u1": 0x08, ">i4": 0x0C}
_CHUNK_BYTES = 1 << 20


def read(path: Path, axes: int, dtype: str = "u1") -> np.ndarray:
    """Read the array in an IDX file, which may be gzip-compressed (detected by content).

    Args:
        path: the file.
        axes: the rank of the array.
        dtype: the dtype of the array, ``"u1"`` or ``">i4"``.

    Raises:
        RuntimeError: the file can't be read, is not such a file, or its size differs from its
            header.
    """
    try:
        with path.open("rb") as file:
            is_gzip = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if not is_gzip:
                return _parse_array(path, file, axes, dtype)
            with gzip.open(file) as unzipped:
                return _parse_array(path, unzipped, axes, dtype)  # type: ignore[arg-type]  # it reads as any binary file
    except (OSError, EOFError, zlib.error) as exc:
        raise RuntimeError(f"{path.name}: must be a readable IDX file. {exc} ({path})") from exc


def _parse_array(path: Path, file: BinaryIO, axes: int, dtype: str) -> np.ndarray:
    """Read the array of an open IDX file.

    Raises:
        RuntimeError: the header is wrong, or the data is too long or too short.
    """
    head = file.read(4 + 4 * axes)
    if head[:4] != bytes((0, 0, _TYPE_CODES[dtype], axes)):
        raise RuntimeError(
            f"{path.name}: must start with the IDX magic 00 00 {_TYPE_CODES[dtype]:02x} "
            f"{axes:02x}, got {head[:4].hex(' ')!r}. ({path})"
        )
    if len(head) < 4 + 4 * axes:
        raise RuntimeError(
            f"{path.name}: must have a header of {4 + 4 * axes} bytes, got {len(head)}. ({path})"
        )
    shape = [int(n) for n in np.frombuffer(head, ">u4", axes, 4)]
    expected_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    max_bytes = bounds.get_max_unpacked_bytes(path)
    if expected_bytes > max_bytes:
        raise RuntimeError(
            f"{path.name}: must unpack to {max_bytes} bytes at most, got the "
            f"shape {shape}. If it is right, unpack it with gunzip first. ({path})"
        )
    # Read in chunks: a damaged size must not allocate more memory than the file has data.
    chunks, received = [], 0
    while received <= expected_bytes:
        chunk = file.read(min(_CHUNK_BYTES, expected_bytes + 1 - received))
        if not chunk:
            break
        chunks.append(chunk)
        received += len(chunk)
    if received != expected_bytes:
        received_text = "more" if received > expected_bytes else str(received)
        raise RuntimeError(
            f"{path.name}: must have {expected_bytes} bytes of data for its shape {shape}, "
            f"got {received_text}. The "
            f"file is damaged or incomplete: {path}"
        )
    return np.frombuffer(b"".join(chunks), dtype).reshape(shape)
