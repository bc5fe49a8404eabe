"""The index of a MindRecord file: a table of an SQLite database beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from minispore.dataset.formats.mindrecord.exceptions import DbConnectionError
from minispore.dataset.formats.mindrecord.layout import Header

_LOCATION_COLUMNS = (
    "ROW_ID",
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "ROW_GROUP_ID",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)
LOCATION_COUNT = len(_LOCATION_COLUMNS)  # numbers that locate a row


def make_index_path(path: Path) -> Path:
    """Return the path of the index of a file."""
    return path.with_name(f"{path.name}.db")


def get_index_column(name: str) -> str:
    """Return the database column of an index field."""
    return f"{name}_0"


def read_locations(path: Path, header: Header) -> np.ndarray:
    """Return the location of each row of a file: int64 (4, rows).

    The rows of the array are start and end of the raw row, then of the blob row, as byte offsets in
    the file.
    """
    query = (
        "SELECT PAGE_ID_RAW * :page + :head + PAGE_OFFSET_RAW,"
        " PAGE_ID_RAW * :page + :head + PAGE_OFFSET_RAW_END,"
        " PAGE_ID_BLOB * :page + :head + PAGE_OFFSET_BLOB,"
        " PAGE_ID_BLOB * :page + :head + PAGE_OFFSET_BLOB_END"
        " FROM INDEXES ORDER BY ROW_ID"
    )
    sizes = {"page": header.page_bytes, "head": header.header_bytes}
    try:
        flat = run_query(path, query, sizes, _flatten_rows)
    except (TypeError, OverflowError) as exc:
        raise DbConnectionError(
            f"{make_index_path(path)}: must hold the places of rows. {exc}."
        ) from exc
    return np.ascontiguousarray(flat.reshape(-1, 4).T)


def _flatten_rows(rows: Iterable[tuple]) -> np.ndarray:
    """Return all numbers of the rows as one flat array."""
    return np.fromiter(chain.from_iterable(rows), np.int64)


def run_query(
    path: Path,
    query: str,
    values: dict[str, Any] | Sequence[Any] = (),
    collect: Callable[[Iterable[tuple]], Any] = list,
) -> Any:
    """Run a query on the index of a file and return ``collect`` of the resulting rows.

    Raises:
        DbConnectionError: the index is missing, or is not that of a MindRecord file.
    """
    index = make_index_path(path)
    if not index.is_file():
        raise DbConnectionError(
            f"{path.name}: must have its index {index.name} beside it, which is not there. ({path})"
        )
    try:
        # No process changes the index, so no lock is needed; some file systems don't have locks.
        uri = f"file:{quote(str(index.absolute()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            _check_tables(database)
            return collect(database.execute(query, values))
    except (sqlite3.Error, UnicodeDecodeError) as exc:  # messages may quote bytes of the file
        raise DbConnectionError(f"{index}: must be the index of a MindRecord file. {exc}.") from exc


def _check_tables(database: sqlite3.Connection) -> None:
    """Check that INDEXES is a real table: a view or a virtual table could compute endless rows.

    Raises:
        sqlite3.DatabaseError: it is not a real table, or has computed columns.
    """
    tables = "SELECT type, rootpage FROM sqlite_master WHERE name IN ('INDEXES', 'SHARD_NAME')"
    hidden = "SELECT COUNT(*) FROM pragma_table_xinfo('INDEXES') WHERE hidden <> 0"
    if any(kind != "table" or not page for kind, page in database.execute(tables)):
        raise sqlite3.DatabaseError("INDEXES is no table")
    if database.execute(hidden).fetchone() != (0,):
        raise sqlite3.DatabaseError("INDEXES has columns that are computed")


def write_index(
    index: Path,
    name: str,
    header: Header,
    rows: Iterable[tuple],
    finish: Callable[[sqlite3.Connection], None],
    *,
    append: bool = False,
) -> None:
    """Write the rows of an index, each a tuple of locations and index fields.

    Args:
        index: the database.
        name: the name of the MindRecord file.
        header: the header of that file.
        rows: the rows.
        finish: called with the database to write its other tables.
        append: whether the rows are added to an existing database.
    """
    types = {field.name: field.sql for field in header.schema.raw}
    fields = header.index_fields
    with closing(sqlite3.connect(index)) as database:
        # The file is renamed to its final name when complete, so writing it needs no journal.
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        if not append:
            columns = [f"{location} INT NOT NULL" for location in _LOCATION_COLUMNS]
            for i, field in enumerate(fields):
                columns += [f"INC_{i} INT", f'"{get_index_column(field)}" {types[field]}']
            key = ", ".join(["ROW_ID", *(f"INC_{i}" for i in range(len(fields)))])
            database.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({key}))")
            database.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
            database.execute("INSERT INTO SHARD_NAME VALUES (?)", (name,))
        placeholders = ", ".join(["?"] * LOCATION_COUNT + ["0, ?"] * len(fields))
        database.executemany(f"INSERT INTO INDEXES VALUES ({placeholders})", rows)
        finish(database)
        database.commit()
