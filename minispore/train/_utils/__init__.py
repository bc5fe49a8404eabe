"""Helpers that scripts with their own callbacks and tools import: folders and type checks."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any


def _make_directory(path: Any, arg_name: str = "path") -> str:
    """Make the folder ``path``, accessible to its owner only, if it is missing; return its real
    path.

    Raises:
        TypeError: ``path`` is not a str.
        ValueError: ``path`` is empty.
        NotADirectoryError: ``path`` is a file.
    """
    if not isinstance(path, str):
        raise TypeError(f"{arg_name} must be a str, got {path!r} ({type(path).__name__}).")
    if not path.strip():
        raise ValueError(f"{arg_name} must name a folder, got {path!r}.")
    real_path = os.path.realpath(path)
    if os.path.exists(real_path) and not os.path.isdir(real_path):
        raise NotADirectoryError(f"{arg_name} must be a folder, got the file {real_path}.")
    os.makedirs(real_path, mode=0o700, exist_ok=True)
    return real_path


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any) -> None:
    """Check that a value has one of ``valid_types`` (a type or several); a bool does not count as
    an int.

    Raises:
        TypeError: it has a different type.
    """
    types = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        type_names = " or ".join(kind.__name__ for kind in types)
        raise TypeError(
            f"{arg_name} must be of type {type_names}, got {arg_value!r} "
            f"({type(arg_value).__name__})."
        )
