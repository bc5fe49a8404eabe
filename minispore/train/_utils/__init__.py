"""What scripts with callbacks and tools of their own take: a folder that is made, a type that is
checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
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


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any) -> None:
    """Refuse a value of another type than ``valid_types``, one or some; a bool is no int here.

    Raises:
        TypeError: it is of another type.
    """
    types = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        wanted = " or ".join(kind.__name__ for kind in types)
        raise TypeError(
            f"{arg_name} must be of type {wanted}, got {arg_value!r} ({type(arg_value).__name__})."
        )
