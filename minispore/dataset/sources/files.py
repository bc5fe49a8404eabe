"""Folders and files as arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def folder(op: str, value: Any) -> Path:
    """``dataset_dir`` as a Path.

    Raises:
        TypeError: it is no path.
        ValueError: there is no such folder.
    """
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise TypeError(f"{op}: dataset_dir must be a str, got {value!r}.")
    path = Path(value)
    if not path.is_dir():
        raise ValueError(
            f"{op}: dataset_dir must be a folder, got {str(value)!r}, which does not exist."
        )
    return path
