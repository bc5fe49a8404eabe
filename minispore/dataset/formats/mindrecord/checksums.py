"""Checksums of a MindRecord file, in a table of its index that MindSpore does not read.

The format itself can't detect damaged rows. Files written by minispore have a CRC-32 of the header,
of each raw row and of each blob row. MindSpore appends rows without checksums; the file is then
treated as one without checksums.
"""

from __future__ import annotations

import sqlite3
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np

from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError
from minispore.dataset.formats.mindrecord.index import run_query

_TABLE = "CHECKSUMS"
RAW, BLOB = 0, 1  # the kinds of a row's parts


@dataclass
class Checksums:
    """The checksums of one file: one of its header, and two of each row, raw and blob."""

    header: int = 0
    rows: array[int] = field(default_factory=lambda: array("I"))

    def add_row(self, raw: bytes, blob: bytes) -> None:
        """Append the checksums of a row's raw and blob bytes."""
        self.rows.extend((crc32(raw), crc32(blob)))

    def write(self, database: sqlite3.Connection) -> None:
        """Write the checksums to an index, and replace any existing ones."""
        database.execute(f"DROP TABLE IF EXISTS {_TABLE}")
        database.execute(f"CREATE TABLE {_TABLE}(HEADER INT NOT NULL, ROWS BLOB NOT NULL)")
        rows = np.array(self.rows, "<u4").tobytes()
        database.execute(f"INSERT INTO {_TABLE} VALUES (?, ?)", (self.header, rows))


def read_checksums(path: Path, row_count: int) -> Checksums | None:
    """Return the checksums of a file, or None if it has none for exactly ``row_count`` rows."""
    exists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage AND name = ?1"
    if not run_query(path, exists, (_TABLE,)):
        return None
    stored = run_query(path, f"SELECT HEADER, ROWS FROM {_TABLE}")
    header, rows = stored[0] if len(stored) == 1 else (None, None)
    if not isinstance(header, int) or not isinstance(rows, bytes) or len(rows) != 8 * row_count:
        return None
    return Checksums(header, array("I", np.frombuffer(rows, "<u4").tolist()))


class RowChecker:
    """Compares each row with its checksums when the row is read for the first time."""

    def __init__(self, path: Path, checksums: Checksums) -> None:
        self._path = path
        self._expected = np.array(checksums.rows, np.uint32).reshape(-1, 2).T
        self._is_checked = np.zeros(self._expected.shape, bool)

    def check(self, kind: int, rows: np.ndarray, parts: list[bytes]) -> None:
        """Check the raw (``RAW``) or blob (``BLOB``) parts of rows that were not checked before.

        Rows that pass are marked as checked. ``parts`` has the bytes of each of ``rows``.

        Raises:
            MRMFetchDataError: a checksum differs.
        """
        for i in np.flatnonzero(~self._is_checked[kind, rows]).tolist():
            if crc32(parts[i]) != self._expected[kind, rows[i]]:
                raise MRMFetchDataError(
                    f"{self._path.name}: row {rows[i]} must be what was written, but its check sum "
                    f"differs. The file or its index is damaged: {self._path}"
                )
        self._is_checked[kind, rows] = True

    def is_checked(self, kind: int, rows: np.ndarray) -> bool:
        """Whether all these rows have been checked."""
        return bool(self._is_checked[kind, rows].all())
