"""MAT-files of version 5, as MATLAB and SciPy write them: arrays, cells, structures, sparse arrays.

Source: MathWorks, MAT-file format, level 5.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats import bounds

# The types of data elements that hold numbers or letters.
_NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_LETTERS = {16: "utf-8", 17: "utf-16", 18: "utf-32"}
_MATRIX, _COMPRESSED = 14, 15
# The classes of arrays.
_CELL, _STRUCT, _CHAR, _SPARSE = 1, 2, 4, 5
_CLASSES = {
    6: "f8",
    7: "f4",
    8: "i1",
    9: "u1",
    10: "i2",
    11: "u2",
    12: "i4",
    13: "u4",
    14: "i8",
    15: "u8",
}


def read(path: Path) -> dict[str, Any]:
    """The variables of a file: arrays; str; object arrays for cells; dicts of fields for structures
    of one element, else object arrays of dicts.

    Raises:
        RuntimeError: the file can't be read or is no such file.
    """
    try:
        raw = path.read_bytes()
        if len(raw) < 128 or raw[126:128] not in (b"IM", b"MI"):
            raise ValueError("it has no header of version 5")
        parser = _Parser("<" if raw[126:128] == b"IM" else ">", bounds.unpacked(path))
        found = dict(parser.matrix(body) for body in parser.matrices(raw[128:]))
        if not found:
            raise ValueError("it holds no array")
        return found
    except (OSError, ValueError, IndexError, KeyError, struct.error, zlib.error) as exc:
        raise RuntimeError(f"{path.name}: must be a readable MAT-file. {exc} ({path})") from exc


class _Parser:
    def __init__(self, order: str, limit: int) -> None:
        self._order, self._limit = order, limit

    def matrices(self, raw: bytes) -> list[bytes]:
        """The bodies of the arrays in some bytes."""
        found = []
        for kind, body in self._elements(raw):
            if kind == _COMPRESSED:
                unpacker = zlib.decompressobj()
                unpacked = unpacker.decompress(body, self._limit)
                if unpacker.unconsumed_tail:
                    raise ValueError(f"it unpacks to more than {self._limit} bytes")
                found += self.matrices(unpacked)
            elif kind == _MATRIX:
                found.append(body)
        return found

    def _elements(self, raw: bytes) -> list[tuple[int, bytes]]:
        """Type and body of each data element."""
        at, found = 0, []
        while at + 8 <= len(raw):
            kind, size = struct.unpack_from(self._order + "II", raw, at)
            if kind >> 16:  # a small one: its size, its type and four bytes
                size, kind = kind >> 16, kind & 0xFFFF
                found.append((kind, raw[at + 4 : at + 4 + size]))
                at += 8
                continue
            if at + 8 + size > len(raw):
                raise ValueError("it ends in an array")
            found.append((kind, raw[at + 8 : at + 8 + size]))
            at += 8 + (size if kind == _COMPRESSED else -(-size // 8) * 8)
        return found

    def _numbers(self, element: tuple[int, bytes]) -> np.ndarray:
        kind, body = element
        return np.frombuffer(body, self._order + _NUMBERS[kind])

    def matrix(self, body: bytes) -> tuple[str, Any]:
        """Name and value of an array."""
        if not body:
            return "", np.empty((0, 0))
        flags, sizes, name, *parts = self._elements(body)
        word = int(self._numbers(flags)[0])
        kind, shape = word & 0xFF, tuple(self._numbers(sizes).tolist())
        return name[1].decode("latin-1"), self._value(kind, shape, parts, bool(word & 0x0800))

    def _value(self, kind: int, shape: tuple[int, ...], parts: list[Any], complex_: bool) -> Any:
        if kind == _CELL:
            return _arranged([self.matrix(body)[1] for _, body in parts], shape)
        if kind == _STRUCT:
            width = int(self._numbers(parts[0])[0])
            names = [
                parts[1][1][i : i + width].split(b"\0")[0].decode("latin-1")
                for i in range(0, len(parts[1][1]), width)
            ]
            values = [self.matrix(body)[1] for _, body in parts[2:]]
            records = [
                dict(zip(names, values[i : i + len(names)]))
                for i in range(0, len(values), max(len(names), 1))
            ]
            return records[0] if len(records) == 1 else _arranged(records, shape)
        if kind == _CHAR:
            letters, body = parts[0]
            if letters in _LETTERS:
                return body.decode(_LETTERS[letters])
            return "".join(map(chr, self._numbers(parts[0]).tolist()))
        if kind == _SPARSE:
            return self._sparse(shape, parts)
        numbers = self._numbers(parts[0]).astype(_CLASSES[kind])
        if complex_:
            numbers = numbers + 1j * self._numbers(parts[1])
        return numbers.reshape(shape, order="F")

    def _sparse(self, shape: tuple[int, ...], parts: list[Any]) -> np.ndarray:
        rows, ends, values = (self._numbers(part) for part in parts[:3])
        if np.prod(shape, dtype=float) * 8 > self._limit:
            raise ValueError(f"its sparse array is too large, {shape}")
        full = np.zeros(shape, np.float64)
        columns = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        full[rows[: len(columns)], columns] = values[: len(columns)]
        return full


def _arranged(values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    made: np.ndarray = np.empty(len(values), object)
    for i, value in enumerate(values):
        made[i] = value
    return made.reshape(shape, order="F")
