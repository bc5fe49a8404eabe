"""Check sums of a MindRecord file: a table of its index that MindSpore does not read.

The format itself can't tell damaged rows. A file of ours has a CRC-32 of its header, of each raw
row and of each blob row. MindSpore appends rows without them: then the file counts as one without
check sums.
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
    """The check sums of one file: of its header, and two for each row, raw and blob."""

    header: int = 0
    rows: array[int] = field(default_factory=lambda: array("I"))

    def add_row(self, raw: bytes, blob: bytes) -> None:
        """Append the check sums of a row's raw and blob bytes."""
        self.rows.extend((crc32(raw), crc32(blob)))

    def write(self, database: sqlite3.Connection) -> None:
        """Write the check sums to an index, in place of those that it has."""
        database.execute(f"DROP TABLE IF EXISTS {_TABLE}")
        database.execute(f"CREATE TABLE {_TABLE}(HEADER INT NOT NULL, ROWS BLOB NOT NULL)")
        rows = np.array(self.rows, "<u4").tobytes()
        database.execute(f"INSERT INTO {_TABLE} VALUES (?, ?)", (self.header, rows))


def read_checksums(path: Path, row_count: int) -> Checksums | None:
    """Return the check sums of a file, or None if there are none for ``row_count`` rows."""
    exists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage AND name = ?1"
    if not run_query(path, exists, (_TABLE,)):
        return None
    stored = run_query(path, f"SELECT HEADER, ROWS FROM {_TABLE}")
    header, rows = stored[0] if len(stored) == 1 else (None, None)
    if not isinstance(header, int) or not isinstance(rows, bytes) or len(rows) != 8 * row_count:
        return None
    return Checksums(header, array("I", np.frombuffer(rows, "<u4").tolist()))


class RowChecker:
    """Compares rows with their check sums, each when it is read for the first time."""

    def __init__(self, path: Path, checksums: Checksums) -> None:
        self._path = path
        self._expected = np.array(checksums.rows, np.uint32).reshape(-1, 2).T
        self._is_checked = np.zeros(self._expected.shape, bool)

    def check(self, kind: int, rows: np.ndarray, parts: list[bytes]) -> None:
        """Compare the raw (``RAW``) or blob (``BLOB``) parts of rows that were not compared before.

        Raises:
            MRMFetchDataError: one differs.
        """
        for i in np.flatnonzero(~self._is_checked[kind, rows]).tolist():
            if crc32(parts[i]) != self._expected[kind, rows[i]]:
                raise MRMFetchDataError(
                    f"{self._path.name}: row {rows[i]} must be what was written, but its check sum "
                    f"differs. The file or its index is damaged: {self._path}"
                )
        self._is_checked[kind, rows] = True

    def is_checked(self, kind: int, rows: np.ndarray) -> bool:
        """Whether all these rows have been compared."""
        return bool(self._is_checked[kind, rows].all())
