"""Recordings of single words: SpeechCommandsDataset, YesNoDataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.sounds.table import SoundTable, check_not_empty
from minispore.dataset.sources.table import TableDataset


class SpeechCommandsDataset(TableDataset):
    """Recordings of words by many speakers, in a folder for each word.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` int32; ``label``, ``speaker_id`` and
    ``utterance_number`` int32.

    Args:
        dataset_dir (str): the folder with the folders of the words, ``testing_list.txt`` and
            ``validation_list.txt``.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"`` or ``"all"``. Default: ``None``,
            all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no recording is found; later, when one can't be read.

    Source: P. Warden, Speech commands, 2018.
    """

    no_classes_error = RuntimeError

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
        api_name = "SpeechCommandsDataset"
        path = check_folder(api_name, dataset_dir)
        if usage is not None:
            check.one_of(api_name, "usage", usage, ("train", "test", "valid", "all"))
        files = [f for f in sorted(path.glob("*/*_nohash_*.wav")) if f.parent.name[0] != "_"]
        if usage in ("test", "valid", "train"):
            test = _read_file_list(path, "testing_list.txt")
            valid = _read_file_list(path, "validation_list.txt")
            parts = {"test": test, "valid": valid, "train": test | valid}
            must_be_listed = usage != "train"
            files = [f for f in files if (f in parts[str(usage)]) == must_be_listed]
        check_not_empty(
            api_name, path, files, "a folder of <speaker>_nohash_<number>.wav for each word"
        )
        names = [f.stem.split("_nohash_") for f in files]
        columns = {
            "label": np.array([f.parent.name for f in files]),
            "speaker_id": np.array([speaker for speaker, _ in names]),
            "utterance_number": np.array([int(number) for _, number in names], np.int32),
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            SoundTable(api_name, files, columns), *options, dataset_dir=str(path), usage=usage
        )


def _read_file_list(path: Path, name: str) -> set[Path]:
    """Return the paths in a list file; an empty result if the file does not exist."""
    file = path / name
    if not file.is_file():
        return set()
    return {path / line for line in file.read_text(encoding="utf-8").split()}


class YesNoDataset(TableDataset):
    """Recordings in which a speaker says yes or no eight times.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` int32; ``label`` int32 (8,), 1 for yes.

    Args:
        dataset_dir (str): the folder with files such as ``0_0_1_0_1_1_0_1.wav``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no recording is found; later, when one can't be read.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "YesNoDataset"
        path = check_folder(api_name, dataset_dir)
        files = [
            f for f in sorted(path.glob("*.wav")) if all(map(str.isdecimal, f.stem.split("_")))
        ]
        check_not_empty(api_name, path, files, "files such as 0_0_1_0_1_1_0_1.wav")
        labels = [np.array(f.stem.split("_"), np.int32) for f in files]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            SoundTable(api_name, files, {"label": labels}), *options, dataset_dir=str(path)
        )
