"""PhotoTourDataset: patches of photographs, many in each file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import damaged, lines
from minispore.dataset.sources.table import ArrayTable, TableDataset
from minispore.dataset.vision.decode import opened

_SIDE = 64  # of a patch
_ROW = 16  # patches, in a file of 16 x 16
_KEPT = 64  # files in memory


class PhotoTourDataset(TableDataset):
    """Patches of 64 x 64 pixels. Of the usage ``"train"``: ``image`` uint8 (64, 64, 1). Of
    ``"test"``: ``image1``, ``image2`` uint8, ``matches`` uint32, 1 where they show one point.

    Args:
        dataset_dir (str): the folder with a folder for each name.
        name (str): ``"notredame"``, ``"yosemite"``, ``"liberty"``, or one of these and
            ``"_harris"``.
        usage (str, optional): ``"train"`` or ``"test"``. Default: ``None``, ``"train"``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`ImageFolderDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read or is damaged; later, when an image can't be read.

    Source: S. A. J. Winder, M. Brown, Learning local image descriptors, 2007.
    """

    def __init__(
        self,
        dataset_dir: str,
        name: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "PhotoTourDataset"
        path = folder(op, dataset_dir)
        places = ("notredame", "yosemite", "liberty")
        check.one_of(op, "name", name, [p + end for p in places for end in ("", "_harris")])
        check.one_of(op, "usage", usage, ("train", "test", None))
        if usage == "test":
            told = _rows(op, path / name / "m50_100000_100000_0.txt", 5)
            same = (told[:, 1] == told[:, 4]).astype(np.uint32)
            columns = {"image1": told[:, 0], "image2": told[:, 3], "matches": same}
        else:
            columns = {"image": np.arange(len(_rows(op, path / name / "info.txt", 1)))}
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(_Patches(path / name, columns), *picked, dataset_dir=str(path), usage=usage)


def _rows(op: str, path: Path, width: int) -> np.ndarray:
    """The first numbers of each line."""
    rows = []
    for number, line in enumerate(lines(op, path), 1):
        words = line.split()
        if words:
            if len(words) < width or not all(w.isdecimal() for w in words[:width]):
                raise damaged(op, path, number, f"{width} numbers", line)
            rows.append([int(w) for w in words[:width]])
    return np.array(rows, np.int64).reshape(len(rows), width)


class _Patches(ArrayTable):
    """Columns of patches by number; their files are read when rows are."""

    def __init__(self, path: Path, columns: dict[str, Any]) -> None:
        super().__init__(columns)

        @lru_cache(_KEPT)
        def sheet(number: int) -> np.ndarray:
            file = path / f"patches{number:04d}.bmp"
            whole = np.asarray(opened("PhotoTourDataset", file.read_bytes()).convert("L"))
            grid = whole.reshape(_ROW, _SIDE, _ROW, _SIDE).swapaxes(1, 2)
            return grid.reshape(-1, _SIDE, _SIDE, 1)

        self._sheet = sheet

    def labels(self, column: str) -> np.ndarray | None:
        """Whether two patches match: the classes of pairs, for PKSampler."""
        return super().labels(column) if column == "matches" else None

    def read(self, index: np.ndarray) -> Block:
        block = super().read(index)
        made = {
            name: np.stack([self._sheet(i // _ROW**2)[i % _ROW**2] for i in column.tolist()])
            for name, column in block.columns.items()
            if name.startswith("image") and isinstance(column, np.ndarray)
        }
        return block.replace({**block.columns, **made})
