"""Columns of many rows at once, decoded from the bytes of their raw rows and blob rows.

All rows are decoded in parallel: each has a position, which advances by one msgpack element or one
blob at a time. So the work is a few array operations per field, regardless of the number of rows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord import integers
from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError
from minispore.dataset.formats.mindrecord.schema import Field, Schema

Column = np.ndarray | list

_LENGTH_BYTES = 8  # bytes of the length before a row or a blob

# msgpack tag -> dtype of the number, or of the length of the text, that follows the tag.
_NUMBER_DTYPES = {
    0xCA: ">f4",
    0xCB: ">f8",
    0xCC: ">u1",
    0xCD: ">u2",
    0xCE: ">u4",
    0xCF: ">u8",
    0xD0: ">i1",
    0xD1: ">i2",
    0xD2: ">i4",
    0xD3: ">i8",
}
_TEXT_LENGTH_DTYPES = {0xD9: ">u1", 0xDA: ">u2", 0xDB: ">u4"}
_FIXED_NUMBER, _FIXED_TEXT = 0x00, 0xA0
# Tags that contain a small number or length are mapped to the first tag of their kind.
_KIND_OF_TAG = np.arange(256, dtype=np.uint8)
_KIND_OF_TAG[:0x80] = _KIND_OF_TAG[0xE0:] = _FIXED_NUMBER
_KIND_OF_TAG[0xA0:0xC0] = _FIXED_TEXT


class RowBytes:
    """Rows as bytes: row i is ``data[starts[i]:ends[i]]``, and begins with its length."""

    def __init__(self, data: bytes, lengths: np.ndarray) -> None:
        self.data = np.frombuffer(data, np.uint8)
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        if (lengths < _LENGTH_BYTES).any() or self.ends[-1] != len(data):
            raise MRMFetchDataError("a row must begin with its length")
        if (self.read_numbers(self.starts, "<i8") != lengths - _LENGTH_BYTES).any():
            raise MRMFetchDataError("a row must be as long as the index says")

    def read_windows(self, starts: np.ndarray, size: int) -> np.ndarray:
        """Return ``size`` bytes from each of ``starts`` on: uint8 (rows, size).

        Raises:
            MRMFetchDataError: a window ends beyond the data.
        """
        if not size or not len(starts):
            return np.empty((len(starts), size), np.uint8)
        if int(starts.max()) + size > len(self.data):
            raise MRMFetchDataError("a row must not end within a value")
        # An array with one item of `size` bytes at each byte: indexing copies entire windows.
        items = np.ndarray(len(self.data) - size + 1, f"V{size}", self.data, strides=(1,))
        return items[starts].view(np.uint8).reshape(len(starts), size)

    def read_numbers(self, starts: np.ndarray, dtype: str) -> np.ndarray:
        """Return the number of the given dtype at each of ``starts``."""
        return self.read_windows(starts, np.dtype(dtype).itemsize).view(dtype).ravel()


def locate_blobs(schema: Schema, rows: RowBytes) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return start and length of each blob field in each row, by the field's name.

    Raises:
        MRMFetchDataError: a field ends beyond its row.
    """
    fields = schema.blob
    position = rows.starts + _LENGTH_BYTES
    if len(fields) == 1:
        return {fields[0].name: (position, rows.ends - position)}
    spans = {}
    for field in fields:
        size = rows.read_numbers(position, ">i8").astype(np.int64)
        position = position + _LENGTH_BYTES
        if (size < 0).any() or (size > rows.ends - position).any():
            raise MRMFetchDataError(f"field {field.name!r} must end within its row")
        spans[field.name] = position, size
        position = position + size
    return spans


def read_blob_column(
    field: Field, rows: RowBytes, starts: np.ndarray, lengths: np.ndarray
) -> Column:
    """Return a blob field of all rows: bytes as uint8 vectors, or arrays of numbers."""
    if field.shape is None:
        return _read_blobs(field, rows, starts, lengths, _keep_bytes)
    if field.is_integer:
        arrays = integers.expand(rows.data, starts, lengths)
        if len(arrays) == 1:
            shape = _get_shape(field, arrays[0].shape[1])
            return arrays[0].astype(field.dtype, copy=False).reshape(len(lengths), *shape)
        return [p.astype(field.dtype).reshape(_get_shape(field, len(p))) for p in arrays]
    return _read_blobs(field, rows, starts, lengths, _view_numbers)


def _read_blobs(
    field: Field, rows: RowBytes, starts: np.ndarray, lengths: np.ndarray, convert: Any
) -> Column:
    """Read blobs with ``convert``: all at once if their lengths are equal, else one by one."""
    if len(lengths) and (lengths == lengths[0]).all():
        return convert(field, rows.read_windows(starts, int(lengths[0])))
    return [
        convert(field, rows.data[None, start:end].copy())[0]
        for start, end in zip(starts.tolist(), (starts + lengths).tolist())
    ]


def _keep_bytes(field: Field, raw: np.ndarray) -> np.ndarray:
    """Return the bytes of a field unchanged: the converter of bytes fields."""
    return raw


def _view_numbers(field: Field, raw: np.ndarray) -> np.ndarray:
    """Return blobs (rows, bytes) as arrays of the field's numbers."""
    count, rest = divmod(raw.shape[1], field.dtype.itemsize)
    if rest:
        raise MRMFetchDataError(f"field {field.name!r} must be of whole numbers")
    numbers = raw.view(field.dtype.newbyteorder("<")).astype(field.dtype, copy=False)
    return numbers.reshape(len(raw), *_get_shape(field, count))


def _get_shape(field: Field, count: int) -> tuple[int, ...]:
    """Return the field's shape for ``count`` numbers.

    An MRMFetchDataError is raised if the numbers don't fill the shape.
    """
    shape = field.fit_shape(count)
    if shape is None:
        raise MRMFetchDataError(
            f"field {field.name!r} must fill the shape {list(field.shape or ())}, got "
            f"{count} values"
        )
    return shape


def read_raw_values(schema: Schema, rows: RowBytes, names: Collection[str]) -> dict[str, Any]:
    """Return the fields ``names`` of raw rows: lists of str, or arrays of int64 or float64.

    Raises:
        MRMFetchDataError: a field is missing, or rows differ in their fields.
    """
    position, count = _read_map_header(rows)
    result: dict[str, Any] = {}
    fields_by_name = {field.name: field for field in schema.raw}
    for _ in range(count):
        key, position = _read_common_key(rows, position)
        field = fields_by_name.get(key)
        if field is not None and field.type == "string":
            start, size = _locate_texts(rows, position)
            position = start + size
            if key in names:
                result[key] = _decode_texts(rows, start, position)
        else:
            result[key], position = _read_msgpack_numbers(rows, position)
    missing = [key for key in names if key not in result]
    if missing:
        raise MRMFetchDataError(f"a row must have the field {missing[0]!r}")
    return {key: result[key] for key in names}


def make_text_column(texts: list[str]) -> Column:
    """Return strings as a column: an array only if their lengths are equal, to avoid padding."""
    if len({len(text) for text in texts}) == 1:
        return np.array(texts)
    return [np.array(text) for text in texts]


def _read_map_header(rows: RowBytes) -> tuple[np.ndarray, int]:
    """Return the position after the header of each row's msgpack map, and the common map size."""
    position = rows.starts + _LENGTH_BYTES
    tags = rows.read_numbers(position, "u1")
    if len(np.unique(tags)) == 1:
        if 0x80 <= tags[0] < 0x90:
            return position + 1, int(tags[0]) & 0x0F
        sizes = np.unique(rows.read_numbers(position + 1, ">u2"))
        if tags[0] == 0xDE and len(sizes) == 1:
            return position + 3, int(sizes[0])
    raise MRMFetchDataError("a raw row must be a map of the fields of the schema")


def _read_common_key(rows: RowBytes, position: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the next key, which all rows must share, and the positions after it."""
    starts, sizes = _locate_texts(rows, position)
    keys = rows.read_windows(starts, int(sizes[0]))
    if (sizes != sizes[0]).any() or (keys != keys[0]).any():
        raise MRMFetchDataError("all raw rows must have the same fields")
    return keys[0].tobytes().decode(errors="replace"), starts + sizes


def _locate_texts(rows: RowBytes, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return start and length of the string at each position."""
    tags = rows.read_numbers(position, "u1")
    starts, sizes = position + 1, tags.astype(np.int64) & 0x1F
    for kind, kind_rows in _group_by_kind(tags):
        if kind in _TEXT_LENGTH_DTYPES:
            sizes[kind_rows] = rows.read_numbers(position[kind_rows] + 1, _TEXT_LENGTH_DTYPES[kind])
            starts[kind_rows] += np.dtype(_TEXT_LENGTH_DTYPES[kind]).itemsize
        elif kind != _FIXED_TEXT:
            raise MRMFetchDataError(f"a string must begin with its tag, got {kind:#04x}")
    if (starts + sizes > rows.ends).any():
        raise MRMFetchDataError("a string must end within its row")
    return starts, sizes


def _decode_texts(rows: RowBytes, starts: np.ndarray, ends: np.ndarray) -> list[str]:
    """Decode the strings between ``starts`` and ``ends``."""
    view = rows.data.data
    try:
        return [str(view[a:b], "utf-8") for a, b in zip(starts.tolist(), ends.tolist())]
    except UnicodeDecodeError as exc:
        raise MRMFetchDataError(f"a string must be UTF-8: {exc}") from exc


def _read_msgpack_numbers(rows: RowBytes, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number at each position, and the positions after them."""
    tags = rows.read_numbers(position, "u1")
    kinds = _group_by_kind(tags)
    is_integer = not any(kind in (0xCA, 0xCB) for kind, _ in kinds)
    values = np.empty(len(position), np.int64 if is_integer else np.float64)
    next_position = position + 1
    for kind, kind_rows in kinds:
        if kind == _FIXED_NUMBER:
            values[kind_rows] = tags[kind_rows].view(np.int8)
        elif kind in _NUMBER_DTYPES:
            values[kind_rows] = rows.read_numbers(position[kind_rows] + 1, _NUMBER_DTYPES[kind])
            next_position[kind_rows] += np.dtype(_NUMBER_DTYPES[kind]).itemsize
        else:
            raise MRMFetchDataError(f"a number must begin with its tag, got {kind:#04x}")
    return values, next_position


def _group_by_kind(tags: np.ndarray) -> list[tuple[int, np.ndarray | slice]]:
    """Return pairs of a kind of tag and the rows that have it."""
    kinds = _KIND_OF_TAG[tags]
    if (kinds == kinds[0]).all():
        return [(int(kinds[0]), slice(None))]
    return [(int(kind), np.flatnonzero(kinds == kind)) for kind in np.unique(kinds)]
