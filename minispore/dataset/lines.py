"""LineReader: random access to the lines of a text file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

from minispore.dataset import check
from minispore.dataset.formats import lines
from minispore.errors import DatasetError

_OP = "LineReader"


class LineReader:
    """Reads any line of a text file without reading the lines before it.

    Args:
        filename (str): the file, in UTF-8.

    Raises:
        TypeError: ``filename`` is not a str.
        RuntimeError: the file does not exist.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "three.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one\\ntwo\\nthree\\n")
        >>> reader = LineReader(path)
        >>> len(reader), reader.readline(2)
        (3, 'two')
        >>> reader.close()
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, str):
            raise TypeError(f"{_OP}: filename must be a str, got {filename!r}.")
        if not os.path.isfile(filename):
            problem = "is not a regular file" if os.path.exists(filename) else "does not exist"
            raise DatasetError(
                f"{_OP}: filename must name a file, got {filename!r}, which {problem}."
            )
        self.filename = os.path.realpath(filename)
        self._file: BinaryIO | None = None
        self._line_spans = lines.index_lines(Path(self.filename), quoted=False, keep_empty=True)

    def len(self) -> int:
        """Return the number of lines."""
        return len(self._line_spans)

    __len__ = len

    def readline(self, line: int) -> str:
        """Return a line by its number, from 1 on, without the line break.

        Raises:
            TypeError: ``line`` is not an int.
            ValueError: there is no such line.
        """
        number = check.integer(_OP, "line", line, 1, len(self))
        if self._file is None:
            self._file = open(self.filename, "rb")  # noqa: SIM115  # closed by close()
        start, length = self._line_spans[number - 1].tolist()
        self._file.seek(start)
        return lines.decode_line(self._file.read(length), start).removesuffix("\r")

    __getitem__ = readline

    def close(self) -> None:
        """Close the file; a later read opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> LineReader:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()
