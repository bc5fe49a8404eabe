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

Feature = list[bytes] | np.ndarray  # a list of bytes, or an array of float32 or int64
Example = dict[str, Feature]

_HEAD_BYTES = 12  # bytes of a length and its CRC
_TAIL_BYTES = 4
_CRC_MASK = 0xA282EAD8
_CHUNK_BYTES = 1 << 20


class DamagedFileError(RuntimeError):
    """A file or a record is damaged, or has a different format."""


# -- files -----------------------------------------------------------------------------------------


def index_records(path: Path) -> np.ndarray:
    """Return start and length of the data of each record of a plain file: int64 (records, 2).

    The lengths are checked by their CRC; the data is checked when it is read.
    """
    spans: list[tuple[int, int]] = []
    with path.open("rb") as file:
        file_bytes = file.seek(0, 2)
        offset = 0
        while offset < file_bytes:
            file.seek(offset)
            length = _parse_length(path, file.read(_HEAD_BYTES), offset)
            if offset + _HEAD_BYTES + length + _TAIL_BYTES > file_bytes:
                raise DamagedFileError(
                    f"{path.name}: record {len(spans)} at byte {offset} must have {length} bytes, "
                    f"the file ends before. It is damaged or incomplete: {path}"
                )
            spans.append((offset + _HEAD_BYTES, length))
            offset += _HEAD_BYTES + length + _TAIL_BYTES
    return np.array(spans, np.int64).reshape(-1, 2)


def read_record(path: Path, file: BinaryIO, start: int, length: int) -> bytes:
    """Read the data of one record at a position from :func:`index_records`."""
    file.seek(start)
    raw = _read_in_chunks(file, length + _TAIL_BYTES)
    return _check_data(path, raw, start - _HEAD_BYTES, length)


def stream_records(path: Path, compression: str) -> Iterator[bytes]:
    """Yield the data of all records of a plain, ``"GZIP"`` or ``"ZLIB"`` file."""
    with path.open("rb") as raw:
        opener = _OPENERS.get(compression)
        file = raw if opener is None else opener(raw)
        offset = 0
        try:
            while head := file.read(_HEAD_BYTES):
                length = _parse_length(path, head, offset)
                max_bytes = bounds.get_max_unpacked_bytes(path)
                if length > max_bytes:
                    raise DamagedFileError(
                        f"{path.name}: a record must unpack to {max_bytes} "
                        f"bytes at most, got {length} at byte {offset}. If it is right, unpack the "
                        f"file first. ({path})"
                    )
                yield _check_data(path, _read_in_chunks(file, length + _TAIL_BYTES), offset, length)
                offset += _HEAD_BYTES + length + _TAIL_BYTES
        except (OSError, EOFError, zlib.error) as exc:
            raise DamagedFileError(
                f"{path.name}: must be a readable {compression} file. {exc} ({path})"
            ) from exc


def write_record(file: BinaryIO, data: bytes) -> None:
    """Append one record to an open file: its length and its data, each with its checksum."""
    length = struct.pack("<Q", len(data))
    file.write(
        length
        + _pack_crc(_compute_masked_crc(length))
        + data
        + _pack_crc(_compute_masked_crc(data))
    )


class _InflatedFile:
    """A zlib stream that reads like a file."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._zlib = raw, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end.

        Raises:
            EOFError: the compressed data ends too early.
        """
        out = b""
        while len(out) < size and not self._zlib.eof:
            data = self._zlib.unconsumed_tail or self._raw.read(_CHUNK_BYTES)
            if not data:
                raise EOFError("the compressed data ends before its end marker")
            out += self._zlib.decompress(data, size - len(out))
        return out


_OPENERS: dict[str, Callable[[BinaryIO], Any]] = {"GZIP": gzip.open, "ZLIB": _InflatedFile}


def _read_in_chunks(file: BinaryIO, size: int) -> bytes:
    """Read ``size`` bytes, or all remaining bytes if they are fewer.

    They are read in chunks: a damaged length must not allocate more memory than there is data.
    """
    chunks, received = [], 0
    while received < size:
        chunk = file.read(min(_CHUNK_BYTES, size - received))
        if not chunk:
            break
        chunks.append(chunk)
        received += len(chunk)
    return b"".join(chunks)


def _parse_length(path: Path, head: bytes, offset: int) -> int:
    """Return the length in the head of a record.

    Raises:
        DamagedFileError: the head is too short, or its checksum is wrong.
    """
    if len(head) < _HEAD_BYTES:
        raise DamagedFileError(
            f"{path.name}: must have a record at byte {offset}, got {len(head)} bytes. ({path})"
        )
    if _pack_crc(_compute_masked_crc(head[:8])) != head[8:]:
        raise DamagedFileError(
            f"{path.name}: the length of the record at byte {offset} must match its checksum. The "
            f"file is damaged, compressed, or no TFRecord file: {path}"
        )
    return struct.unpack("<Q", head[:8])[0]


def _check_data(path: Path, raw: bytes, offset: int, length: int) -> bytes:
    """Return the data of a record after checking its length and checksum.

    Raises:
        DamagedFileError: the data is too short, or the checksum differs.
    """
    data, crc = raw[:length], raw[length:]
    if len(raw) < length + _TAIL_BYTES or _pack_crc(_compute_masked_crc(data)) != crc:
        raise DamagedFileError(
            f"{path.name}: the data of the record at byte {offset} must match its checksum. The "
            f"file is damaged: {path}"
        )
    return data


# -- messages --------------------------------------------------------------------------------------


def parse_example(data: bytes) -> Example:
    """Return the features of a serialised Example.

    Raises:
        DamagedFileError: ``data`` is not a serialised Example.
    """
    try:
        example: Example = {}
        for features in _find_fields(data, 1):
            example.update(map(_parse_entry, _find_fields(features, 1)))
        return example
    except ValueError as exc:  # a wrong message, or a name that is not UTF-8
        raise DamagedFileError(f"a record must be an Example. {exc}") from exc


def serialise_example(example: Example) -> bytes:
    """Serialise an Example of features: bytes, float32 arrays or int64 arrays.

    >>> parse_example(serialise_example({"x": np.array([1, -2]), "s": [b"a"]}))
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
        key = wire.encode_block(1, name.encode())
        value = wire.encode_block(2, wire.encode_block(kind, body))
        entries.append(wire.encode_block(1, key + value))
    return wire.encode_block(1, b"".join(entries))


def _find_fields(message: bytes | memoryview, field_number: int) -> list[memoryview]:
    """Return the contents of all length-delimited fields with this number in a message."""
    fields = wire.iterate_fields(message)
    return [
        content
        for number, content in fields
        if number == field_number and isinstance(content, memoryview)
    ]


def _parse_entry(entry: memoryview) -> tuple[str, Feature]:
    """Return name and feature of one entry of the feature map.

    If a field is repeated, the last occurrence is used.
    """
    contents = {number: v for number, v in wire.iterate_fields(entry) if isinstance(v, memoryview)}
    return str(contents.get(1, b""), "utf-8"), _parse_feature(contents.get(2, memoryview(b"")))


def _parse_feature(feature: memoryview) -> Feature:
    """Return the values of a Feature message: bytes, float32 or int64."""
    values: Feature = []
    for number, body in wire.iterate_fields(feature):
        if not isinstance(body, memoryview):
            continue
        if number == 1:
            values = [bytes(v) for v in _find_fields(body, 1)]
        elif number == 2:
            float_bytes = [
                v for n, v in wire.iterate_fields(body) if n == 1 and not isinstance(v, int)
            ]
            values = np.frombuffer(b"".join(float_bytes), "<f4").astype(np.float32)
        elif number == 3:
            arrays = [wire.decode_integers(v) for n, v in wire.iterate_fields(body) if n == 1]
            values = np.concatenate([np.empty(0, np.int64), *arrays])
    return values


def _compute_masked_crc(data: bytes) -> int:
    """Return the masked CRC-32C used in TFRecord files."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _CRC_MASK) & 0xFFFFFFFF


def _pack_crc(crc: int) -> bytes:
    """Return a checksum as stored in a file, four little-endian bytes."""
    return struct.pack("<I", crc)
