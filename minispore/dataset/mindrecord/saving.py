"""Writes the rows of any pipeline to MindRecord files, with a schema made from the first row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minispore.dataset.mindrecord.writer import FileWriter
from minispore.dataset.pipeline.block import Block
from minispore.errors import DatasetError

# dtype -> a field type that can hold all of its values.
_FIELD_TYPES = {
    "bool": "int32",
    "int8": "int32",
    "int16": "int32",
    "int32": "int32",
    "int64": "int64",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
}


def save(path: str, columns: Sequence[str], blocks: Iterator[Block], count: int) -> None:
    """Write rows to ``count`` MindRecord files, row i to file i modulo ``count``.

    Numbers become number fields, strings string fields, single bytes values bytes fields; the first
    dimension of an array may differ from row to row.

    Raises:
        MRMOpenError: a file already exists.
        DatasetError: a row fails, or can't be written.
    """
    writer = FileWriter(path, count)
    try:
        number = 0
        for block in blocks:
            rows = [dict(zip(columns, row)) for row in block]
            if rows and not number:
                writer.add_schema({n: _make_field(n, v) for n, v in rows[0].items()}, "mindrecord")
            if rows:
                plain = [{n: _to_field_value(v) for n, v in row.items()} for row in rows]
                writer.write_round_robin(plain, number)
                number += len(rows)
            if block.error is not None:
                raise block.error
        if not number:
            raise DatasetError(f"save: the dataset must have a row, got none for {path}.")
        writer.commit()
    finally:
        writer.discard()


def _make_field(name: str, value: Any) -> dict[str, Any]:
    """Return the schema entry for a column, from its first value.

    Raises:
        DatasetError: no field can hold ``value``.
    """
    kind = value.dtype.kind if isinstance(value, np.ndarray) else "O"
    if kind in "US" and value.size == 1:
        return {"type": "string" if kind == "U" else "bytes"}
    if kind not in "USO" and value.dtype.name in _FIELD_TYPES:
        field: dict[str, Any] = {"type": _FIELD_TYPES[value.dtype.name]}
        return field | {"shape": [-1, *value.shape[1:]]} if value.ndim else field
    value_text = f"{value.dtype} of shape {value.shape}" if kind != "O" else type(value).__name__
    raise DatasetError(
        f"save: column {name!r} must hold numbers, arrays of numbers or single strings, got "
        f"{value_text}."
    )


def _to_field_value(value: Any) -> Any:
    """Return a value in the form that a field stores.

    A value of an unsupported type is returned unchanged, and the writer refuses it.
    """
    if not isinstance(value, np.ndarray) or (value.dtype.kind in "US" and value.size != 1):
        return value
    if value.dtype.kind == "U":
        return str(value.reshape(()))
    if value.dtype.kind == "S":
        # All bytes, including trailing zeros, except for an empty value.
        return value.tobytes() if value.dtype.itemsize > 1 else value.item()
    if value.dtype.name not in _FIELD_TYPES:
        return value
    value = value.astype(_FIELD_TYPES[value.dtype.name], copy=False)
    return value if value.ndim else value.item()
