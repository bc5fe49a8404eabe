"""The folder that a callback writes to, as scripts with callbacks of their own make it."""

from __future__ import annotations

import os
from typing import Any


def _make_directory(path: Any, arg_name: str = "path") -> str:
    """Make the folder ``path`` if need be, for its owner alone, and give its real path.

    Raises:
        TypeError: it is no str.
        ValueError: it is empty.
        NotADirectoryError: it is a file.
    """
    if not isinstance(path, str):
        raise TypeError(f"{arg_name} must be a str, got {path!r} ({type(path).__name__}).")
    if not path.strip():
        raise ValueError(f"{arg_name} must name a folder, got {path!r}.")
    real = os.path.realpath(path)
    if os.path.exists(real) and not os.path.isdir(real):
        raise NotADirectoryError(f"{arg_name} must be a folder, got the file {real}.")
    os.makedirs(real, mode=0o700, exist_ok=True)
    return real
