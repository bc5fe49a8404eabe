"""Folders and files as arguments."""

from __future__ import annotations

import glob
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
            f"{op}: dataset_dir must be a folder, got {str(value)!r}, which does not exist or is "
            "not a directory or permission denied!"
        )
    return path


def files(op: str, value: Any) -> list[Path]:
    """``dataset_files`` as Paths: a file, a pattern such as ``"data/*.txt"``, or a list of these.

    Raises:
        TypeError: it is no path and no list of paths.
        ValueError: it is empty, or nothing matches.
    """
    listed = [value] if isinstance(value, str | os.PathLike) else value
    if not isinstance(listed, list | tuple) or not all(
        isinstance(f, str | os.PathLike) for f in listed
    ):
        raise TypeError(f"{op}: dataset_files must be a str or a list of str, got {value!r}.")
    found: list[Path] = []
    for pattern in listed:
        matched = sorted(f for f in glob.glob(os.fspath(pattern)) if not os.path.isdir(f))
        if not matched and Path(pattern).is_file():  # a name with brackets in it
            matched = [os.fspath(pattern)]
        if not matched:
            raise ValueError(
                f"{op}: dataset_files must name files, got {pattern!r}, which matches none."
            )
        found += [Path(name) for name in matched]
    if not found:
        raise ValueError(f"{op}: dataset_files must not be empty.")
    return found
