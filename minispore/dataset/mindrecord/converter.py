"""Base and helpers of the converters from other datasets to MindRecord files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any

from minispore.dataset.formats.mindrecord.exceptions import PathNotExistsError
from minispore.dataset.mindrecord.writer import FileWriter

_BLOCK_ROWS = 256


class MSRStatus(Enum):
    """The result of a conversion; a failed conversion raises an error instead."""

    SUCCESS = 0
    FAILED = 1


SUCCESS = MSRStatus.SUCCESS
FAILED = MSRStatus.FAILED


class Converter:
    """Base of the converters: ``transform`` writes all files or none."""

    def transform(self) -> MSRStatus:
        """Write the files; each converter defines this method.

        Returns:
            ``SUCCESS``.

        Raises:
            MRMOpenError: a file already exists.
            RuntimeError: the source is damaged.
        """
        raise TypeError(f"{type(self).__name__}: must define transform.")

    def run(self) -> MSRStatus:
        """Convert the source as :meth:`transform` does."""
        return self.transform()


@contextmanager
def commit_or_discard(*file_writers: FileWriter) -> Iterator[None]:
    """Commit the writers after the block, or remove their files if it fails."""
    try:
        yield
        for writer in file_writers:
            writer.commit()
    finally:
        for writer in file_writers:
            writer.discard()


def write_rows(
    writer: FileWriter,
    schema: Mapping[str, Any],
    description: str,
    index: list[str] | None,
    rows: Iterable[dict[str, Any]],
) -> None:
    """Add a schema and index fields to a writer, and write rows in chunks; the caller commits."""
    writer.add_schema(dict(schema), description)
    if index:
        writer.add_index(index)
    remaining = iter(rows)
    while block := list(islice(remaining, _BLOCK_ROWS)):
        writer.write_raw_data(block)


def check_path(api_name: str, name: str, value: Any) -> Path:
    """Return a path argument as a Path.

    Raises:
        ValueError: ``value`` is not a str.
    """
    if not isinstance(value, str) or not value:
        raise ValueError(f"{api_name}: {name} must be a str, got {value!r}.")
    return Path(value)


def check_existing_path(api_name: str, name: str, path: Path) -> Path:
    """Return a path after checking that it exists.

    Raises:
        PathNotExistsError: the path does not exist.
    """
    if not path.exists():
        raise PathNotExistsError(f"{api_name}: {name} must exist, {str(path)!r} does not.")
    return path


def check_existing_file(api_name: str, name: str, path: Path) -> Path:
    """Return a path after checking that it is a regular file; raise PathNotExistsError if not."""
    if check_existing_path(api_name, name, path).is_file():
        return path
    raise PathNotExistsError(f"{api_name}: {name} must be a regular file, {str(path)!r} is not.")


def check_partition_number(api_name: str, value: Any) -> int:
    """Check ``partition_number``, the number of files, and return it.

    Raises:
        ValueError: ``value`` is not an int.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{api_name}: partition_number must be an int, got {value!r}.")
    return value
