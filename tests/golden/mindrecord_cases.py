"""What the golden MindRecord files hold; shared by the script that makes them and the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

HEADER_BYTES, PAGE_BYTES = 1 << 14, 1 << 15  # the least that there is

KINDS = {
    "raw_i32": {"type": "int32"},
    "raw_i64": {"type": "int64"},
    "raw_f32": {"type": "float32"},
    "raw_f64": {"type": "float64"},
    "raw_text": {"type": "string"},
    "data": {"type": "bytes"},
    "i32": {"type": "int32", "shape": [-1]},
    "i64": {"type": "int64", "shape": [2, -1]},
    "f32": {"type": "float32", "shape": [3]},
    "f64": {"type": "float64", "shape": [2, 2]},
}
_WIDE = [0, 5, -5, 127, 128, -129, 40000, -40000, 1 << 31, -(1 << 31) - 1, 1 << 62, -(1 << 63)]


def kinds() -> list[dict[str, Any]]:
    """Rows with a value of each kind, the integers of each size."""
    return [
        {
            "raw_i32": int(np.clip(wide, -(1 << 31), (1 << 31) - 1)),
            "raw_i64": wide,
            "raw_f32": 0.1 * i,
            "raw_f64": 0.5 * i,
            "raw_text": "é" * i**3,
            "data": bytes(range(i + 1)),
            "i32": np.arange(-i, i + 1, dtype=np.int32) * 100,
            "i64": np.array([[wide, 1], [2, _WIDE[-i]]]),
            "f32": np.array([i, 0.1, -1], np.float32),
            "f64": np.full((2, 2), 0.1 * i),
        }
        for i, wide in enumerate(_WIDE)
    ]


def groups() -> list[dict[str, Any]]:
    """Rows that fill some blob pages and some raw pages."""
    return [
        {"label": i, "name": "n" * (97 * i % 1500), "data": b"z" * (1 + 131 * i % 2000)}
        for i in range(60)
    ]


# name: schema, index fields, rows, rows of one call
CASES: dict[str, tuple[dict[str, Any], list[str] | None, Callable[[], list[dict]], int]] = {
    "kinds": (KINDS, None, kinds, 12),
    "groups": (
        {"label": {"type": "int32"}, "name": {"type": "string"}, "data": {"type": "bytes"}},
        ["label"],
        groups,
        25,
    ),
}


def write(writer_of: Callable[..., Any], folder: str, name: str) -> None:
    """Write a case with a FileWriter."""
    schema, index, rows, at_once = CASES[name]
    writer = writer_of(f"{folder}/{name}.mindrecord", overwrite=True)
    writer.set_header_size(HEADER_BYTES)
    writer.set_page_size(PAGE_BYTES)
    writer.add_schema(schema, name)
    if index:
        writer.add_index(index)
    output = rows()
    for start in range(0, len(output), at_once):
        writer.write_raw_data(output[start : start + at_once])
    writer.commit()
