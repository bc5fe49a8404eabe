"""The index of a file: a table of an SQLite database beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from minispore.dataset.formats.mindrecord.exceptions import DbConnectionError
from minispore.dataset.formats.mindrecord.layout import Header

_PLACES = (
    "ROW_ID",
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "ROW_GROUP_ID",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)
PLACES = len(_PLACES)  # numbers that tell where a row is


def index_path(path: Path) -> Path:
    """Where the index of a file is."""
    return path.with_name(f"{path.name}.db")


def column(name: str) -> str:
    """The column of an index field."""
    return f"{name}_0"


def read(path: Path, header: Header) -> np.ndarray:
    """Where each row of a file is: int64 (4, rows), start and end of its raw row and of its blob
    row, as bytes of the file.
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
        flat = select(path, query, sizes, _numbers)
    except (TypeError, OverflowError) as exc:
        raise DbConnectionError(
            f"{index_path(path)}: must hold the places of rows. {exc}."
        ) from exc
    return np.ascontiguousarray(flat.reshape(-1, 4).T)


def _numbers(rows: Iterable[tuple]) -> np.ndarray:
    return np.fromiter(chain.from_iterable(rows), np.int64)


def select(
    path: Path,
    query: str,
    values: dict[str, Any] | None = None,
    collect: Callable[[Iterable[tuple]], Any] = list,
) -> Any:
    """What ``collect`` makes of the rows that a query of the index of a file gives.

    Raises:
        DbConnectionError: there is no index, or another one.
    """
    index = index_path(path)
    if not index.is_file():
        raise DbConnectionError(
            f"{path.name}: must have its index {index.name} beside it, which is not there. ({path})"
        )
    try:
        # Nobody changes it: no lock is needed, and none on a file system that has no locks.
        uri = f"file:{quote(str(index.absolute()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as base:
            _check_tables(base)
            return collect(base.execute(query, values or {}))
    except (sqlite3.Error, UnicodeDecodeError) as exc:  # its own messages quote the file
        raise DbConnectionError(f"{index}: must be the index of a MindRecord file. {exc}.") from exc


def _check_tables(base: sqlite3.Connection) -> None:
    """What is read must be rows of the file: no view, which may go on for ever, nothing virtual,
    and no column that is computed.

    Raises:
        sqlite3.DatabaseError: it is not.
    """
    tables = "SELECT type, rootpage FROM sqlite_master WHERE name IN ('INDEXES', 'SHARD_NAME')"
    hidden = "SELECT COUNT(*) FROM pragma_table_xinfo('INDEXES') WHERE hidden <> 0"
    if any(kind != "table" or not page for kind, page in base.execute(tables)):
        raise sqlite3.DatabaseError("INDEXES is no table")
    if base.execute(hidden).fetchone() != (0,):
        raise sqlite3.DatabaseError("INDEXES has columns that are computed")


def write(
    index: Path, name: str, header: Header, rows: Iterable[tuple], *, append: bool = False
) -> None:
    """Write the rows of an index, each a tuple of places and index fields.

    Args:
        index: the database.
        name: of the file that it is of.
        header: of that file.
        rows: the rows.
        append: whether the database is there already, and gets more rows.
    """
    types = {field.name: field.sql for field in header.schema.raw}
    fields = header.index_fields
    with closing(sqlite3.connect(index)) as base:
        # The file gets its name when it is whole; until then no journal has to mend it.
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        if not append:
            columns = [f"{place} INT NOT NULL" for place in _PLACES]
            for i, field in enumerate(fields):
                columns += [f"INC_{i} INT", f'"{column(field)}" {types[field]}']
            key = ", ".join(["ROW_ID", *(f"INC_{i}" for i in range(len(fields)))])
            base.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({key}))")
            base.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
            base.execute("INSERT INTO SHARD_NAME VALUES (?)", (name,))
        marks = ", ".join(["?"] * PLACES + ["0, ?"] * len(fields))
        base.executemany(f"INSERT INTO INDEXES VALUES ({marks})", rows)
        base.commit()
