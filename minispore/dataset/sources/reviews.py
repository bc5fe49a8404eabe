"""IMDBDataset: film reviews in folders of positive and negative reviews."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.run import Run
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.table import TableDataset
from minispore.errors import DatasetError
from minispore.foundation.docstrings import attach_docstrings as _describe

_CLASSES = (("pos", 1), ("neg", 0))


class IMDBDataset(TableDataset):
    """Film reviews: ``text``, a string, and ``label`` int32, 1 for a positive review.

    Args:
        dataset_dir (str): the folder with ``train/pos``, ``train/neg``, ``test/pos``, ``test/neg``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no review is found; later, when a review is not valid UTF-8.

    Source: A. L. Maas and others, Learning word vectors for sentiment analysis, 2011.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "IMDBDataset"
        path = check_folder(api_name, dataset_dir)
        if usage is not None:
            check.one_of(api_name, "usage", usage, ("train", "test", "all"))
        parts = ("train", "test") if usage in (None, "all") else (usage,)
        files: list[Path] = []
        labels: list[int] = []
        for class_folder, label in (
            (path / part / name, label) for part in parts for name, label in _CLASSES
        ):
            class_files = sorted(class_folder.glob("*.txt"))
            files += class_files
            labels += [label] * len(class_files)
        if not files:
            raise RuntimeError(
                f"{api_name}: dataset_dir must hold pos and neg, with .txt files, in "
                f"{' and '.join(parts)}, got none in {path}."
            )
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            _TextFileTable(files, labels), *options, dataset_dir=str(path), usage=usage
        )


class _TextFileTable:
    """Text files as strings, each with a label."""

    columns = ("text", "label")
    is_ordered = False
    max_threads = 1

    def __init__(self, files: list[Path], labels: Sequence[int]) -> None:
        self._files, self._labels = files, np.array(labels, np.int32)

    def __len__(self) -> int:
        return len(self._files)

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return the class of each row, for PKSampler."""
        return self._labels if column == "label" else None

    def list_row_files(self, row: int) -> list[Path]:
        """Return the file of a row."""
        return [self._files[row]]

    def open_reader(self, run: Run, workers: int | None) -> _TextFileTable:
        """Return this table, which is its own reader."""
        return self

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows ``index``, up to the first file that can't be read."""
        rows = []
        for i in index.tolist():
            path = self._files[i]
            try:
                rows.append([np.array(path.read_text(encoding="utf-8")), self._labels[i, ...]])
            except (OSError, UnicodeDecodeError) as exc:
                error = DatasetError(f"IMDBDataset: row {i} failed, in the file {path}. {exc}")
                error.__cause__ = exc
                return from_rows(self.columns, rows).copy_with_error(error)
        return from_rows(self.columns, rows)


__all__ = ["IMDBDataset"]

_describe(__name__)
