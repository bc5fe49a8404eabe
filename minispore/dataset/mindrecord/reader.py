"""FileReader reads the rows of MindRecord files in order.

MindPage reads the rows that have the same value in a field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord import exceptions as errors
from minispore.dataset.formats.mindrecord.columns import Column
from minispore.dataset.formats.mindrecord.index import get_index_column, run_query
from minispore.dataset.formats.mindrecord.layout import read_header
from minispore.dataset.formats.mindrecord.reading import (
    find_file_set,
    open_reader,
    read_common_schema,
)
from minispore.dataset.formats.mindrecord.schema import Field
from minispore.dataset.pipeline.block import row_values
from minispore.errors import did_you_mean

_BLOCK_ROWS = 256  # rows decoded at a time


class FileReader:
    """Reads the rows of MindRecord files in order, as dicts.

    Args:
        file_name (str or list[str]): a file, to read all files written together with it, or a list
            of exactly the files to read.
        num_consumer (int): accepted; rows are read on demand. Default: ``4``.
        columns (list[str], optional): read only these fields.
        operator: accepted; it has no effect.

    Raises:
        ParamValueError, ParamTypeError: an argument has an invalid type or value.
        PathNotExistsError: a file is missing.
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
        api_name = type(self).__name__
        paths = _check_paths(api_name, file_name, num_consumer)
        self._schema = read_common_schema(paths)
        # Numbers and strings come first, as in MindSpore.
        names = [field.name for field in self._schema.raw + self._schema.blob]
        if columns is not None:
            names = _select_fields(api_name, columns, names)
        self._rows = _RowReader(paths, names)
        self._position = 0

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Yield the rows that have not been read yet: ints, floats, strs, bytes and arrays."""
        while self._position < len(self._rows):
            stop = min(self._position + _BLOCK_ROWS, len(self._rows))
            for row in self._rows.read(np.arange(self._position, stop)):
                self._position += 1
                yield row

    def len(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def schema(self) -> dict[str, Any]:
        """Return the schema in the form that ``add_schema`` takes."""
        return self._schema.to_dict()

    def close(self) -> None:
        """Close the files; no further row can be read."""
        self._rows.close()
        self._position = len(self._rows)


class MindPage:
    """Reads the rows of MindRecord files that have the same value in one field, by page.

    Args:
        file_name (str or list[str]): as for :class:`FileReader`.
        num_consumer (int): accepted. Default: ``4``.

    Raises:
        ParamValueError: an argument has an invalid value.
        PathNotExistsError: a file is missing.

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
        self._paths = _check_paths("MindPage", file_name, num_consumer)
        schema = read_common_schema(self._paths)
        self._names = [field.name for field in schema.raw + schema.blob]
        self._field: str | None = None

    @property
    def candidate_fields(self) -> list[str]:
        """The fields by which rows may be grouped: the index fields."""
        return list(read_header(self._paths[0]).index_fields)

    @property
    def category_field(self) -> str | None:
        """The field by which rows are grouped; set it before reading pages."""
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
        """Return the groups as JSON: their ids, names and row counts."""
        categories = [
            {"count": len(rows), "id": i, "name": name}
            for i, (name, rows) in enumerate(self._group_rows().items())
        ]
        info = {"categories": categories, "key": get_index_column(str(self._field))}
        return json.dumps(info, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Read page ``page`` (from 0), of ``num_row`` rows, of the group ``category_id``.

        Raises:
            ParamValueError: an argument has an invalid value.
            MRMFetchDataError: there is no such group, or it ends before the page.
        """
        groups = list(self._group_rows().values())
        _check_int("category_id", category_id, 0)
        if category_id >= len(groups):
            raise errors.MRMFetchDataError(
                f"MindPage: category_id must be less than {len(groups)}, got {category_id}."
            )
        return self._read_page(groups[category_id], page, num_row)

    def read_at_page_by_name(
        self, category_name: str, page: int, num_row: int
    ) -> list[dict[str, Any]]:
        """Read page ``page`` (from 0), of ``num_row`` rows, of the group ``category_name``.

        Raises:
            ParamValueError: an argument has an invalid value.
            MRMFetchDataError: there is no such group, or it ends before the page.
        """
        if not isinstance(category_name, str):
            raise errors.ParamValueError(
                f"MindPage: category_name must be a str, got {category_name!r}."
            )
        groups = self._group_rows()
        if category_name not in groups:
            raise errors.MRMFetchDataError(
                f"MindPage: category_name must be a value of {self._field!r}, got "
                f"{category_name!r}.{did_you_mean(category_name, groups)}"
            )
        return self._read_page(groups[category_name], page, num_row)

    def _group_rows(self) -> dict[str, list[int]]:
        """Return the row numbers of each value of the category field, by the value as str, sorted.

        Raises:
            MRMDefineCategoryError: the category field is not set.
        """
        if self._field is None:
            raise errors.MRMDefineCategoryError(
                f"MindPage: category_field must be set first, to one of {self.candidate_fields}."
            )
        field_values: list[Any] = []
        for path in self._paths:
            query = f'SELECT "{get_index_column(self._field)}" FROM INDEXES ORDER BY ROW_ID'
            field_values += [value for (value,) in run_query(path, query)]
        groups: dict[Any, list[int]] = {}
        for row, value in enumerate(field_values):
            groups.setdefault(value, []).append(row)
        return {str(value): groups[value] for value in sorted(groups)}

    def _read_page(self, rows: list[int], page: Any, num_row: Any) -> list[dict[str, Any]]:
        """Read the rows of one page of a group.

        Raises:
            MRMFetchDataError: the group ends before the page.
        """
        start = _check_int("page", page, 0) * _check_int("num_row", num_row, 1)
        if start >= len(rows):
            raise errors.MRMFetchDataError(
                f"MindPage: page must be less than {-(-len(rows) // num_row)}, got {page}."
            )
        reader = _RowReader(self._paths, self._names)
        try:
            return list(reader.read(np.array(rows[start : start + num_row], np.int64)))
        finally:
            reader.close()


class _RowReader:
    """Reads rows of files as dicts of plain values."""

    def __init__(self, paths: list[Path], names: list[str]) -> None:
        self._reader = open_reader(paths, names)
        types = {field.name: field for field in self._reader.schema.fields}
        self._fields = [types[name] for name in names]

    def __len__(self) -> int:
        return len(self._reader)

    def read(self, rows: np.ndarray) -> Iterator[dict[str, Any]]:
        """Return an iterator over some rows as dicts from field name to value."""
        columns = self._reader.read_columns(rows, as_written=True)
        plain_columns = [_to_plain_values(field, columns[field.name]) for field in self._fields]
        names = [field.name for field in self._fields]
        return (dict(zip(names, row)) for row in zip(*plain_columns))

    def close(self) -> None:
        """Close the files."""
        self._reader.close()


def _to_plain_values(field: Field, column: Column) -> list[Any]:
    """Return a column as a list of ints, floats, strs, bytes or arrays."""
    if field.type == "bytes":
        return [value.tobytes() for value in column]
    if field.shape is not None or field.type == "string":
        return row_values(column)
    return [value.item() for value in column]


def _check_paths(api_name: str, file_name: Any, num_consumer: Any) -> list[Path]:
    """Check ``file_name`` and ``num_consumer`` and return the files to read.

    A single name is replaced by all files of its set.
    """
    _check_int("num_consumer", num_consumer, 1, api_name)
    names = [file_name] if isinstance(file_name, str) else file_name
    if not isinstance(names, list) or not names or not all(isinstance(f, str) for f in names):
        raise errors.ParamValueError(
            f"{api_name}: file_name must be a str or a list of str, got {file_name!r}."
        )
    for name in names:
        if not Path(name).is_file():
            raise errors.PathNotExistsError(
                f"{api_name}: file_name must name files, got {name!r}, which does not exist."
            )
    if isinstance(file_name, str):
        return find_file_set(Path(file_name))
    return [Path(name) for name in names]


def _select_fields(api_name: str, columns: Any, names: list[str]) -> list[str]:
    """Return the names in ``columns``, in the order of ``names``.

    Raises:
        ParamTypeError, ParamValueError: ``columns`` does not hold field names.
    """
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise errors.ParamTypeError(f"{api_name}: columns must be a list of str, got {columns!r}.")
    for name in columns:
        if name not in names:
            raise errors.ParamValueError(
                f"{api_name}: columns must name fields of the schema, got "
                f"{name!r}.{did_you_mean(name, names)} It has {names}."
            )
    return [name for name in names if name in columns]


def _check_int(name: str, value: Any, minimum: int, api_name: str = "MindPage") -> int:
    """Check that an argument is an int of ``minimum`` or more, and return it."""
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise errors.ParamValueError(
            f"{api_name}: {name} must be an int of {minimum} or more, got {value!r}."
        )
    return value
