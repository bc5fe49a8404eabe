"""Folders and files as arguments."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from minispore.dataset import check

_FILES = "dataset files"  # so MindSpore calls dataset_files


def folder(op: str, value: Any) -> Path:
    """``dataset_dir`` as a Path.

    Raises:
        TypeError: it is no path.
        ValueError: there is no such folder.
    """
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise check.wrong_type(op, "dataset_dir", "be a str", value, str)
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
        rule = "be a str or a list of str"
        raise check.wrong_type(op, "dataset_files", rule, value, str, list, known_as=_FILES)
    found: list[Path] = []
    for pattern in listed:
        matched = sorted(f for f in glob.glob(os.fspath(pattern)) if not os.path.isdir(f))
        if not matched and Path(pattern).is_file():  # a name with brackets in it
            matched = [os.fspath(pattern)]
        if not matched:
            raise ValueError(
                f"{op}: dataset_files must name files, got {pattern!r}, which matches none. "
                f"The following patterns did not match any files: {[pattern]}."
            )
        found += [Path(name) for name in matched]
    if not found:
        raise ValueError(f"{op}: dataset_files must not be empty.")
    return found
