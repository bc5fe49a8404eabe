"""Write tables (CSV) and trees (JSON)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from minispore.files import write_text

MODEL_NOTE = "virtual time, a model; no measurement of a device"


def table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())


def tree(path: Path, value: Any) -> None:
    """Write a JSON file."""
    write_text(path, json.dumps(value, indent=1) + "\n")
