"""Converts CSV files and TFRecord files to MindRecord files."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from minispore.dataset.formats import tfrecord
from minispore.dataset.formats.lines import read_csv
from minispore.dataset.mindrecord.converter import (
    SUCCESS,
    Converter,
    MSRStatus,
    check_existing_file,
    check_partition_number,
    check_path,
    commit_or_discard,
    write_rows,
)
from minispore.dataset.mindrecord.writer import FileWriter
from minispore.errors import did_you_mean

_INT64 = np.iinfo(np.int64)


class CsvToMR(Converter):
    """Converts a CSV file with a header line to MindRecord files.

    Each column is a field: int64 or float64 if all values are such numbers (an empty value is NaN),
    else string.

    Args:
        source (str): the file.
        destination (str): the MindRecord file; several files get a number at the end of their
            names.
        columns_list (list[str], optional): convert only these columns. Default: ``None``, all.
        partition_number (int): the number of files. Default: ``1``.

    Raises:
        ValueError: an argument has an invalid value.
    """

    def __init__(
        self,
        source: str,
        destination: str,
        columns_list: list[str] | None = None,
        partition_number: int = 1,
    ) -> None:
        api_name = type(self).__name__
        self.source = check_path(api_name, "source", source)
        self.destination = str(check_path(api_name, "destination", destination))
        if columns_list is not None and (
            not isinstance(columns_list, list) or not all(isinstance(n, str) for n in columns_list)
        ):
            raise ValueError(
                f"{api_name}: columns_list must be a list of str, got {columns_list!r}."
            )
        self.columns_list = columns_list
        self.partition_number = check_partition_number(api_name, partition_number)

    def transform(self) -> MSRStatus:
        """Write the rows, or no file at all; each column's type is inferred from its texts."""
        columns = self._read_columns()
        kinds = {name: _infer_type(texts) for name, texts in columns.items()}
        schema = {name: {"type": kind} for name, (kind, _) in kinds.items()}
        values = [[convert(t) for t in columns[name]] for name, (_, convert) in kinds.items()]
        rows = (dict(zip(columns, row)) for row in zip(*values))
        writer = FileWriter(self.destination, self.partition_number)
        with commit_or_discard(writer):
            write_rows(writer, schema, "csv_schema", list(columns), rows)
        return SUCCESS

    def _read_columns(self) -> dict[str, list[str]]:
        """Read the chosen columns as texts.

        Raises:
            RuntimeError: the file is not a CSV file, a row is too short or too long, or a column is
                missing.
        """
        path = check_existing_file("CsvToMR", "source", self.source)
        try:
            with path.open(newline="", encoding="utf-8-sig") as file:
                lines = [line for line in read_csv(file) if line]
        except (OSError, UnicodeDecodeError, csv.Error) as exc:
            raise RuntimeError(f"CsvToMR: source must be a readable CSV file. {exc}.") from exc
        names, *rows = lines or [[]]
        for number, row in enumerate(rows):
            if len(row) != len(names):
                raise RuntimeError(
                    f"CsvToMR: each row of {path} must have {len(names)} values, got {len(row)} in "
                    f"row {number}."
                )
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        for name in self.columns_list or []:
            if name not in columns:
                raise RuntimeError(
                    f"CsvToMR: columns_list must name columns of the file, got "
                    f"{name!r}.{did_you_mean(name, columns)}"
                )
        return {name: columns[name] for name in self.columns_list or names}


class TFRecordToMR(Converter):
    """Converts a TFRecord file of tf.train.Example records, without TensorFlow.

    Args:
        source (str): the TFRecord file.
        destination (str): the MindRecord file.
        feature_dict (dict): for each feature an object with ``shape`` and ``dtype``, such as
            ``tf.io.FixedLenFeature``: a shape ``[]`` or ``[n]``, a dtype (or its name) int64,
            float32 or string. In field names, characters other than ASCII letters and digits are
            replaced by ``_``.
        bytes_fields (list[str], optional): the strings that are bytes, such as encoded images.

    Raises:
        ValueError: an argument has an invalid value.
    """

    def __init__(
        self,
        source: str,
        destination: str,
        feature_dict: Mapping[str, Any],
        bytes_fields: list[str] | None = None,
    ) -> None:
        api_name = type(self).__name__
        self.source = check_path(api_name, "source", source)
        self.destination = str(check_path(api_name, "destination", destination))
        if not isinstance(feature_dict, Mapping) or not feature_dict:
            raise ValueError(
                f"{api_name}: feature_dict must be a dict of features, got {feature_dict!r}."
            )
        bytes_names = [] if bytes_fields is None else bytes_fields
        if not isinstance(bytes_names, list) or not all(
            isinstance(name, str) for name in bytes_names
        ):
            raise ValueError(
                f"{api_name}: bytes_fields must be a list of str, got {bytes_fields!r}."
            )
        for name in bytes_names:
            if name not in feature_dict:
                raise ValueError(
                    f"{api_name}: bytes_fields must name features, got "
                    f"{name!r}.{did_you_mean(name, map(str, feature_dict))}"
                )
        self._fields = {
            name: _make_feature_field(api_name, name, feature, name in bytes_names)
            for name, feature in feature_dict.items()
        }

    def transform(self) -> MSRStatus:
        """Write a row for each record, or no file at all."""
        path = check_existing_file("TFRecordToMR", "source", self.source)
        schema = {_make_field_name(name): field for name, field in self._fields.items()}
        writer = FileWriter(self.destination)
        with commit_or_discard(writer):
            rows = (
                self._make_row(i, data) for i, data in enumerate(tfrecord.stream_records(path, ""))
            )
            write_rows(writer, schema, "TFRecord to MindRecord", None, rows)
        return SUCCESS

    def _make_row(self, number: int, data: bytes) -> dict[str, Any]:
        """Make a row from one record.

        Raises:
            RuntimeError: a feature is missing, or its type or shape is wrong.
        """
        example = tfrecord.parse_example(data)
        row = {}
        for name, field in self._fields.items():
            try:
                row[_make_field_name(name)] = _convert_feature(field, example[name])
            except (KeyError, ValueError, IndexError, AttributeError) as exc:
                raise RuntimeError(
                    f"TFRecordToMR: feature {name!r} must be {field}, as feature_dict says, it is "
                    f"not in record {number}. {exc!r}"
                ) from exc
        return row


def _infer_type(texts: list[str]) -> tuple[str, Any]:
    """Return the type of a column, int64, float64 or string, and the converter of its texts."""
    try:
        if texts and all(_INT64.min <= int(text) <= _INT64.max for text in texts):
            return "int64", int
    except ValueError:
        pass
    try:
        if any(texts):
            [_parse_float(text) for text in texts]
            return "float64", _parse_float
    except ValueError:
        pass
    return "string", str


def _parse_float(text: str) -> float:
    """Return a text as a number; an empty text is NaN."""
    return float(text or "nan")


def _make_field_name(name: str) -> str:
    """Return a feature's field name: all but ASCII letters and digits become ``_``."""
    return re.sub("[^0-9a-zA-Z_]", "_", name)


def _make_feature_field(api_name: str, name: Any, feature: Any, is_bytes: bool) -> dict[str, Any]:
    """Return the schema entry for a feature.

    Raises:
        ValueError: the dtype or shape is not supported.
    """
    dtype = getattr(feature, "dtype", None)
    dtype_name = getattr(dtype, "name", dtype)
    shape = getattr(feature, "shape", None)
    if not isinstance(shape, list | tuple) or dtype_name not in ("int64", "float32", "string"):
        raise ValueError(
            f"{api_name}: feature_dict[{name!r}] must have a list 'shape' and a 'dtype' int64, "
            f"float32 or string, got {feature!r}."
        )
    if is_bytes or dtype_name == "string":
        if dtype_name != "string" or list(shape) not in ([], [1]):
            raise ValueError(
                f"{api_name}: feature_dict[{name!r}] must be one string, got {feature!r}."
            )
        return {"type": "bytes" if is_bytes else "string"}
    if len(shape) > 1 or any(not isinstance(size, int) or size < 1 for size in shape):
        raise ValueError(f"{api_name}: the shape of {name!r} must be [] or [n], got {list(shape)}.")
    return {"type": dtype_name, "shape": list(shape)} if shape else {"type": dtype_name}


def _convert_feature(field: dict[str, Any], feature: tfrecord.Feature) -> Any:
    """Return a feature's values in the form that the field stores.

    Raises:
        ValueError: the type or the number of the values is wrong.
    """
    if isinstance(feature, list):
        (value,) = feature
        if field["type"] not in ("bytes", "string"):
            raise ValueError("it is bytes")
        return value if field["type"] == "bytes" else value.decode()
    if feature.dtype != field["type"]:
        raise ValueError(f"it is {feature.dtype}")
    if "shape" in field:
        return feature.reshape(field["shape"])
    return feature.item()
