"""TFRecord files of ``tf.train.Example`` messages, read and written without TensorFlow or protobuf.

A record is: length (uint64), masked CRC-32C of the length, data, masked CRC-32C of the data; all
little-endian. An Example is a protobuf message: field 1 features, in it field 1 entries of a map
from name (field 1) to Feature (field 2), which holds a list of bytes (field 1), of floats (field 2)
or of int64 (field 3).

Source: tensorflow/core/lib/io/record_writer.h, tensorflow/core/example/feature.proto; RFC 3720,
appendix B.4 (CRC-32C).
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset.formats import bounds
from minispore.dataset.formats.crc32c import crc32c
from minispore.foundation.protobuf import wire

Feature = list[bytes] | np.ndarray  # bytes as they are, or an array of float32 or int64
Example = dict[str, Feature]

_HEAD = 12  # bytes of a length and its CRC
_TAIL = 4
_MASK = 0xA282EAD8
_PIECE = 1 << 20


class Damaged(RuntimeError):
    """A file or a message is not what it must be."""


# -- files -----------------------------------------------------------------------------------------


def index(path: Path) -> np.ndarray:
    """Where the data of each record of a plain file starts, and how long it is: int64 (records, 2).

    The lengths are checked by their CRC, the data when it is read.
    """
    places: list[tuple[int, int]] = []
    with path.open("rb") as file:
        end = file.seek(0, 2)
        at = 0
        while at < end:
            file.seek(at)
            length = _length(path, file.read(_HEAD), at)
            if at + _HEAD + length + _TAIL > end:
                raise Damaged(
                    f"{path.name}: record {len(places)} at byte {at} must have {length} bytes, the "
                    f"file ends before. It is damaged or incomplete: {path}"
                )
            places.append((at + _HEAD, length))
            at += _HEAD + length + _TAIL
    return np.array(places, np.int64).reshape(-1, 2)


def read_at(path: Path, file: BinaryIO, start: int, length: int) -> bytes:
    """The data of one record, which :func:`index` found."""
    file.seek(start)
    return _data(path, _exactly(file, length + _TAIL), start - _HEAD, length)


def stream(path: Path, compression: str) -> Iterator[bytes]:
    """The data of all records of a plain, ``"GZIP"`` or ``"ZLIB"`` file."""
    with path.open("rb") as raw:
        opener = _OPENERS.get(compression)
        file = raw if opener is None else opener(raw)
        at = 0
        try:
            while head := file.read(_HEAD):
                length = _length(path, head, at)
                if length > bounds.unpacked(path):
                    raise Damaged(
                        f"{path.name}: a record must unpack to {bounds.unpacked(path)} bytes at "
                        f"most, got {length} at byte {at}. If it is right, unpack the file first. "
                        f"({path})"
                    )
                yield _data(path, _exactly(file, length + _TAIL), at, length)
                at += _HEAD + length + _TAIL
        except (OSError, EOFError, zlib.error) as exc:
            raise Damaged(
                f"{path.name}: must be a readable {compression} file. {exc} ({path})"
            ) from exc


def write(file: BinaryIO, data: bytes) -> None:
    """Append one record."""
    length = struct.pack("<Q", len(data))
    file.write(length + _pack(_masked(length)) + data + _pack(_masked(data)))


class _Inflated:
    """A zlib stream as a file."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._zlib = raw, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        out = b""
        while len(out) < size and not self._zlib.eof:
            data = self._zlib.unconsumed_tail or self._raw.read(_PIECE)
            if not data:
                raise EOFError("the compressed data ends before its end marker")
            out += self._zlib.decompress(data, size - len(out))
        return out


_OPENERS: dict[str, Callable[[BinaryIO], Any]] = {"GZIP": gzip.open, "ZLIB": _Inflated}


def _exactly(file: BinaryIO, size: int) -> bytes:
    """``size`` bytes or what is left, in pieces: a damaged length must not ask for memory that no
    data fills.
    """
    pieces, have = [], 0
    while have < size:
        piece = file.read(min(_PIECE, size - have))
        if not piece:
            break
        pieces.append(piece)
        have += len(piece)
    return b"".join(pieces)


def _length(path: Path, head: bytes, at: int) -> int:
    if len(head) < _HEAD:
        raise Damaged(
            f"{path.name}: must have a record at byte {at}, got {len(head)} bytes. ({path})"
        )
    if _pack(_masked(head[:8])) != head[8:]:
        raise Damaged(
            f"{path.name}: the length of the record at byte {at} must match its checksum. The file "
            f"is damaged, compressed, or no TFRecord file: {path}"
        )
    return struct.unpack("<Q", head[:8])[0]


def _data(path: Path, got: bytes, at: int, length: int) -> bytes:
    data, crc = got[:length], got[length:]
    if len(got) < length + _TAIL or _pack(_masked(data)) != crc:
        raise Damaged(
            f"{path.name}: the data of the record at byte {at} must match its checksum. The file "
            f"is damaged: {path}"
        )
    return data


# -- messages --------------------------------------------------------------------------------------


def parse(data: bytes) -> Example:
    """The features of a serialised Example.

    Raises:
        Damaged: it is none.
    """
    try:
        entries = [entry for features in _inside(data, 1) for entry in _inside(features, 1)]
        return dict(map(_entry, entries))
    except ValueError as exc:  # of the wire, or of the text of a name
        raise Damaged(f"a record must be an Example. {exc}") from exc


def serialise(example: Example) -> bytes:
    """An Example of the features: bytes, float32 arrays or int64 arrays.

    >>> parse(serialise({"x": np.array([1, -2]), "s": [b"a"]}))
    {'x': array([ 1, -2]), 's': [b'a']}
    """
    entries = []
    for name, feature in example.items():
        if isinstance(feature, list):
            kind, body = 1, b"".join(wire.encode_block(1, v) for v in feature)
        elif feature.dtype.kind == "f":
            kind, body = 2, wire.encode_block(1, feature.astype("<f4").tobytes())
        else:
            kind, body = 3, wire.encode_packed(1, feature.ravel().tolist())
        entry = wire.encode_block(1, name.encode()) + wire.encode_block(
            2, wire.encode_block(kind, body)
        )
        entries.append(wire.encode_block(1, entry))
    return wire.encode_block(1, b"".join(entries))


def _inside(message: bytes | memoryview, wanted: int) -> list[memoryview]:
    """What the fields ``wanted`` of a message hold: bytes, texts or messages."""
    found = wire.iterate_fields(message)
    return [held for number, held in found if number == wanted and isinstance(held, memoryview)]


def _entry(entry: memoryview) -> tuple[str, Feature]:
    """One entry of the map of features; of a field that comes twice, the last."""
    held = {number: v for number, v in wire.iterate_fields(entry) if isinstance(v, memoryview)}
    return str(held.get(1, b""), "utf-8"), _feature(held.get(2, memoryview(b"")))


def _feature(feature: memoryview) -> Feature:
    found: Feature = []
    for number, body in wire.iterate_fields(feature):
        if not isinstance(body, memoryview):
            continue
        if number == 1:
            found = [bytes(v) for v in _inside(body, 1)]
        elif number == 2:
            held = [v for n, v in wire.iterate_fields(body) if n == 1 and not isinstance(v, int)]
            found = np.frombuffer(b"".join(held), "<f4").astype(np.float32)
        elif number == 3:
            numbers = [wire.decode_integers(v) for n, v in wire.iterate_fields(body) if n == 1]
            found = np.concatenate([np.empty(0, np.int64), *numbers])
    return found


def _masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def _pack(crc: int) -> bytes:
    return struct.pack("<I", crc)
