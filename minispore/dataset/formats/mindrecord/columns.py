"""Columns of many rows at once, out of the bytes of their raw rows and blob rows.

All rows are decoded side by side: a position for each, which moves on by one msgpack element or one
blob at a time. So the work is a few array operations for each field, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord import integers
from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError
from minispore.dataset.formats.mindrecord.schema import Field, Schema

Column = np.ndarray | list

_SIZE = 8  # bytes of the length before a row or a blob

# What a msgpack tag says: dtype of the number after it, or how many bytes tell the length of text.
_NUMBER = {
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
_TEXT = {0xD9: ">u1", 0xDA: ">u2", 0xDB: ">u4"}
_FIXED_NUMBER, _FIXED_TEXT = 0x00, 0xA0
# Tags that hold a small number or length themselves count as the first of their kind.
_KIND = np.arange(256, dtype=np.uint8)
_KIND[:0x80] = _KIND[0xE0:] = _FIXED_NUMBER
_KIND[0xA0:0xC0] = _FIXED_TEXT


class Rows:
    """Rows as bytes: row i is ``data[starts[i]:ends[i]]``, its length before it."""

    def __init__(self, data: bytes, lengths: np.ndarray) -> None:
        self.data = np.frombuffer(data, np.uint8)
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        if (lengths < _SIZE).any() or self.ends[-1] != len(data):
            raise MRMFetchDataError("a row must begin with its length")
        if (self.numbers(self.starts, "<i8") != lengths - _SIZE).any():
            raise MRMFetchDataError("a row must be as long as the index says")

    def windows(self, starts: np.ndarray, size: int) -> np.ndarray:
        """``size`` bytes from each of ``starts`` on: uint8 (rows, size)."""
        if not size or not len(starts):
            return np.empty((len(starts), size), np.uint8)
        if int(starts.max()) + size > len(self.data):
            raise MRMFetchDataError("a row must not end within a value")
        # One item of `size` bytes at each byte: indexing copies whole windows at once.
        at_any = np.ndarray(len(self.data) - size + 1, f"V{size}", self.data, strides=(1,))
        return at_any[starts].view(np.uint8).reshape(len(starts), size)

    def numbers(self, starts: np.ndarray, dtype: str) -> np.ndarray:
        """The number at each of ``starts``."""
        return self.windows(starts, np.dtype(dtype).itemsize).view(dtype).ravel()


def blob_spans(schema: Schema, rows: Rows) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Start and length of each blob field in each row."""
    fields = schema.blob
    at = rows.starts + _SIZE
    if len(fields) == 1:
        return {fields[0].name: (at, rows.ends - at)}
    spans = {}
    for field in fields:
        size = rows.numbers(at, ">i8").astype(np.int64)
        at = at + _SIZE
        if (size < 0).any() or (size > rows.ends - at).any():
            raise MRMFetchDataError(f"field {field.name!r} must end within its row")
        spans[field.name] = at, size
        at = at + size
    return spans


def blob_column(field: Field, rows: Rows, starts: np.ndarray, lengths: np.ndarray) -> Column:
    """A blob field of all rows: bytes as a vector of uint8, or an array of numbers."""
    if field.shape is None:
        return _each(field, rows, starts, lengths, _bytes_of)
    if field.is_integer:
        parts = integers.expand(rows.data, starts, lengths)
        if len(parts) == 1:
            shape = _shape(field, parts[0].shape[1])
            return parts[0].astype(field.dtype, copy=False).reshape(len(lengths), *shape)
        return [p.astype(field.dtype).reshape(_shape(field, len(p))) for p in parts]
    return _each(field, rows, starts, lengths, _numbers_of)


def _each(field: Field, rows: Rows, starts: np.ndarray, lengths: np.ndarray, of: Any) -> Column:
    """Rows of one length at once, else one by one."""
    if len(lengths) and (lengths == lengths[0]).all():
        return of(field, rows.windows(starts, int(lengths[0])))
    return [
        of(field, rows.data[None, start:end].copy())[0]
        for start, end in zip(starts.tolist(), (starts + lengths).tolist())
    ]


def _bytes_of(field: Field, raw: np.ndarray) -> np.ndarray:
    return raw


def _numbers_of(field: Field, raw: np.ndarray) -> np.ndarray:
    count, rest = divmod(raw.shape[1], field.dtype.itemsize)
    if rest:
        raise MRMFetchDataError(f"field {field.name!r} must be of whole numbers")
    numbers = raw.view(field.dtype.newbyteorder("<")).astype(field.dtype, copy=False)
    return numbers.reshape(len(raw), *_shape(field, count))


def _shape(field: Field, count: int) -> tuple[int, ...]:
    shape = field.sizes(count)
    if shape is None:
        raise MRMFetchDataError(
            f"field {field.name!r} must fill the shape {list(field.shape or ())}, got "
            f"{count} values"
        )
    return shape


def raw_values(schema: Schema, rows: Rows, wanted: Collection[str]) -> dict[str, Any]:
    """The fields ``wanted`` of raw rows: lists of str, or arrays of numbers as they were written,
    int64 or float64.
    """
    at, count = _map_sizes(rows)
    found: dict[str, Any] = {}
    types = {field.name: field for field in schema.raw}
    for _ in range(count):
        name, at = _key(rows, at)
        field = types.get(name)
        if field is not None and field.type == "string":
            start, size = _text(rows, at)
            at = start + size
            if name in wanted:
                found[name] = _strings(rows, start, at)
        else:
            found[name], at = _numbers(rows, at)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise MRMFetchDataError(f"a row must have the field {missing[0]!r}")
    return {name: found[name] for name in wanted}


def text_column(texts: list[str]) -> Column:
    """Strings as a column: an array if they are of one length, so that no row is padded."""
    if len({len(text) for text in texts}) == 1:
        return np.array(texts)
    return [np.array(text) for text in texts]


def _map_sizes(rows: Rows) -> tuple[np.ndarray, int]:
    at = rows.starts + _SIZE
    tags = rows.numbers(at, "u1")
    if len(np.unique(tags)) == 1:
        if 0x80 <= tags[0] < 0x90:
            return at + 1, int(tags[0]) & 0x0F
        sizes = np.unique(rows.numbers(at + 1, ">u2"))
        if tags[0] == 0xDE and len(sizes) == 1:
            return at + 3, int(sizes[0])
    raise MRMFetchDataError("a raw row must be a map of the fields of the schema")


def _key(rows: Rows, at: np.ndarray) -> tuple[str, np.ndarray]:
    """The next key, which all rows have in common."""
    starts, sizes = _text(rows, at)
    keys = rows.windows(starts, int(sizes[0]))
    if (sizes != sizes[0]).any() or (keys != keys[0]).any():
        raise MRMFetchDataError("all raw rows must have the same fields")
    return keys[0].tobytes().decode(errors="replace"), starts + sizes


def _text(rows: Rows, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and length of the string at each position."""
    tags = rows.numbers(at, "u1")
    starts, sizes = at + 1, tags.astype(np.int64) & 0x1F
    for kind, of_kind in _kinds(tags):
        if kind in _TEXT:
            sizes[of_kind] = rows.numbers(at[of_kind] + 1, _TEXT[kind])
            starts[of_kind] += np.dtype(_TEXT[kind]).itemsize
        elif kind != _FIXED_TEXT:
            raise MRMFetchDataError(f"a string must begin with its tag, got {kind:#04x}")
    if (starts + sizes > rows.ends).any():
        raise MRMFetchDataError("a string must end within its row")
    return starts, sizes


def _strings(rows: Rows, starts: np.ndarray, ends: np.ndarray) -> list[str]:
    view = rows.data.data
    try:
        return [str(view[a:b], "utf-8") for a, b in zip(starts.tolist(), ends.tolist())]
    except UnicodeDecodeError as exc:
        raise MRMFetchDataError(f"a string must be UTF-8: {exc}") from exc


def _numbers(rows: Rows, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number at each position, and the positions after them."""
    tags = rows.numbers(at, "u1")
    kinds = _kinds(tags)
    exact = not any(kind in (0xCA, 0xCB) for kind, _ in kinds)
    values = np.empty(len(at), np.int64 if exact else np.float64)
    after = at + 1
    for kind, of_kind in kinds:
        if kind == _FIXED_NUMBER:
            values[of_kind] = tags[of_kind].view(np.int8)
        elif kind in _NUMBER:
            values[of_kind] = rows.numbers(at[of_kind] + 1, _NUMBER[kind])
            after[of_kind] += np.dtype(_NUMBER[kind]).itemsize
        else:
            raise MRMFetchDataError(f"a number must begin with its tag, got {kind:#04x}")
    return values, after


def _kinds(tags: np.ndarray) -> list[tuple[int, np.ndarray | slice]]:
    """Each kind of tag and the rows that have it."""
    kinds = _KIND[tags]
    if (kinds == kinds[0]).all():
        return [(int(kinds[0]), slice(None))]
    return [(int(kind), np.flatnonzero(kinds == kind)) for kind in np.unique(kinds)]
