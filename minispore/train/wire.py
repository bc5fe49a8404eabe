"""Protobuf's wire format, as far as a checkpoint needs it: a writer of fields and a bounded reader.

A message is a list of fields; a field is a key (number << 3 | type) and a value: type 0 a varint,
type 1 eight bytes, type 2 a length and as many bytes, type 5 four bytes. Source: the encoding page
of the Protocol Buffers documentation.
"""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_VARINT_BYTES = 10  # of 7 bits each: enough for 64 bits


class WireError(ValueError):
    """The bytes are no message."""


def varint(value: int) -> bytes:
    """``value`` in base 128, least significant group first; a negative one as 64-bit complement.

    >>> varint(300).hex()
    'ac02'
    """
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number: int, value: int) -> bytes:
    """The field ``number`` with an integer."""
    return varint(number << 3 | VARINT) + varint(value)


def head(number: int, length: int) -> bytes:
    """The beginning of the field ``number``, which ``length`` bytes follow."""
    return varint(number << 3 | BYTES) + varint(length)


def block(number: int, content: bytes) -> bytes:
    """The field ``number`` with bytes, text or a message."""
    return head(number, len(content)) + content


def fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: numbers with integers, or with views of their bytes.

    Nothing is copied, and no length is believed before it is compared with what is left.

    Raises:
        WireError: the bytes are cut off or are no message.

    >>> list(fields(memoryview(integer(1, 5))))
    [(1, 5)]
    """
    at, end = 0, len(data)
    while at < end:
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise WireError(f"byte {at}: a field must have a number from 1")
        if kind == VARINT:
            value, at = _read_varint(data, at)
            yield number, value
            continue
        if kind == BYTES:
            length, at = _read_varint(data, at)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise WireError(f"byte {at}: field {number} has the unknown wire type {kind}")
        if length > end - at:
            raise WireError(
                f"byte {at}: field {number} needs {length} bytes, only {end - at} are left"
            )
        yield number, data[at : at + length]
        at += length


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for i, byte in enumerate(data[at : at + _VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return value & (1 << 64) - 1, at + i + 1
    raise WireError(f"byte {at}: a number is cut off or too long")


def signed(value: int) -> int:
    """An int64 from its 64-bit complement."""
    return value - (1 << 64) if value >> 63 else value
