"""Recordings in WAV files with what was said: SpeechCommands, YesNo, LJSpeech."""

from __future__ import annotations

import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.run import Run
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.table import TableDataset
from minispore.described import describe as _describe
from minispore.errors import DatasetError

_FULL = np.float32(32767)  # the largest sample of 16 bits


def read_wav(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The samples (1, n) in [-1, 1] as float32, channel after channel of each, and their rate."""
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise ValueError(f"it must have 16 bits a sample, got {8 * file.getsampwidth()}.")
        raw = file.readframes(file.getnframes())
        rate = np.array(file.getframerate(), np.int32)
    return (np.frombuffer(raw, "<i2") / _FULL).astype(np.float32)[None], rate


class SoundTable:
    """Recordings in files, each with some values beside it.

    Args:
        op: the name of the dataset, for messages.
        files: the recordings.
        columns: of each other column the value of each row.
    """

    ordered = False

    def __init__(self, op: str, files: Sequence[Path], columns: Mapping[str, Any]) -> None:
        self._op, self._files, self._columns = op, files, dict(columns)
        self.lanes = 1

    @property
    def columns(self) -> tuple[str, ...]:
        return ("waveform", "sample_rate", *self._columns)

    def __len__(self) -> int:
        return len(self._files)

    def labels(self, column: str) -> np.ndarray | None:
        """The classes of all rows, for PKSampler."""
        found = self._columns.get(column)
        return found if isinstance(found, np.ndarray) and found.ndim == 1 else None

    def files_of(self, row: int) -> list[Path]:
        """The recording of a row."""
        return [self._files[row]]

    def open(self, run: Run, workers: int | None) -> _Reader:
        """A reader; it may be used by many threads."""
        return _Reader(self, workers or run.options.workers)

    def read(self, index: np.ndarray) -> Block:
        """The rows ``index``, up to the first recording that can't be read."""
        rows: list[Sequence[Any]] = []
        for i in index.tolist():
            path = self._files[i]
            try:
                beside = [np.asarray(column[i]) for column in self._columns.values()]
                rows.append([*read_wav(path), *beside])
            except (OSError, EOFError, ValueError, wave.Error) as exc:
                error = DatasetError(f"{self._op}: row {i} failed, the recording {path}. {exc}")
                error.__cause__ = exc
                return from_rows(self.columns, rows).failed(error)
        return from_rows(self.columns, rows)


class _Reader:
    ordered = False

    def __init__(self, table: SoundTable, lanes: int) -> None:
        self.read, self.lanes = table.read, lanes


def _some(op: str, path: Path, files: Sequence[Path], where: str) -> None:
    """There must be recordings."""
    if not files:
        raise RuntimeError(
            f"{op}: dataset_dir must hold {where}, got none in {path}: no .wav files found."
        )


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
        _some(op, path, said, "a folder of <speaker>_nohash_<number>.wav for each word")
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
        said = [f for f in sorted(path.glob("*.wav")) if set(f.stem.split("_")) <= {"0", "1"}]
        _some(op, path, said, "files such as 0_0_1_0_1_1_0_1.wav")
        labels = [np.array(f.stem.split("_"), np.int32) for f in said]
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(SoundTable(op, said, {"label": labels}), *picked, dataset_dir=str(path))


class LJSpeechDataset(TableDataset):
    """A speaker reads from books: ``waveform`` float32 (1, n), ``sample_rate`` int32,
    ``transcription``, and ``normalized_transcription`` with numbers in words.

    Args:
        dataset_dir (str): the folder with ``metadata.csv`` and ``wavs``.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read.
        shuffle (bool, optional): Default: ``None``, yes.
        sampler (Sampler or iterable, optional): picks the rows.
        num_shards, shard_id (int, optional): only the rows of one shard.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no ``metadata.csv``, or no recording in it; later, when one can't be
            read.

    Source: K. Ito and L. Johnson, The LJ Speech dataset, 2017.
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
        op = "LJSpeechDataset"
        path = folder(op, dataset_dir)
        table = path / "metadata.csv"
        text = table.read_text(encoding="utf-8") if table.is_file() else ""
        rows = [line.split("|") for line in text.splitlines() if line.count("|") == 2]
        said = [path / "wavs" / f"{name}.wav" for name, _, _ in rows]
        _some(op, path, said, "metadata.csv with lines <name>|<text>|<text in words>")
        columns = {
            "transcription": [np.array(text) for _, text, _ in rows],
            "normalized_transcription": [np.array(words) for _, _, words in rows],
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(SoundTable(op, said, columns), *picked, dataset_dir=str(path))


__all__ = ["LJSpeechDataset", "SpeechCommandsDataset", "YesNoDataset"]

_describe(__name__)
