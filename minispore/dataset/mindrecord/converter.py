"""What the converters share: rows of other data sets to MindRecord files."""

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
    """How a conversion went; one that fails raises."""

    SUCCESS = 0
    FAILED = 1


SUCCESS = MSRStatus.SUCCESS
FAILED = MSRStatus.FAILED


class Converter:
    """Base of the converters: ``transform`` writes files, all or none."""

    def transform(self) -> MSRStatus:
        """Write the files.

        Returns:
            ``SUCCESS``.

        Raises:
            MRMOpenError: a file is there already.
            RuntimeError: the source is damaged.
        """
        raise TypeError(f"{type(self).__name__}: must define transform.")

    def run(self) -> MSRStatus:
        """The same as :meth:`transform`."""
        return self.transform()


@contextmanager
def writers(*made: FileWriter) -> Iterator[None]:
    """Commit some writers after the block, or remove what they wrote if it fails."""
    try:
        yield
        for writer in made:
            writer.commit()
    finally:
        for writer in made:
            writer.discard()


def write(
    writer: FileWriter,
    schema: Mapping[str, Any],
    description: str,
    index: list[str] | None,
    rows: Iterable[dict[str, Any]],
) -> None:
    """Write rows of a schema, some at a time."""
    writer.add_schema(dict(schema), description)
    if index:
        writer.add_index(index)
    left = iter(rows)
    while block := list(islice(left, _BLOCK_ROWS)):
        writer.write_raw_data(block)


def path_of(op: str, name: str, value: Any) -> Path:
    """An argument that is a path.

    Raises:
        ValueError: it is no str.
    """
    if not isinstance(value, str) or not value:
        raise ValueError(f"{op}: {name} must be a str, got {value!r}.")
    return Path(value)


def there(op: str, name: str, path: Path) -> Path:
    """A path that exists.

    Raises:
        PathNotExistsError: it does not.
    """
    if not path.exists():
        raise PathNotExistsError(f"{op}: {name} must exist, {str(path)!r} does not.")
    return path


def partitions(op: str, value: Any) -> int:
    """``partition_number``.

    Raises:
        ValueError: it is no int.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{op}: partition_number must be an int, got {value!r}.")
    return value
