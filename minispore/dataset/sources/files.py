"""Checks of folders and files that are arguments of source datasets."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from minispore.dataset import check

_FILES = "dataset files"  # MindSpore's word for dataset_files


def check_folder(api_name: str, value: Any) -> Path:
    """Check ``dataset_dir`` and return it as a Path.

    Raises:
        TypeError: ``value`` is not a path.
        ValueError: the folder does not exist.
    """
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise check.wrong_type(api_name, "dataset_dir", "be a str", value, str)
    path = Path(value)
    if not path.is_dir():
        raise ValueError(
            f"{api_name}: dataset_dir must be a folder, got {str(value)!r}, which does not exist "
            "or is not a directory or permission denied!"
        )
    return path


def find_files(api_name: str, value: Any) -> list[Path]:
    """Find the files of ``dataset_files``: a file, a pattern such as ``"data/*.txt"``, or a list.

    The files of a pattern are sorted; the patterns of a list keep their order.

    Raises:
        TypeError: ``value`` is neither a path nor a list of paths.
        ValueError: ``value`` is empty, or a pattern does not match.
    """
    patterns = [value] if isinstance(value, str | os.PathLike) else value
    if not isinstance(patterns, list | tuple) or not all(
        isinstance(f, str | os.PathLike) for f in patterns
    ):
        rule = "be a str or a list of str"
        raise check.wrong_type(
            api_name, "dataset_files", rule, value, str, list, mindspore_name=_FILES
        )
    paths: list[Path] = []
    for pattern in patterns:
        matches = sorted(f for f in glob.glob(os.fspath(pattern)) if os.path.isfile(f))
        if not matches and Path(pattern).is_file():  # a file name that contains brackets
            matches = [os.fspath(pattern)]
        if not matches:
            raise ValueError(
                f"{api_name}: dataset_files must name files, got {pattern!r}, which matches none. "
                f"The following patterns did not match any files: {[pattern]}."
            )
        paths += [Path(name) for name in matches]
    if not paths:
        raise ValueError(f"{api_name}: dataset_files must not be empty.")
    return paths
