"""Write tables as CSV files and nested values as JSON files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from minispore.foundation.files import write_text

MODEL_NOTE = "virtual time, a model; no measurement of a device"


class FileList(list[Path]):
    """The paths of the files written to one folder, which is made if missing."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def add(self, name: str) -> Path:
        """Add a file of the folder by its name, and return its path, to which the caller writes."""
        self.append(self._folder / name)
        return self[-1]


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file with a header line, atomically."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())


def write_json(path: Path, value: Any) -> None:
    """Write a value as an indented JSON file, atomically."""
    write_text(path, json.dumps(value, indent=1) + "\n")
