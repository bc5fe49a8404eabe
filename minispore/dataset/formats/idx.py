"""IDX: the format of the MNIST family. Magic (two zero bytes, type, number of axes), sizes, data;
all big-endian.

Source: Y. LeCun, C. Cortes, C. Burges, The MNIST database of handwritten digits.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minispore.dataset.formats import bounds

_KINDS = {"u1": 0x08, ">i4": 0x0C}
_PIECE = 1 << 20


def read(path: Path, axes: int, kind: str = "u1") -> np.ndarray:
    """The array of ``axes`` axes in an IDX file, plain or gzip (by content, not by name), of uint8,
    or of int32 for the ``kind`` ``">i4"``.

    Raises:
        RuntimeError: the file can't be read, or is not such a file, or holds more or less
            than it says.
    """
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if not zipped:
                return _parse(path, file, axes, kind)
            with gzip.open(file) as unzipped:
                return _parse(path, unzipped, axes, kind)  # type: ignore[arg-type]  # it reads as any binary file
    except (OSError, EOFError, zlib.error) as exc:
        raise RuntimeError(f"{path.name}: must be a readable IDX file. {exc} ({path})") from exc


def _parse(path: Path, file: BinaryIO, axes: int, kind: str) -> np.ndarray:
    head = file.read(4 + 4 * axes)
    if head[:4] != bytes((0, 0, _KINDS[kind], axes)):
        raise RuntimeError(
            f"{path.name}: must start with the IDX magic 00 00 {_KINDS[kind]:02x} {axes:02x}, got "
            f"{head[:4].hex(' ')!r}. ({path})"
        )
    if len(head) < 4 + 4 * axes:
        raise RuntimeError(
            f"{path.name}: must have a header of {4 + 4 * axes} bytes, got {len(head)}. ({path})"
        )
    shape = [int(n) for n in np.frombuffer(head, ">u4", axes, 4)]
    wanted = math.prod(shape) * np.dtype(kind).itemsize
    if wanted > bounds.unpacked(path):
        raise RuntimeError(
            f"{path.name}: must unpack to {bounds.unpacked(path)} bytes at most, got the shape "
            f"{shape}. If it is right, unpack it with gunzip first. ({path})"
        )
    # Read in pieces: a damaged size must not make us ask for more memory than the file has content.
    pieces, have = [], 0
    while have <= wanted:
        piece = file.read(min(_PIECE, wanted + 1 - have))
        if not piece:
            break
        pieces.append(piece)
        have += len(piece)
    if have != wanted:
        more = "more" if have > wanted else str(have)
        raise RuntimeError(
            f"{path.name}: must have {wanted} bytes of data for its shape {shape}, got {more}. The "
            f"file is damaged or incomplete: {path}"
        )
    return np.frombuffer(b"".join(pieces), kind).reshape(shape)
