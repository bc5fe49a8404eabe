"""Packs a row into bytes: a msgpack map of its numbers and strings, a blob of its bytes and arrays.

Source: the msgpack specification (numbers and strings in their shortest form).
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord.integers import compress
from minispore.dataset.formats.mindrecord.schema import Field, Schema

_SIGNED = ((0xD0, "b", 7), (0xD1, "h", 15), (0xD2, "i", 31), (0xD3, "q", 63))
_UNSIGNED = ((0xCC, "B", 8), (0xCD, "H", 16), (0xCE, "I", 32), (0xCF, "Q", 64))
_EMPTY_RAW = b"\x81\xa2id\x00"  # {"id": 0}: a raw row without fields
_EMPTY_BLOB = bytes(4)  # a blob row without fields


def pack_row(schema: Schema, values: list[Any]) -> tuple[bytes, bytes, int]:
    """Return a row of checked values as bytes: its raw row, its blob row, and the bytes saved.

    The raw row holds numbers and strings, the blob row bytes and arrays, and each begins with its
    length. The bytes are saved by compressed integers.
    """
    raw: list[bytes] = []
    blobs: list[bytes] = []
    saved = 0
    for field, value in zip(schema.fields, values):
        if field.is_blob:
            blobs.append(_pack_blob(field, value))
            if field.is_integer:
                saved += value.nbytes - len(blobs[-1])
        else:
            raw.append(_pack_text(field.name) + _pack_scalar(value))
    packed = _pack_map_header(len(raw)) + b"".join(raw) if raw else _EMPTY_RAW
    if len(blobs) > 1:
        blob = b"".join(len(b).to_bytes(8, "big") + b for b in blobs)
    else:
        blob = blobs[0] if blobs else _EMPTY_BLOB
    return _prefix_length(packed), _prefix_length(blob), saved


def _prefix_length(data: bytes) -> bytes:
    """Return the data preceded by its length as uint64."""
    return len(data).to_bytes(8, "little") + data


def _pack_blob(field: Field, value: Any) -> bytes:
    """Return the bytes of a blob field's value."""
    if isinstance(value, bytes):
        return value
    if field.is_integer:
        return compress(value)
    return np.ascontiguousarray(value, field.dtype.newbyteorder("<")).tobytes()


def _pack_scalar(value: Any) -> bytes:
    """Return a number or a string in msgpack.

    >>> [_pack_scalar(v).hex() for v in (5, -5, 300, 0.5, "a")]
    ['05', 'fb', 'cd012c', 'ca3f000000', 'a161']
    """
    if isinstance(value, str):
        return _pack_text(value)
    if isinstance(value, float):
        # As float32 if that loses no precision.
        with np.errstate(over="ignore"):
            fits_float32 = float(np.float32(value)) == value and np.isfinite(value)
        if fits_float32:
            return b"\xca" + struct.pack(">f", value)
        return b"\xcb" + struct.pack(">d", value)
    if -32 <= value < 128:
        return struct.pack("b", value)
    for tag, code, bits in _UNSIGNED if value > 0 else _SIGNED:
        if value >> bits in (0, -1):
            return bytes([tag]) + struct.pack(">" + code, value)
    raise AssertionError(f"{value} has more than 64 bits")


def _pack_text(text: str) -> bytes:
    """Return a string in msgpack, with its length in the shortest form."""
    data = text.encode()
    size = len(data)
    if size < 32:
        return bytes([0xA0 | size]) + data
    if size < 1 << 8:
        return struct.pack(">BB", 0xD9, size) + data
    if size < 1 << 16:
        return struct.pack(">BH", 0xDA, size) + data
    return struct.pack(">BI", 0xDB, size) + data


def _pack_map_header(size: int) -> bytes:
    """Return the msgpack header of a map."""
    return bytes([0x80 | size]) if size < 16 else struct.pack(">BH", 0xDE, size)
