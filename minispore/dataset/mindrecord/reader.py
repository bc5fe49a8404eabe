"""FileReader: rows of MindRecord files, one after the other. MindPage: those of one value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord import exceptions as errors
from minispore.dataset.formats.mindrecord.columns import Column
from minispore.dataset.formats.mindrecord.index import column, select
from minispore.dataset.formats.mindrecord.layout import read_header
from minispore.dataset.formats.mindrecord.reading import (
    ShardReader,
    common_schema,
    file_set,
    open_shard,
)
from minispore.dataset.formats.mindrecord.schema import Field
from minispore.dataset.pipeline.block import values
from minispore.errors import did_you_mean

_BLOCK_ROWS = 256  # rows decoded at a time


class FileReader:
    """Reads the rows of MindRecord files in order, as dicts.

    Args:
        file_name (str or list[str]): a file, which stands for all files written together with it,
            or a list of just the files to read.
        num_consumer (int): accepted; rows are read as they are asked for. Default: ``4``.
        columns (list[str], optional): only these fields.
        operator: accepted; it has no meaning.

    Raises:
        ParamValueError, ParamTypeError: an argument is not what it must be.
        PathNotExistsError: a file is not there.
        MRMFetchDataError, DbConnectionError: a file or its index is damaged.

    Example: see :class:`FileWriter`.
    """

    def __init__(
        self,
        file_name: str | list[str],
        num_consumer: int = 4,
        columns: list[str] | None = None,
        operator: Any = None,
    ) -> None:
        op = type(self).__name__
        paths = _paths(op, file_name, num_consumer)
        self._schema = common_schema(paths)
        # Numbers and strings come first, as in MindSpore.
        names = [field.name for field in self._schema.raw + self._schema.blob]
        if columns is not None:
            names = _wanted(op, columns, names)
        self._rows = _Rows(paths, names)
        self._at = 0

    def get_next(self) -> Iterator[dict[str, Any]]:
        """The rows that have not been read yet: ints, floats, strs, bytes and arrays."""
        while self._at < len(self._rows):
            stop = min(self._at + _BLOCK_ROWS, len(self._rows))
            for row in self._rows.read(np.arange(self._at, stop)):
                self._at += 1
                yield row

    def len(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def schema(self) -> dict[str, Any]:
        """What a row holds, as it was given to ``add_schema``."""
        return self._schema.content()

    def close(self) -> None:
        """Let go of the files."""
        self._rows.close()
        self._at = len(self._rows)


class MindPage:
    """Reads the rows of MindRecord files that have the same value in one field, by page.

    Args:
        file_name (str or list[str]): as for :class:`FileReader`.
        num_consumer (int): accepted. Default: ``4``.

    Raises:
        ParamValueError: an argument is not what it must be.
        PathNotExistsError: a file is not there.

    Example:
        >>> import os, tempfile
        >>> from minispore.mindrecord import FileWriter, MindPage
        >>> folder = tempfile.TemporaryDirectory()
        >>> name = os.path.join(folder.name, "animals.mindrecord")
        >>> writer = FileWriter(name)
        >>> writer.add_schema({"kind": {"type": "string"}, "legs": {"type": "int32"}})
        >>> writer.write_raw_data([{"kind": k, "legs": n} for k, n in [("cat", 4), ("ant", 6)]])
        >>> writer.commit()
        >>> page = MindPage(name)
        >>> page.category_field = "kind"
        >>> page.read_at_page_by_name("ant", 0, 10)
        [{'kind': 'ant', 'legs': 6}]
        >>> folder.cleanup()
    """

    def __init__(self, file_name: str | list[str], num_consumer: int = 4) -> None:
        self._paths = _paths("MindPage", file_name, num_consumer)
        schema = common_schema(self._paths)
        self._names = [field.name for field in schema.raw + schema.blob]
        self._field: str | None = None

    @property
    def candidate_fields(self) -> list[str]:
        """The fields by which rows may be grouped: the index fields."""
        return list(read_header(self._paths[0]).index_fields)

    @property
    def category_field(self) -> str | None:
        """The field by which rows are grouped; set it first."""
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if category_field not in self.candidate_fields:
            raise errors.MRMDefineCategoryError(
                f"MindPage: category_field must be one of {self.candidate_fields}, got "
                f"{category_field!r}."
            )
        self._field = category_field

    def read_category_info(self) -> str:
        """The groups as JSON: their ids, names and how many rows each has."""
        categories = [
            {"count": len(rows), "id": i, "name": name}
            for i, (name, rows) in enumerate(self._groups().items())
        ]
        info = {"categories": categories, "key": column(str(self._field))}
        return json.dumps(info, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Page ``page`` (from 0, of ``num_row`` rows) of the group with a number.

        Raises:
            ParamValueError: an argument is not what it must be.
            MRMFetchDataError: there is no such group, or it ends before the page.
        """
        groups = list(self._groups().values())
        _positive("category_id", category_id, 0)
        if category_id >= len(groups):
            raise errors.MRMFetchDataError(
                f"MindPage: category_id must be less than {len(groups)}, got {category_id}."
            )
        return self._page(groups[category_id], page, num_row)

    def read_at_page_by_name(
        self, category_name: str, page: int, num_row: int
    ) -> list[dict[str, Any]]:
        """Page ``page`` (from 0, of ``num_row`` rows) of the group with a name.

        Raises:
            ParamValueError: an argument is not what it must be.
            MRMFetchDataError: there is no such group, or it ends before the page.
        """
        if not isinstance(category_name, str):
            raise errors.ParamValueError(
                f"MindPage: category_name must be a str, got {category_name!r}."
            )
        groups = self._groups()
        if category_name not in groups:
            raise errors.MRMFetchDataError(
                f"MindPage: category_name must be a value of {self._field!r}, got "
                f"{category_name!r}.{did_you_mean(category_name, groups)}"
            )
        return self._page(groups[category_name], page, num_row)

    def _groups(self) -> dict[str, list[int]]:
        """The rows of each value, values in order."""
        if self._field is None:
            raise errors.MRMDefineCategoryError(
                f"MindPage: category_field must be set first, to one of {self.candidate_fields}."
            )
        found: list[Any] = []
        for path in self._paths:
            query = f'SELECT "{column(self._field)}" FROM INDEXES ORDER BY ROW_ID'
            found += [value for (value,) in select(path, query)]
        groups: dict[Any, list[int]] = {}
        for row, value in enumerate(found):
            groups.setdefault(value, []).append(row)
        return {str(value): groups[value] for value in sorted(groups)}

    def _page(self, rows: list[int], page: Any, num_row: Any) -> list[dict[str, Any]]:
        start = _positive("page", page, 0) * _positive("num_row", num_row, 1)
        if start >= len(rows):
            raise errors.MRMFetchDataError(
                f"MindPage: page must be less than {-(-len(rows) // num_row)}, got {page}."
            )
        reader = _Rows(self._paths, self._names)
        try:
            return list(reader.read(np.array(rows[start : start + num_row], np.int64)))
        finally:
            reader.close()


class _Rows:
    """Rows as dicts of plain values."""

    def __init__(self, paths: list[Path], names: list[str]) -> None:
        self._reader = ShardReader([open_shard(path) for path in paths], names)
        types = {field.name: field for field in self._reader.schema.fields}
        self._fields = [types[name] for name in names]

    def __len__(self) -> int:
        return len(self._reader)

    def read(self, rows: np.ndarray) -> Iterator[dict[str, Any]]:
        columns = self._reader.columns(rows, exact=True)
        plain = [_plain(field, columns[field.name]) for field in self._fields]
        names = [field.name for field in self._fields]
        return (dict(zip(names, row)) for row in zip(*plain))

    def close(self) -> None:
        self._reader.close()


def _plain(field: Field, column: Column) -> list[Any]:
    """A column as ints, floats, strs, bytes or arrays."""
    if field.type == "bytes":
        return [value.tobytes() for value in column]
    if field.shape is not None or field.type == "string":
        return values(column)
    return [value.item() for value in column]


def _paths(op: str, file_name: Any, num_consumer: Any) -> list[Path]:
    """The files to read."""
    _positive("num_consumer", num_consumer, 1, op)
    listed = [file_name] if isinstance(file_name, str) else file_name
    if not isinstance(listed, list) or not listed or not all(isinstance(f, str) for f in listed):
        raise errors.ParamValueError(
            f"{op}: file_name must be a str or a list of str, got {file_name!r}."
        )
    for name in listed:
        if not Path(name).is_file():
            raise errors.PathNotExistsError(
                f"{op}: file_name must name files, got {name!r}, which does not exist."
            )
    return file_set(Path(file_name)) if isinstance(file_name, str) else [Path(f) for f in listed]


def _wanted(op: str, columns: Any, names: list[str]) -> list[str]:
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise errors.ParamTypeError(f"{op}: columns must be a list of str, got {columns!r}.")
    for name in columns:
        if name not in names:
            raise errors.ParamValueError(
                f"{op}: columns must name fields of the schema, got "
                f"{name!r}.{did_you_mean(name, names)} It has {names}."
            )
    return [name for name in names if name in columns]


def _positive(name: str, value: Any, least: int, op: str = "MindPage") -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise errors.ParamValueError(
            f"{op}: {name} must be an int of {least} or more, got {value!r}."
        )
    return value
