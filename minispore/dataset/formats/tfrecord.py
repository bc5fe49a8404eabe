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

Feature = list[bytes] | np.ndarray  # bytes as they are, or an array of float32 or int64
Example = dict[str, Feature]

_HEAD = 12  # bytes of a length and its CRC
_TAIL = 4
_MASK = 0xA282EAD8
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types
_PIECE = 1 << 20


class Damaged(RuntimeError):
    """A file or a message is not what it must be."""


# -- files
# ------------------------------------------------------------------------------------------


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


# -- messages
# ---------------------------------------------------------------------------------------


def parse(data: bytes) -> Example:
    """The features of a serialised Example.

    Raises:
        Damaged: it is none.
    """
    example: Example = {}
    for number, wire, features in _fields(memoryview(data)):
        if number == 1 and wire == _BYTES:
            for inner, inner_wire, entry in _fields(features):
                if inner == 1 and inner_wire == _BYTES:
                    name, feature = _entry(entry)
                    example[name] = feature
    return example


def serialise(example: Example) -> bytes:
    """An Example of the features: bytes, float32 arrays or int64 arrays.

    >>> parse(serialise({"x": np.array([1, -2]), "s": [b"a"]}))
    {'x': array([ 1, -2]), 's': [b'a']}
    """
    entries = []
    for name, feature in example.items():
        if isinstance(feature, list):
            kind, body = 1, b"".join(_tagged(1, v) for v in feature)
        elif feature.dtype.kind == "f":
            kind, body = 2, _tagged(1, feature.astype("<f4").tobytes())
        else:
            kind, body = 3, _tagged(1, _packed(feature))
        entries.append(_tagged(1, _tagged(1, name.encode()) + _tagged(2, _tagged(kind, body))))
    return _tagged(1, b"".join(entries))


def _entry(entry: memoryview) -> tuple[str, Feature]:
    """One entry of the map of features."""
    name, feature = b"", memoryview(b"")
    for number, wire, value in _fields(entry):
        if wire == _BYTES and number == 1:
            name = bytes(value)
        elif wire == _BYTES and number == 2:
            feature = value
    try:
        return name.decode(), _feature(feature)
    except UnicodeDecodeError as exc:
        raise Damaged(f"the name of a feature must be UTF-8, got {name[:40]!r}") from exc


def _feature(feature: memoryview) -> Feature:
    found: Feature = []
    for number, wire, body in _fields(feature):
        if wire != _BYTES or number not in (1, 2, 3):
            continue
        if number == 1:
            found = [bytes(v) for n, w, v in _fields(body) if n == 1 and w == _BYTES]
            continue
        parts = []
        for n, w, v in _fields(body):
            if n != 1:
                continue
            packed = w == _BYTES
            if number == 2 and (packed or w == _FIXED32):
                if len(v) % 4:
                    raise Damaged(f"a list of floats must have 4 bytes for each, got {len(v)}")
                parts.append(np.frombuffer(v, "<f4").astype(np.float32))
            elif number == 3 and (packed or w == _VARINT):
                parts.append(_varints(v))
        dtype = np.float32 if number == 2 else np.int64
        found = np.concatenate(parts) if parts else np.empty(0, dtype)
    return found


def _fields(message: memoryview) -> Iterator[tuple[int, int, memoryview]]:
    """Number, wire type and raw value of each field of a message."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            start = at
            _, at = _varint(message, at)
        elif wire == _BYTES:
            size, start = _varint(message, at)
            at = start + size
        elif wire in (_FIXED32, _FIXED64):
            start, at = at, at + (4 if wire == _FIXED32 else 8)
        else:
            raise Damaged(f"a field must have a known wire type, got {wire}")
        if at > end:
            raise Damaged(
                f"field {number} must end within its message, it is {at - end} bytes too long"
            )
        yield number, wire, message[start:at]


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """An unsigned integer of seven bits a byte, the last with its high bit clear, and where it
    ends.
    """
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            break
    raise Damaged("an integer must end within its message and ten bytes")


def _varints(packed: memoryview) -> np.ndarray:
    """All integers of a packed list, at once."""
    raw = np.frombuffer(packed, np.uint8)
    last = np.flatnonzero(raw < 0x80)
    if len(raw) and (not len(last) or last[-1] != len(raw) - 1):
        raise Damaged("a list of integers must end with a whole one")
    first = np.concatenate([[0], last[:-1] + 1]) if len(last) else last
    if len(last) and (last - first).max() > 9:
        raise Damaged("an integer must have at most ten bytes")
    place = np.arange(len(raw)) - np.repeat(first, last - first + 1)
    parts = (raw & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.add.reduceat(parts, first).astype(np.int64) if len(last) else np.empty(0, np.int64)


def _packed(values: np.ndarray) -> bytes:
    out = bytearray()
    for value in values.ravel().tolist():
        out += _number(value & 0xFFFFFFFFFFFFFFFF)
    return bytes(out)


def _tagged(number: int, body: bytes) -> bytes:
    return _number(number << 3 | _BYTES) + _number(len(body)) + body


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def _pack(crc: int) -> bytes:
    return struct.pack("<I", crc)
