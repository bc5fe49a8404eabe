"""Base of the corpora: folders that have a file for each usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.records import Format, RecordDataset, RecordTable, Shuffle
from minispore.errors import DatasetError

# The common arguments of all corpora: num_samples, num_parallel_workers, shuffle, num_shards,
# shard_id, cache.
ReadingArguments = tuple[Any, Any, Any, Any, Any, Any]


class CorpusDataset(RecordDataset):
    """Base of the datasets over a folder with one or several files for each usage.

    ``_parts`` holds the names of the files of each usage, ``_corpus_options`` keyword arguments of
    ``_init_corpus``. Classes that define a constructor do not use them.
    """

    _parts: ClassVar[Mapping[str, Sequence[str]]]
    _corpus_options: ClassVar[Mapping[str, Any]] = {}

    def _make_format(self, usage: str | None) -> Format:
        """Return the format of the files of ``usage``."""
        raise NotImplementedError

    def _init_corpus(
        self,
        dataset_dir: Any,
        usage: Any,
        parts: Mapping[str, Sequence[str]],
        file_format: Format,
        reading_args: ReadingArguments,
        *,
        default: str = "all",
        allow_missing: bool = False,
        sort_by_name: bool = True,
    ) -> None:
        """Set up the dataset over the files of ``usage``.

        Args:
            dataset_dir: the folder.
            usage: None for ``default``.
            parts: the names of the files of each usage; at least one of them must exist.
            file_format: the format of the files.
            reading_args: the common arguments of all corpora.
            default: the usage for None; ``"all"`` reads the files of all usages.
            allow_missing: whether ``"all"`` may lack the files of some usages.
            sort_by_name: whether files are read in the order of their names.
        Raises:
            DatasetError: files are missing.
        """
        api_name = type(self).__name__
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, [*dict.fromkeys((*parts, default)), None])
        usage = usage or default
        num_samples, workers, shuffle, num_shards, shard_id, cache = reading_args
        shards = check.shards(api_name, num_shards, shard_id)
        paths: list[Path] = []
        missing: list[str] = []
        for names in parts.values() if usage == "all" else [parts[usage]]:
            existing = [path / name for name in names if (path / name).is_file()]
            paths += existing
            if not existing:
                missing.append(" or ".join(names))
        if not paths or (missing and not allow_missing):
            raise DatasetError(
                f"{api_name}: dataset_dir must hold {', '.join(missing)} for usage={usage!r}, got "
                f"{str(path)!r}, where there is no such file."
            )
        table = RecordTable(api_name, paths, file_format, sort_by_name)
        settings = {"dataset_dir": str(path), "usage": usage}
        self._init_over_records(table, num_samples, workers, shuffle, shards, cache, **settings)


class UsageCorpus(CorpusDataset):
    """Base of the corpora whose only specific argument is ``usage``."""

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        reading_args = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        file_format = self._make_format(usage)
        self._init_corpus(
            dataset_dir, usage, self._parts, file_format, reading_args, **self._corpus_options
        )


class ShuffleFirstCorpus(CorpusDataset):
    """Base of the corpora like :class:`UsageCorpus` that take ``shuffle`` before the workers."""

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
    ) -> None:
        reading_args = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        file_format = self._make_format(usage)
        self._init_corpus(
            dataset_dir, usage, self._parts, file_format, reading_args, **self._corpus_options
        )


class ParsedFiles:
    """The format of files that are parsed as a whole.

    ``parse`` returns all rows, with a value for each column.
    """

    def __init__(
        self, columns: tuple[str, ...], parse: Callable[[Path], Sequence[Sequence[Any]]]
    ) -> None:
        self.columns = columns
        self._parse = parse
        self._rows: dict[Path, Sequence[Sequence[Any]]] = {}

    def index_records(self, path: Path) -> np.ndarray:
        """Parse a file and store its rows.

        Returns:
            (number, 1) for each row, in place of start and length in the file.
        """
        self._rows[path] = self._parse(path)
        numbers = np.arange(len(self._rows[path]))
        return np.stack([numbers, np.ones_like(numbers)], axis=1)

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """Return the values of row ``start`` of the parsed file as arrays."""
        return [np.array(value) for value in self._rows[path][start]]
