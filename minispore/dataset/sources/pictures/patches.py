"""PhotoTourDataset: patches of photographs, with many patches in each file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import make_line_error, read_lines
from minispore.dataset.sources.table import ArrayTable, TableDataset
from minispore.dataset.vision.decode import open_image

_SIDE = 64  # side length of a patch in pixels
_PATCHES_PER_SIDE = 16  # a file has 16 x 16 patches
_CACHED_FILES = 64  # maximum number of files in memory


class PhotoTourDataset(TableDataset):
    """Single patches of 64 x 64 pixels, or pairs of them.

    Columns of the usage ``"train"``: ``image`` uint8 (64, 64, 1). Columns of ``"test"``:
    ``image1``, ``image2`` uint8, ``matches`` uint32, 1 if they show the same point.

    Args:
        dataset_dir (str): the folder with a folder for each name.
        name (str): ``"notredame"``, ``"yosemite"``, ``"liberty"``, or one of these and
            ``"_harris"``.
        usage (str, optional): ``"train"`` or ``"test"``. Default: ``None``, ``"train"``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`ImageFolderDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
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
        api_name = "PhotoTourDataset"
        path = check_folder(api_name, dataset_dir)
        names = ("notredame", "yosemite", "liberty")
        check.one_of(api_name, "name", name, [p + end for p in names for end in ("", "_harris")])
        check.one_of(api_name, "usage", usage, ("train", "test", None))
        if usage == "test":
            pairs = _read_number_rows(api_name, path / name / "m50_100000_100000_0.txt", 5)
            matches = (pairs[:, 1] == pairs[:, 4]).astype(np.uint32)
            columns = {"image1": pairs[:, 0], "image2": pairs[:, 3], "matches": matches}
        else:
            columns = {
                "image": np.arange(len(_read_number_rows(api_name, path / name / "info.txt", 1)))
            }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            _PatchTable(path / name, columns), *options, dataset_dir=str(path), usage=usage
        )


def _read_number_rows(api_name: str, path: Path, width: int) -> np.ndarray:
    """Read the first ``width`` numbers of each line.

    Raises:
        RuntimeError: a line has fewer numbers.
    """
    rows = []
    for number, line in enumerate(read_lines(api_name, path), 1):
        words = line.split()
        if words:
            if len(words) < width or not all(w.isdecimal() for w in words[:width]):
                raise make_line_error(api_name, path, number, f"{width} numbers", line)
            rows.append([int(w) for w in words[:width]])
    return np.array(rows, np.int64).reshape(len(rows), width)


class _PatchTable(ArrayTable):
    """Columns of patch numbers; the files of patches are read with the rows."""

    def __init__(self, path: Path, columns: dict[str, Any]) -> None:
        super().__init__(columns)

        @lru_cache(_CACHED_FILES)
        def read_sheet(number: int) -> np.ndarray:
            """Read file ``number`` and cut it into its patches: (patches, height, width, 1)."""
            file = path / f"patches{number:04d}.bmp"
            sheet_image = np.asarray(open_image("PhotoTourDataset", file.read_bytes()).convert("L"))
            grid = sheet_image.reshape(_PATCHES_PER_SIDE, _SIDE, _PATCHES_PER_SIDE, _SIDE).swapaxes(
                1, 2
            )
            return grid.reshape(-1, _SIDE, _SIDE, 1)

        self._read_sheet = read_sheet

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return whether the patches of each pair match, for PKSampler; None for other columns."""
        return super().get_labels(column) if column == "matches" else None

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows, with patch numbers replaced by their patches."""
        block = super().read_rows(index)
        patches = {
            name: np.stack(
                [
                    self._read_sheet(i // _PATCHES_PER_SIDE**2)[i % _PATCHES_PER_SIDE**2]
                    for i in column.tolist()
                ]
            )
            for name, column in block.columns.items()
            if name.startswith("image") and isinstance(column, np.ndarray)
        }
        return block.replace({**block.columns, **patches})
