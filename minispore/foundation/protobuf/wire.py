"""Protobuf's wire format: a writer of fields and a bounded reader.

A message is a list of fields; a field is a key (number << 3 | type) and a value: type 0 a varint,
type 1 eight bytes, type 2 a length and that number of bytes, type 5 four bytes. Source: the
encoding page of the Protocol Buffers documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_VARINT_BYTES = 10  # of 7 bits each: enough for 64 bits
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}

#: The content of a field: an integer, four or eight bytes, or a view of length-delimited bytes.
FieldValue = int | bytes | memoryview


class WireError(ValueError):
    """The bytes are not a message."""


def encode_varint(value: int) -> bytes:
    """Return ``value`` in base 128, low groups first; a negative one as its 64-bit two's
    complement.

    >>> encode_varint(300).hex()
    'ac02'
    """
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_integer(number: int, value: int) -> bytes:
    """Encode the field ``number`` with an integer."""
    return encode_varint(number << 3 | VARINT) + encode_varint(value)


def encode_head(number: int, length: int) -> bytes:
    """Encode the key and length of the field ``number``; ``length`` bytes must follow."""
    return encode_varint(number << 3 | BYTES) + encode_varint(length)


def encode_block(number: int, content: bytes) -> bytes:
    """Encode the field ``number`` with bytes, or an encoded text or message."""
    return encode_head(number, len(content)) + content


def encode_packed(number: int, values: Iterable[int]) -> bytes:
    """Encode the field ``number`` with a packed list of integers."""
    return encode_block(number, b"".join(map(encode_varint, values)))


def iterate_fields(data: bytes | memoryview) -> Iterator[tuple[int, FieldValue]]:
    """Yield the fields of a message as (number, content).

    Long contents are not copied, and each length is checked against the remaining bytes.

    Raises:
        WireError: the bytes are truncated or are not a message.

    >>> list(iterate_fields(encode_integer(1, 5)))
    [(1, 5)]
    """
    view, offset, end = memoryview(data), 0, len(data)
    while offset < end:
        key, offset = _read_varint(view, offset)
        number, wire_type = key >> 3, key & 7
        if number == 0:
            raise WireError(f"byte {offset}: a field must have a number from 1")
        if wire_type == VARINT:
            value, offset = _read_varint(view, offset)
            yield number, value
            continue
        if wire_type == BYTES:
            length, offset = _read_varint(view, offset)
        elif wire_type in _FIXED_SIZES:
            length = _FIXED_SIZES[wire_type]
        else:
            raise WireError(f"byte {offset}: field {number} has the unknown wire type {wire_type}")
        if length > end - offset:
            raise WireError(
                f"byte {offset}: field {number} needs {length} bytes, only {end - offset} are left"
            )
        content = view[offset : offset + length]
        yield number, content if wire_type == BYTES else bytes(content)
        offset += length


def _read_varint(data: memoryview, offset: int) -> tuple[int, int]:
    """Return the unsigned 64-bit integer at ``offset``, and the offset of its end.

    Raises:
        WireError: it is truncated or too long.
    """
    if offset < len(data) and data[offset] < 0x80:
        return data[offset], offset + 1  # one byte, like most keys and lengths
    value = shift = 0
    for i in range(offset, min(offset + _VARINT_BYTES, len(data))):
        byte = data[i]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, i + 1
        shift += 7
    raise WireError(f"byte {offset}: a number is cut off or too long")


def decode_integers(content: FieldValue) -> np.ndarray:
    """Return the int64 numbers of a field: one number, or all of a packed list.

    Raises:
        WireError: a number is truncated or too long, or the content is not a list of integers.

    >>> decode_integers(5), decode_integers(memoryview(encode_varint(300) + encode_varint(-1)))
    (array([5]), array([300,  -1]))
    """
    if isinstance(content, int):
        return np.array([to_signed(content)], np.int64)
    if not isinstance(content, memoryview):
        raise WireError(f"{len(content)} bytes are no list of integers")
    raw = np.frombuffer(content, np.uint8)
    if not len(raw):
        return np.empty(0, np.int64)
    last = np.flatnonzero(raw < 0x80)
    if not len(last) or last[-1] != len(raw) - 1:
        raise WireError("a packed number is cut off")
    first = np.concatenate([[0], last[:-1] + 1])
    if (last - first).max() >= _VARINT_BYTES:
        raise WireError(f"a packed number must have at most {_VARINT_BYTES} bytes")
    position = np.arange(len(raw)) - np.repeat(first, last - first + 1)
    parts = (raw & 0x7F).astype(np.uint64) << (7 * position).astype(np.uint64)
    return np.add.reduceat(parts, first).astype(np.int64)


def to_signed(value: int) -> int:
    """Return an int64 from its 64-bit two's complement."""
    return value - (1 << 64) if value >> 63 else value
