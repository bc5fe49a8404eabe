"""What the corpora share: a folder that has a file for each usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.records import Format, RecordDataset, RecordTable
from minispore.errors import DatasetError

# How the files of a corpus are read: num_samples, num_parallel_workers, shuffle, num_shards,
# shard_id, cache.
Reading = tuple[Any, Any, Any, Any, Any, Any]


class CorpusDataset(RecordDataset):
    """Base of the datasets over a folder with a file, or some, for each usage."""

    def _within(
        self,
        dataset_dir: Any,
        usage: Any,
        parts: Mapping[str, Sequence[str]],
        form: Format,
        reading: Reading,
        *,
        default: str = "all",
        lenient: bool = False,
        by_name: bool = True,
    ) -> None:
        """Read the files of ``usage``.

        Args:
            parts: of each usage the names of its files, of which one must be there.
            default: the usage where None is given; ``"all"`` are those of all.
            lenient: whether ``"all"`` are those that are there.
            by_name: whether files come in the order of their names.
        """
        op = type(self).__name__
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, [*dict.fromkeys((*parts, default)), None])
        usage = usage or default
        num_samples, workers, shuffle, num_shards, shard_id, cache = reading
        shards = check.shards(op, num_shards, shard_id)
        found: list[Path] = []
        missing: list[str] = []
        for names in parts.values() if usage == "all" else [parts[usage]]:
            there = [path / name for name in names if (path / name).is_file()]
            found += there
            if not there:
                missing.append(" or ".join(names))
        if not found or (missing and not lenient):
            raise DatasetError(
                f"{op}: dataset_dir must hold {', '.join(missing)} for usage={usage!r}, got "
                f"{str(path)!r}, where there is no such file."
            )
        table = RecordTable(op, found, form, by_name)
        settings = {"dataset_dir": str(path), "usage": usage}
        self._over(table, num_samples, workers, shuffle, shards, cache, **settings)


class Parsed:
    """Files that are read whole: ``parse`` gives the rows of one, a value for each column."""

    def __init__(
        self, columns: tuple[str, ...], parse: Callable[[Path], Sequence[Sequence[Any]]]
    ) -> None:
        self.columns = columns
        self._parse = parse
        self._rows: dict[Path, Sequence[Sequence[Any]]] = {}

    def index(self, path: Path) -> np.ndarray:
        self._rows[path] = self._parse(path)
        numbers = np.arange(len(self._rows[path]))
        return np.stack([numbers, np.ones_like(numbers)], axis=1)

    def read(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        return [np.array(value) for value in self._rows[path][start]]
