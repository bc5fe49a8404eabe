"""The checkpoints of ranks, each in a folder of its own."""

from __future__ import annotations

import glob
import os
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.train.serialization import load_checkpoint, save_checkpoint


def files_by_rank(who: str, folder: Any) -> dict[int, str]:
    checks.instance(who, "src_checkpoints_dir", folder, str)
    found = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "rank_*")):
        number = os.path.basename(path)[len("rank_") :]
        for ending in ("safetensors", "ckpt"):
            files = sorted(glob.glob(os.path.join(glob.escape(path), f"*.{ending}")))
            if files and number.isdigit():
                found[int(number)] = files[-1]
    if not found:
        raise ValueError(
            f"{who}: src_checkpoints_dir must have folders rank_0, rank_1, ... with checkpoints, "
            f"got {folder!r}."
        )
    return found


def arrays(path: str) -> dict[str, Any]:
    return load_checkpoint(path, format="ckpt" if path.endswith(".ckpt") else "safetensors")


def save(contents: dict[str, Any], path: str, format: str) -> None:
    arrays = [{"name": n, "data": c if isinstance(c, Tensor) else Tensor(c)}
              for n, c in contents.items() if not isinstance(c, str)]  # fmt: skip
    texts = {n: c for n, c in contents.items() if isinstance(c, str)}
    save_checkpoint(arrays, path, append_dict=texts or None, format=format)
