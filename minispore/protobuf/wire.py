"""Protobuf's wire format: a writer of fields and a bounded reader.

A message is a list of fields; a field is a key (number << 3 | type) and a value: type 0 a varint,
type 1 eight bytes, type 2 a length and as many bytes, type 5 four bytes. Source: the encoding page
of the Protocol Buffers documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_VARINT_BYTES = 10  # of 7 bits each: enough for 64 bits
_SIZES = {FIXED64: 8, FIXED32: 4}

#: What a field holds: an integer, four or eight bytes, or a view of as many as its length says.
Held = int | bytes | memoryview


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


def packed(number: int, values: Iterable[int]) -> bytes:
    """The field ``number`` with a list of integers."""
    return block(number, b"".join(map(varint, values)))


def fields(data: bytes | memoryview) -> Iterator[tuple[int, Held]]:
    """The fields of a message: numbers with what each holds.

    Nothing long is copied, and no length is believed before it is compared with what is left.

    Raises:
        WireError: the bytes are cut off or are no message.

    >>> list(fields(integer(1, 5)))
    [(1, 5)]
    """
    view, at, end = memoryview(data), 0, len(data)
    while at < end:
        key, at = _read_varint(view, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise WireError(f"byte {at}: a field must have a number from 1")
        if kind == VARINT:
            value, at = _read_varint(view, at)
            yield number, value
            continue
        if kind == BYTES:
            length, at = _read_varint(view, at)
        elif kind in _SIZES:
            length = _SIZES[kind]
        else:
            raise WireError(f"byte {at}: field {number} has the unknown wire type {kind}")
        if length > end - at:
            raise WireError(
                f"byte {at}: field {number} needs {length} bytes, only {end - at} are left"
            )
        held = view[at : at + length]
        yield number, held if kind == BYTES else bytes(held)
        at += length


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """An integer, and where it ends."""
    if at < len(data) and data[at] < 0x80:
        return data[at], at + 1  # most numbers of fields, and most lengths
    value = shift = 0
    for i in range(at, min(at + _VARINT_BYTES, len(data))):
        byte = data[i]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, i + 1
        shift += 7
    raise WireError(f"byte {at}: a number is cut off or too long")


def integers(held: Held) -> np.ndarray:
    """The int64 numbers of a field: one, or all of a packed list.

    Raises:
        WireError: a number is cut off, too long, or none.

    >>> integers(5), integers(memoryview(varint(300) + varint(-1)))
    (array([5]), array([300,  -1]))
    """
    if isinstance(held, int):
        return np.array([signed(held)], np.int64)
    if not isinstance(held, memoryview):
        raise WireError(f"{len(held)} bytes are no list of integers")
    raw = np.frombuffer(held, np.uint8)
    if not len(raw):
        return np.empty(0, np.int64)
    last = np.flatnonzero(raw < 0x80)
    if not len(last) or last[-1] != len(raw) - 1:
        raise WireError("a packed number is cut off")
    first = np.concatenate([[0], last[:-1] + 1])
    if (last - first).max() >= _VARINT_BYTES:
        raise WireError(f"a packed number must have at most {_VARINT_BYTES} bytes")
    place = np.arange(len(raw)) - np.repeat(first, last - first + 1)
    parts = (raw & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.add.reduceat(parts, first).astype(np.int64)


def signed(value: int) -> int:
    """An int64 from its 64-bit complement."""
    return value - (1 << 64) if value >> 63 else value
