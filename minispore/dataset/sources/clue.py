"""CLUEDataset: records of the Chinese language understanding benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import lines
from minispore.dataset.sources.files import find_files
from minispore.dataset.sources.records import RecordDataset, RecordTable, Shuffle
from minispore.foundation.files import parse_json

# Columns of each task: for all usages, for train and eval only, for test only.
_TASKS = {
    "AFQMC": ("sentence1 sentence2", "label", "id"),
    "CMNLI": ("sentence1 sentence2", "label", "id"),
    "CSL": ("abst id keyword", "label", ""),
    "IFLYTEK": ("sentence", "label label_des", "id"),
    "TNEWS": ("keywords sentence", "label label_desc", "id"),
    "WSC": ("idx span1_index span1_text span2_index span2_text text", "label", ""),
}


class CLUEDataset(RecordDataset):
    """Records of one of the tasks, with columns in alphabetical order.

    Numbers are uint32, other values are strings.

    Args:
        dataset_files (str or list): files or patterns of files, with a JSON object per line.
        task (str): ``"AFQMC"``, ``"TNEWS"``, ``"IFLYTEK"``, ``"CMNLI"``, ``"WSC"`` or ``"CSL"``.
            Default: ``"AFQMC"``.
        usage (str): ``"train"``, ``"eval"`` or ``"test"``. Default: ``"train"``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): reader threads; they take the files in turn and
            yield one row each in turn.
        shuffle (bool or Shuffle): ``True`` and GLOBAL shuffle files and rows, FILES only the files.
            Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): read only one of several shards of equal size.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or a file is missing.
        RuntimeError: later, when a record is not JSON or lacks a column.

    Source: L. Xu and others, CLUE: a Chinese language understanding evaluation benchmark, 2020.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        task: str = "AFQMC",
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "CLUEDataset"
        paths = find_files(api_name, dataset_files)
        check.one_of(api_name, "task", task, _TASKS)
        check.one_of(api_name, "usage", usage, ("train", "eval", "test"))
        shared, train_columns, test_columns = (names.split() for names in _TASKS[task])
        form = _JsonLines(sorted({*shared, *(test_columns if usage == "test" else train_columns)}))
        shards = check.shards(api_name, num_shards, shard_id)
        table = RecordTable(api_name, paths, form)
        self._init_over_records(table, num_samples, num_parallel_workers, shuffle, shards, cache)


class _JsonLines:
    """The format of files with one JSON object per line."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)

    def index_records(self, path: Path) -> np.ndarray:
        """Return start and length of each line of a file in bytes: int64 (lines, 2)."""
        return lines.index_lines(path, quoted=False)

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """Return the columns of one JSON object, into which its ``target`` is merged."""
        file.seek(start)
        record = parse_json(lines.decode_line(file.read(length), start).removeprefix("\ufeff"))
        record = {**record, **record.get("target", {})}
        missing = [name for name in self.columns if name not in record]
        if missing:
            raise ValueError(f"the record at byte {start} must have {', '.join(missing)}")
        return [_make_array(record[name]) for name in self.columns]


def _make_array(value: Any) -> np.ndarray:
    """Return an int as uint32, anything else (also a float) as text, such as "true" for True."""
    if isinstance(value, bool):
        return np.array(str(value).lower())
    if isinstance(value, int):
        return np.array(value, np.uint32)
    return np.array(value, np.str_)
