"""Schema: names, dtypes and shapes of columns."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.foundation.files import check_regular_file, parse_json
from minispore.ir import dtype as mstype


@dataclass(frozen=True)
class SchemaColumn:
    """One column. ``shape`` is None if it is not known; a size of -1 is dynamic."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...] | None = None

    @property
    def fixed_shape(self) -> tuple[int, ...] | None:
        """The shape if all sizes are known, else None."""
        return None if self.shape is None or -1 in self.shape else self.shape


class Schema:
    """The columns of a dataset.

    Args:
        schema_file (str, optional): a JSON file with ``columns`` to read. Default: ``None``, an
            empty schema.

    Raises:
        RuntimeError: the file can't be read or lists no columns.

    Example:
        >>> from minispore.ir import dtype
        >>> import minispore.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("label", dtype.int64, [1])
        >>> list(schema.columns)
        ['label']
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: dict[str, SchemaColumn] = {}
        self.dataset_type = ""
        self.num_rows = 0
        if schema_file is not None:
            if not isinstance(schema_file, str | os.PathLike):
                raise TypeError(
                    f"Schema: schema_file must be a str, got {schema_file!r}. path: {schema_file} "
                    "is not string."
                )
            try:
                self.from_json(
                    parse_json(Path(check_regular_file(schema_file)).read_text(encoding="utf-8"))
                )
            except (OSError, ValueError, TypeError, RuntimeError) as exc:
                raise RuntimeError(
                    f"Schema: schema_file must be a readable JSON file with columns, got "
                    f"{schema_file!r}. {exc}"
                ) from exc

    def add_column(self, name: str, de_type: Any, shape: list[int] | None = None) -> None:
        """Add a column.

        Args:
            name (str): the name; an existing column of this name is replaced.
            de_type (DType or str): the data type.
            shape (list[int], optional): the shape; -1 for a dynamic size. Default: ``None``, not
                known.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a size is invalid.
        """
        if not isinstance(name, str) or not name:
            raise check.wrong_type("Schema.add_column", "name", "be a str", name, str)
        if shape is not None:
            if not isinstance(shape, list | tuple):
                rule = "be a list of ints"
                raise check.wrong_type("Schema.add_column", "shape", rule, shape, list)
            shape = [check.int32("Schema.add_column", "shape", s, -1) for s in shape]
        dtype = mstype.to_numpy(mstype.resolve_dtype(de_type))
        self.columns[name] = SchemaColumn(name, dtype, None if shape is None else tuple(shape))

    def parse_columns(self, columns: Any) -> None:
        """Add the columns that a JSON file describes.

        Args:
            columns (list or dict): dicts with name, type and shape, or such dicts by name, which
                are added in alphabetical order. A rank of 0 is the shape [].

        Raises:
            RuntimeError: a column has no name or no type.
            TypeError: ``columns`` is not a list or dict.
        """
        if isinstance(columns, dict):
            entries = [
                {**(v if isinstance(v, dict) else {}), "name": k}
                for k, v in sorted(columns.items())
            ]
        elif isinstance(columns, list):
            entries = columns
        else:
            raise TypeError(
                f"Schema.parse_columns: columns must be a list or a dict, got {columns!r}."
            )
        for entry in entries:
            if not isinstance(entry, dict) or "type" not in entry or "name" not in entry:
                missing = "type" if isinstance(entry, dict) and "name" in entry else "name"
                raise RuntimeError(
                    f"Schema.parse_columns: each column must have a name and a type, got {entry!r}."
                    f" Column's {missing} is missing."
                )
            shape = entry.get("shape", [] if entry.get("rank") == 0 else None)
            self.add_column(entry["name"], entry["type"], shape)

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Read the columns and the number of rows from the dict that :meth:`to_json` writes.

        Raises:
            RuntimeError: the dict lists no columns, or has a negative number of rows.
        """
        if not isinstance(json_obj, dict) or not json_obj.get("columns"):
            raise RuntimeError(
                f"Schema.from_json: json_obj must be a dict with columns, got {json_obj!r:.80}."
            )
        self.dataset_type = json_obj.get("datasetType", "")
        self.num_rows = json_obj.get("numRows", 0)
        if not isinstance(self.num_rows, int) or self.num_rows < 0:
            raise RuntimeError(
                f"Schema.from_json: numRows must be 0 or more, got {self.num_rows!r}."
            )
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """Return the schema as JSON text."""
        columns = {}
        for column in self.columns.values():
            entry: dict[str, Any] = {
                "type": "string" if column.dtype.kind in "US" else column.dtype.name
            }
            if column.shape is not None:
                entry |= {"rank": len(column.shape), "shape": list(column.shape)}
            columns[column.name] = entry
        document: dict[str, Any] = {"columns": columns}
        if self.dataset_type:
            document["datasetType"] = self.dataset_type
        if self.num_rows:
            document["numRows"] = self.num_rows
        return json.dumps(document, indent=2)

    def get_num_rows(self) -> int:
        """Return the number of rows given in the file."""
        return self.num_rows

    def __str__(self) -> str:
        return self.to_json()
