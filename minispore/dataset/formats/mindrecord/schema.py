"""Schema of MindRecord rows: fields that are numbers, strings, bytes or arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord.exceptions import (
    MRMBuildSchemaError,
    MRMInvalidSchemaError,
    MRMValidateDataError,
)
from minispore.errors import did_you_mean

TYPES = ("int32", "int64", "float32", "float64", "string", "bytes")
_NUMBERS = TYPES[:4]
_SQL = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL"}


@dataclass(frozen=True)
class Field:
    """One field: ``shape`` is None for a single value; one size of a shape may be -1."""

    name: str
    type: str
    shape: tuple[int, ...] | None = None

    @property
    def is_blob(self) -> bool:
        """Whether the field is stored in blob pages."""
        return self.type == "bytes" or self.shape is not None

    @property
    def is_integer(self) -> bool:
        """Whether the field holds integers, alone or in arrays."""
        return self.type.startswith("int")

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype of the field's numbers."""
        return np.dtype(self.type)

    @property
    def sql(self) -> str:
        """The type of the field's column in an index."""
        return _SQL.get(self.type, "TEXT")

    def to_json(self) -> dict[str, Any]:
        """Return the field's entry in a schema."""
        shape = {} if self.shape is None else {"shape": list(self.shape)}
        return shape | {"type": self.type}

    def fit_shape(self, count: int) -> tuple[int, ...] | None:
        """Return the shape of an array of ``count`` numbers; None if they don't fill the shape."""
        assert self.shape is not None
        fixed_size = math.prod(size for size in self.shape if size != -1)
        if -1 not in self.shape:
            return self.shape if count == fixed_size else None
        free_size, remainder = divmod(count, fixed_size)
        if remainder:
            return None
        return tuple(free_size if size == -1 else size for size in self.shape)

    @property
    def blank_value(self) -> Any:
        """An empty value of the field's type."""
        if self.shape is not None:
            return np.zeros([max(size, 0) for size in self.shape], self.dtype)
        if self.type == "bytes":
            return b""
        return "" if self.type == "string" else self.dtype.type(0).item()

    def check_value(self, value: Any, api_name: str, place_text: str) -> Any:
        """Check a value and return it as it is stored: an int, float, str, bytes or array.

        Raises:
            MRMValidateDataError: the value does not fit; ``api_name`` and ``place_text`` begin and
                end the message.
        """
        if self.shape is not None:
            return self._check_array(value, api_name, place_text)
        if self.type == "bytes":
            fits, rule = isinstance(value, bytes), "bytes"
        elif self.type == "string":
            fits, rule = isinstance(value, str), "a str"
        elif self.is_integer:
            limits = np.iinfo(self.dtype)
            rule = f"an int in [{limits.min}, {limits.max}]"
            fits = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if fits:
                value = int(value)
                fits = limits.min <= value <= limits.max
        else:
            rule = "a float"
            fits = isinstance(value, float | np.floating)
            value = float(value) if fits else value
        if not fits:
            raise self._make_misfit_error(
                api_name, place_text, rule, f"{value!r:.60} ({type(value).__name__})"
            )
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise self._make_misfit_error(
                    api_name, place_text, "a str that UTF-8 can hold", repr(value)
                ) from None
        return value

    def _check_array(self, value: Any, api_name: str, place_text: str) -> np.ndarray:
        """Check that an array has the field's dtype and fills its shape.

        Raises:
            MRMValidateDataError: the dtype or the shape is wrong.
        """
        rule = f"an array of {self.type} that fills the shape {list(self.shape or ())}"
        if not isinstance(value, np.ndarray):
            raise self._make_misfit_error(
                api_name, place_text, rule, f"{value!r:.60} ({type(value).__name__})"
            )
        if value.dtype != self.dtype or self.fit_shape(value.size) is None:
            raise self._make_misfit_error(
                api_name, place_text, rule, f"{value.dtype} of shape {list(value.shape)}"
            )
        return value

    def _make_misfit_error(
        self, api_name: str, place_text: str, rule: str, got: str
    ) -> MRMValidateDataError:
        """Return the error for a value that does not fit the field."""
        return MRMValidateDataError(
            f"{api_name}: field {self.name!r} must be {rule}, as the schema says, got {got} "
            f"in {place_text}."
        )


@dataclass(frozen=True)
class Schema:
    """The fields of a row, sorted by name."""

    fields: tuple[Field, ...]
    description: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    @property
    def raw(self) -> tuple[Field, ...]:
        """The fields of raw pages."""
        return tuple(field for field in self.fields if not field.is_blob)

    @property
    def blob(self) -> tuple[Field, ...]:
        """The fields of blob pages."""
        return tuple(field for field in self.fields if field.is_blob)

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as the dict that ``add_schema`` takes."""
        return {field.name: field.to_json() for field in self.fields}

    def check_row(self, row: Mapping[str, Any], number: int) -> list[Any]:
        """Check a row and return its values in the order of the fields; other keys are ignored.

        Raises:
            MRMValidateDataError: a value is missing, or does not fit.
        """
        values = []
        for field in self.fields:
            if field.name not in row:
                raise MRMValidateDataError(
                    f"FileWriter: row {number} of raw_data must have the field {field.name!r} of "
                    f"the schema.{did_you_mean(field.name, map(str, row))} It has {list(row)}."
                )
            values.append(
                field.check_value(row[field.name], "FileWriter", f"row {number} of raw_data")
            )
        return values


def parse_schema(content: Any, description: str = "") -> Schema:
    """Make a schema from a dict ``{name: {"type": ..., "shape": [...]}}``.

    Raises:
        MRMInvalidSchemaError, MRMBuildSchemaError: the dict is not a valid schema.

    >>> parse_schema({"x": {"type": "int32", "shape": [-1]}}).fields
    (Field(name='x', type='int32', shape=(-1,)),)
    """
    if not isinstance(content, Mapping) or not content:
        raise MRMInvalidSchemaError(
            f"FileWriter: a schema must be a dict with at least one field, got {content!r}."
        )
    return Schema(
        tuple(_parse_field(name, content[name]) for name in sorted(content, key=str)), description
    )


def _parse_field(name: Any, entry: Any) -> Field:
    """Make a field from its entry in a schema.

    Raises:
        MRMInvalidSchemaError, MRMBuildSchemaError: the name, type or shape is wrong.
    """
    if not isinstance(name, str) or not re.fullmatch("[0-9a-zA-Z_]+", name):
        raise MRMInvalidSchemaError(
            f"FileWriter: the name of a field must be of letters, digits and '_', got {name!r}."
        )
    if not isinstance(entry, Mapping) or not {"type"} <= set(entry) <= {"type", "shape"}:
        raise MRMInvalidSchemaError(
            f"FileWriter: field {name!r} must be a dict with 'type' and perhaps 'shape', got "
            f"{entry!r}."
        )
    kind, shape = entry["type"], entry.get("shape")
    types = TYPES if shape is None else _NUMBERS
    if kind not in types:
        array_text = "" if shape is None else " of an array"
        raise MRMInvalidSchemaError(
            f"FileWriter: the type{array_text} of field {name!r} must be one of "
            f"{', '.join(types)}, got "
            f"{kind!r}.{did_you_mean(str(kind), types)}"
        )
    if shape is None:
        return Field(name, kind)
    if not isinstance(shape, list | tuple):
        raise MRMInvalidSchemaError(
            f"FileWriter: the shape of field {name!r} must be a list, got {shape!r}."
        )
    is_valid = all(isinstance(s, int) and (s == -1 or s > 0) for s in shape)
    if not is_valid or list(shape).count(-1) > 1:
        raise MRMBuildSchemaError(
            f"FileWriter: the shape of field {name!r} must hold positive ints and at most one -1, "
            f"got {list(shape)}."
        )
    return Field(name, kind, tuple(shape))
