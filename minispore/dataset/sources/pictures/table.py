"""PictureTable: rows of pictures in files with values beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.run import Run
from minispore.dataset.vision import Decode
from minispore.errors import DatasetError

SUFFIXES = (".jpg", ".jpeg", ".bmp", ".png", ".gif", ".tif", ".tiff", ".webp")


class PictureTable:
    """Pictures in files, each with some values beside it.

    Args:
        op: the name of the dataset, for messages.
        columns: of each column the value of each row: a Path is the picture in that file; an array
            has a row along its first axis; a list has an array for each row.
        decode: whether pictures are decoded, else they are the bytes of the file.
        decrypt: gives the bytes of the file of a name.
    """

    def __init__(
        self,
        op: str,
        columns: Mapping[str, Any],
        decode: bool | None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        self._op, self._columns = op, dict(columns)
        wanted = decode is not None and check.boolean(op, "decode", decode)
        self._decode = Decode() if wanted else None
        self._decrypt = decrypt

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def labels(self, column: str) -> np.ndarray | None:
        """The classes of all rows, for PKSampler."""
        found = self._columns.get(column)
        return found if isinstance(found, np.ndarray) and found.ndim == 1 else None

    def files_of(self, row: int) -> list[Path]:
        """The pictures of a row."""
        values = [column[row] for column in self._columns.values()]
        return [value for value in values if isinstance(value, Path)]

    def open(self, run: Run, workers: int | None) -> _Reader:
        """A reader; it may be used by many threads."""
        return _Reader(self, workers or run.options.workers)

    def read(self, index: np.ndarray) -> Block:
        """The rows ``index``, up to the first picture that can't be read."""
        rows: list[Sequence[Any]] = []
        for i in index.tolist():
            value: Any = None
            try:
                row = []
                for column in self._columns.values():
                    value = column[i, ...] if isinstance(column, np.ndarray) else column[i]
                    row.append(self._picture(value) if isinstance(value, Path) else value)
                rows.append(row)
            except ImportError:
                raise
            except Exception as exc:
                error = DatasetError(
                    f"{self._op}: row {i} failed, the image {value}. {type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                return from_rows(self.columns, rows).failed(error)
        return from_rows(self.columns, rows)

    def _picture(self, path: Path) -> np.ndarray:
        raw = path.read_bytes() if self._decrypt is None else self._decrypt(str(path))
        array = np.frombuffer(raw, np.uint8)
        return array.copy() if self._decode is None else self._decode(array)


class _Reader:
    ordered = False

    def __init__(self, table: PictureTable, lanes: int) -> None:
        self.read, self.lanes = table.read, lanes


def suffixes(op: str, extensions: Any) -> tuple[str, ...]:
    """How names of files must end; "", with which all do, for None and for none."""
    if extensions is None or extensions == []:
        return ("",)
    if not isinstance(extensions, list):
        raise check.wrong_type(op, "extensions", "be a list", extensions, list)
    return tuple(check.names(op, "extensions", extensions))


def pictures(path: Path, ends: tuple[str, ...] = SUFFIXES) -> list[Path]:
    """The pictures in a folder, in the order of their names; none if there is no folder."""
    if not path.is_dir():
        return []
    return sorted(p for p in path.iterdir() if p.is_file() and _is_of(p, ends))


def _is_of(path: Path, ends: tuple[str, ...]) -> bool:
    """Whether a name ends so: as a user says, exactly; as pictures do, in any case."""
    return ends == ("",) or (path.suffix.lower() if ends is SUFFIXES else path.suffix) in ends


def folders(path: Path) -> list[Path]:
    """The folders in a folder, in the order of their names."""
    return sorted(p for p in path.iterdir() if p.is_dir()) if path.is_dir() else []


def some(op: str, files: Sequence[Any], path: Path, wanted: str = "images") -> None:
    """Raise a RuntimeError if there is no file."""
    if not files:
        raise RuntimeError(f"{op}: dataset_dir must hold {wanted}, got none in {path}.")


def lines(op: str, path: Path) -> list[str]:
    """The lines of a text file.

    Raises:
        RuntimeError: it can't be read.
    """
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise RuntimeError(f"{op}: {path} must be a readable text file. {exc}") from exc


def damaged(op: str, path: Path, line: int, wanted: str, got: str) -> RuntimeError:
    """What to raise for a line that is not as it must be."""
    return RuntimeError(f"{op}: line {line} of {path} must be {wanted}, got {got!r}.")


def class_labels(op: str, given: Any, there: list[str]) -> dict[str, int]:
    """``class_indexing``; without, all classes in the order of their names.

    Raises:
        TypeError: it is no dict from str to int.
    """
    if given is None or given == {}:
        return {name: i for i, name in enumerate(there)}
    if not isinstance(given, dict):
        raise TypeError(f"{op}: class_indexing must be a dict, got {given!r}.")
    for name, label in given.items():
        check.string(op, "class_indexing", name)
        check.int32(op, f"class_indexing[{name!r}]", label)
    return dict(given)
