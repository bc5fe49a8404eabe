"""Recordings of single words: SpeechCommands, YesNo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.sounds.table import SoundTable, some
from minispore.dataset.sources.table import TableDataset


class SpeechCommandsDataset(TableDataset):
    """Words that many speakers said, a folder for each: ``waveform`` float32 (1, n),
    ``sample_rate`` int32, ``label``, ``speaker_id`` and ``utterance_number`` int32.

    Args:
        dataset_dir (str): the folder that holds the words' folders, ``testing_list.txt`` and
            ``validation_list.txt``.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"`` or ``"all"``. Default: ``None``,
            all.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read.
        shuffle (bool, optional): Default: ``None``, yes.
        sampler (Sampler or iterable, optional): picks the rows.
        num_shards, shard_id (int, optional): only the rows of one shard.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no recording; later, when one can't be read.

    Source: P. Warden, Speech commands, 2018.
    """

    without_classes = RuntimeError

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
        op = "SpeechCommandsDataset"
        path = folder(op, dataset_dir)
        if usage is not None:
            check.one_of(op, "usage", usage, ("train", "test", "valid", "all"))
        said = [f for f in sorted(path.glob("*/*_nohash_*.wav")) if f.parent.name[0] != "_"]
        if usage in ("test", "valid", "train"):
            test, valid = (_listed(path, f"{n}_list.txt") for n in ("testing", "validation"))
            parts = {"test": test, "valid": valid, "train": test | valid}
            inside = usage != "train"
            said = [f for f in said if (f in parts[str(usage)]) == inside]
        some(op, path, said, "a folder of <speaker>_nohash_<number>.wav for each word")
        names = [f.stem.split("_nohash_") for f in said]
        columns = {
            "label": np.array([f.parent.name for f in said]),
            "speaker_id": np.array([speaker for speaker, _ in names]),
            "utterance_number": np.array([int(number) for _, number in names], np.int32),
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(SoundTable(op, said, columns), *picked, dataset_dir=str(path), usage=usage)


def _listed(path: Path, name: str) -> set[Path]:
    file = path / name
    if not file.is_file():
        return set()
    return {path / line for line in file.read_text(encoding="utf-8").split()}


class YesNoDataset(TableDataset):
    """Somebody says yes or no eight times: ``waveform`` float32 (1, n), ``sample_rate`` int32,
    ``label`` int32 (8,), 1 for yes.

    Args:
        dataset_dir (str): the folder with files such as ``0_0_1_0_1_1_0_1.wav``.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read.
        shuffle (bool, optional): Default: ``None``, yes.
        sampler (Sampler or iterable, optional): picks the rows.
        num_shards, shard_id (int, optional): only the rows of one shard.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no recording; later, when one can't be read.
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
        op = "YesNoDataset"
        path = folder(op, dataset_dir)
        said = [f for f in sorted(path.glob("*.wav")) if all(map(str.isdecimal, f.stem.split("_")))]
        some(op, path, said, "files such as 0_0_1_0_1_1_0_1.wav")
        labels = [np.array(f.stem.split("_"), np.int32) for f in said]
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(SoundTable(op, said, {"label": labels}), *picked, dataset_dir=str(path))
