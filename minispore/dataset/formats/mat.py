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

# The type codes of data elements that hold numbers or text.
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
_ENCODINGS = {16: "utf-8", 17: "utf-16", 18: "utf-32"}
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
    """Read the variables of a MAT-file, by name.

    Values are arrays, str, object arrays for cells, dicts of fields for structures of one element,
    and object arrays of such dicts for other structures.

    Raises:
        RuntimeError: the file can't be read or is not a MAT-file of version 5.
    """
    try:
        raw = path.read_bytes()
        if len(raw) < 128 or raw[126:128] not in (b"IM", b"MI"):
            raise ValueError("it has no header of version 5")
        parser = _Parser("<" if raw[126:128] == b"IM" else ">", bounds.get_max_unpacked_bytes(path))
        variables = dict(parser.parse_matrix(body) for body in parser.find_matrices(raw[128:]))
        if not variables:
            raise ValueError("it holds no array")
        return variables
    except (OSError, ValueError, IndexError, KeyError, struct.error, zlib.error) as exc:
        raise RuntimeError(f"{path.name}: must be a readable MAT-file. {exc} ({path})") from exc


class _Parser:
    """Parses data elements of one byte order; refuses to unpack more than ``limit`` bytes."""

    def __init__(self, order: str, limit: int) -> None:
        self._order, self._limit = order, limit

    def find_matrices(self, raw: bytes) -> list[bytes]:
        """Return the bodies of all arrays in ``raw``, including compressed arrays.

        Raises:
            ValueError: the arrays unpack to too many bytes.
        """
        bodies = []
        for type_code, body in self._split_elements(raw):
            if type_code == _COMPRESSED:
                unpacker = zlib.decompressobj()
                unpacked = unpacker.decompress(body, self._limit)
                if unpacker.unconsumed_tail:
                    raise ValueError(f"it unpacks to more than {self._limit} bytes")
                bodies += self.find_matrices(unpacked)
            elif type_code == _MATRIX:
                bodies.append(body)
        return bodies

    def _split_elements(self, raw: bytes) -> list[tuple[int, bytes]]:
        """Return type code and body of each data element.

        Raises:
            ValueError: the last element is incomplete.
        """
        offset, elements = 0, []
        while offset + 8 <= len(raw):
            type_code, size = struct.unpack_from(self._order + "II", raw, offset)
            if type_code >> 16:  # a small element: its size, its type and four bytes
                size, type_code = type_code >> 16, type_code & 0xFFFF
                elements.append((type_code, raw[offset + 4 : offset + 4 + size]))
                offset += 8
                continue
            if offset + 8 + size > len(raw):
                raise ValueError("it ends in an array")
            elements.append((type_code, raw[offset + 8 : offset + 8 + size]))
            offset += 8 + (size if type_code == _COMPRESSED else -(-size // 8) * 8)
        return elements

    def _read_numbers(self, element: tuple[int, bytes]) -> np.ndarray:
        """Return the numbers of a data element."""
        kind, body = element
        return np.frombuffer(body, self._order + _NUMBERS[kind])

    def parse_matrix(self, body: bytes) -> tuple[str, Any]:
        """Return name and value of an array from its body."""
        if not body:
            return "", np.empty((0, 0))
        flags, sizes, name, *elements = self._split_elements(body)
        word = int(self._read_numbers(flags)[0])
        class_code, shape = word & 0xFF, tuple(self._read_numbers(sizes).tolist())
        return name[1].decode("latin-1"), self._parse_value(
            class_code, shape, elements, bool(word & 0x0800)
        )

    def _parse_value(
        self, class_code: int, shape: tuple[int, ...], elements: list[Any], is_complex: bool
    ) -> Any:
        """Return the value of an array of any class: cell, structure, text, sparse or dense."""
        if class_code == _CELL:
            return _make_object_array([self.parse_matrix(body)[1] for _, body in elements], shape)
        if class_code == _STRUCT:
            records = self._parse_records(elements)
            return records[0] if len(records) == 1 else _make_object_array(records, shape)
        if class_code == _CHAR:
            encoding, body = elements[0]
            if encoding in _ENCODINGS:
                return body.decode(_ENCODINGS[encoding])
            return "".join(map(chr, self._read_numbers(elements[0]).tolist()))
        if class_code == _SPARSE:
            return self._parse_sparse(shape, elements)
        numbers = self._read_numbers(elements[0]).astype(_CLASSES[class_code])
        if is_complex:
            numbers = numbers + 1j * self._read_numbers(elements[1])
        return numbers.reshape(shape, order="F")

    def _parse_records(self, elements: list[Any]) -> list[dict[str, Any]]:
        """Return the elements of a structure, each a dict of its fields."""
        width_element, (_, names_body), *value_elements = elements
        width = int(self._read_numbers(width_element)[0])
        raw_names = [names_body[i : i + width] for i in range(0, len(names_body), width)]
        names = [raw.split(b"\0")[0].decode("latin-1") for raw in raw_names]
        values = [self.parse_matrix(body)[1] for _, body in value_elements]
        step = max(len(names), 1)
        return [dict(zip(names, values[i : i + step])) for i in range(0, len(values), step)]

    def _parse_sparse(self, shape: tuple[int, ...], elements: list[Any]) -> np.ndarray:
        """Return a sparse array as a dense float64 array.

        Raises:
            ValueError: the dense array would be too large.
        """
        rows, ends, values = (self._read_numbers(element) for element in elements[:3])
        if np.prod(shape, dtype=float) * 8 > self._limit:
            raise ValueError(f"its sparse array is too large, {shape}")
        full = np.zeros(shape, np.float64)
        columns = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        full[rows[: len(columns)], columns] = values[: len(columns)]
        return full


def _make_object_array(values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return values as an object array of this shape, filled in column-major order."""
    array: np.ndarray = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value
    return array.reshape(shape, order="F")
