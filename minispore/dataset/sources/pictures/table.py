"""PictureTable: rows of pictures in files, with further values for each picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.run import Run
from minispore.dataset.sources.table import ThreadedReader
from minispore.dataset.vision import Decode
from minispore.errors import DatasetError

SUFFIXES = (".jpg", ".jpeg", ".bmp", ".png", ".gif", ".tif", ".tiff", ".webp")


class PictureTable:
    """Pictures in files, each with further values.

    Args:
        api_name: the name of the dataset, for messages.
        columns: the values of each column, by row: a Path is the picture in that file; an array
            has rows along its first axis; a list has an array for each row.
        decode: whether pictures are decoded, else they are the bytes of the file.
        decrypt: returns the decrypted bytes of a file by its name.
    """

    def __init__(
        self,
        api_name: str,
        columns: Mapping[str, Any],
        decode: bool | None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        self._api_name, self._columns = api_name, dict(columns)
        must_decode = decode is not None and check.boolean(api_name, "decode", decode)
        self._decode = Decode() if must_decode else None
        self._decrypt = decrypt

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return the class of each row, for PKSampler; None unless the column has one axis."""
        values = self._columns.get(column)
        return values if isinstance(values, np.ndarray) and values.ndim == 1 else None

    def list_row_files(self, row: int) -> list[Path]:
        """Return the pictures of a row."""
        values = [column[row] for column in self._columns.values()]
        return [value for value in values if isinstance(value, Path)]

    def open_reader(self, run: Run, workers: int | None) -> ThreadedReader:
        return ThreadedReader(self.read_rows, workers or run.options.workers)

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows ``index``, up to the first picture that can't be read.

        Raises:
            ImportError: a picture must be decoded, and Pillow is missing.
        """
        rows: list[Sequence[Any]] = []
        for i in index.tolist():
            value: Any = None
            try:
                row = []
                for column in self._columns.values():
                    value = column[i, ...] if isinstance(column, np.ndarray) else column[i]
                    row.append(self._read_picture(value) if isinstance(value, Path) else value)
                rows.append(row)
            except ImportError:
                raise
            except Exception as exc:
                error = DatasetError(
                    f"{self._api_name}: row {i} failed, the image {value}. "
                    f"{type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                return from_rows(self.columns, rows).copy_with_error(error)
        return from_rows(self.columns, rows)

    def _read_picture(self, path: Path) -> np.ndarray:
        """Read a picture, and decrypt and decode it if required."""
        raw = path.read_bytes() if self._decrypt is None else self._decrypt(str(path))
        array = np.frombuffer(raw, np.uint8)
        return array.copy() if self._decode is None else self._decode(array)


def check_extensions(api_name: str, extensions: Any) -> tuple[str, ...]:
    """Check and return ``extensions``; for None and [] ``("",)``, which accepts any file."""
    if extensions is None or extensions == []:
        return ("",)
    if not isinstance(extensions, list):
        raise check.wrong_type(api_name, "extensions", "be a list", extensions, list)
    return tuple(check.names(api_name, "extensions", extensions))


def list_pictures(path: Path, extensions: tuple[str, ...] = SUFFIXES) -> list[Path]:
    """Return the files in a folder with these extensions, by default all kinds of pictures.

    They are sorted by name; the list is empty if the folder does not exist.
    """
    if not path.is_dir():
        return []
    return sorted(p for p in path.iterdir() if p.is_file() and _has_extension(p, extensions))


def _has_extension(path: Path, extensions: tuple[str, ...]) -> bool:
    """Whether a file has one of the extensions; only the default ones ignore case."""
    return (
        extensions == ("",)
        or (path.suffix.lower() if extensions is SUFFIXES else path.suffix) in extensions
    )


def list_folders(path: Path) -> list[Path]:
    """Return the subfolders of a folder, sorted by name; an empty list without such a folder."""
    return sorted(p for p in path.iterdir() if p.is_dir()) if path.is_dir() else []


def check_not_empty(
    api_name: str, files: Sequence[Any], path: Path, content: str = "images"
) -> None:
    """Raise RuntimeError if ``files`` is empty, saying that the folder must hold ``content``."""
    if not files:
        raise RuntimeError(f"{api_name}: dataset_dir must hold {content}, got none in {path}.")


def read_lines(
    api_name: str, path: Path, missing_error: type[Exception] = RuntimeError
) -> list[str]:
    """Return the lines of a text file.

    Raises:
        RuntimeError: the file can't be read.
        missing_error: the file does not exist.
    """
    if not path.is_file():
        raise missing_error(
            f"{api_name}: {path} must be a text file: it does not exist or permission denied."
        )
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise RuntimeError(f"{api_name}: {path} must be a readable text file. {exc}") from exc


def make_line_error(api_name: str, path: Path, line: int, rule: str, got: str) -> RuntimeError:
    """Return the error for an invalid line of a text file, which must be ``rule``."""
    return RuntimeError(f"{api_name}: line {line} of {path} must be {rule}, got {got!r}.")


def check_class_indexing(
    api_name: str, class_indexing: Any, class_names: list[str]
) -> dict[str, int]:
    """Check and return ``class_indexing``; None and {} number ``class_names`` in their order.

    Raises:
        TypeError: ``class_indexing`` is not a dict from str to int.
    """
    if class_indexing is None or class_indexing == {}:
        return {name: i for i, name in enumerate(class_names)}
    if not isinstance(class_indexing, dict):
        raise TypeError(f"{api_name}: class_indexing must be a dict, got {class_indexing!r}.")
    for name, label in class_indexing.items():
        check.string(api_name, "class_indexing", name)
        check.int32(api_name, f"class_indexing[{name!r}]", label)
    return dict(class_indexing)
