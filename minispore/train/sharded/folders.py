"""Checkpoint files of many ranks, each in its own folder."""

from __future__ import annotations

import glob
import os
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.train.serialization import load_checkpoint, save_checkpoint


def find_files_by_rank(api_name: str, folder: Any) -> dict[int, str]:
    """Return the last checkpoint file (by name) in each folder ``rank_<n>``, by rank.

    If a folder has both formats, the last ``.ckpt`` file counts.

    Raises:
        TypeError: ``folder`` is not a str.
        ValueError: there are no such files.
    """
    checks.instance(api_name, "src_checkpoints_dir", folder, str)
    rank_files = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "rank_*")):
        number = os.path.basename(path)[len("rank_") :]
        for suffix in ("safetensors", "ckpt"):
            candidates = sorted(glob.glob(os.path.join(glob.escape(path), f"*.{suffix}")))
            if candidates and number.isdigit():
                rank_files[int(number)] = candidates[-1]
    if not rank_files:
        raise ValueError(
            f"{api_name}: src_checkpoints_dir must have folders rank_0, rank_1, ... with "
            f"checkpoints, got {folder!r}."
        )
    return rank_files


def load_contents(path: str) -> dict[str, Any]:
    """Load the parameters and strings of a checkpoint; its extension determines the format."""
    return load_checkpoint(path, format="ckpt" if path.endswith(".ckpt") else "safetensors")


def save_contents(contents: dict[str, Any], path: str, format: str) -> None:
    """Save arrays and strings by name to a checkpoint in the format "ckpt" or "safetensors"."""
    texts = {n: c for n, c in contents.items() if isinstance(c, str)}
    entries = [
        {"name": n, "data": c if isinstance(c, Tensor) else Tensor(c)}
        for n, c in contents.items()
        if n not in texts
    ]
    save_checkpoint(entries, path, append_dict=texts or None, format=format)
