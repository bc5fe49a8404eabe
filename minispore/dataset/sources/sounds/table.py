"""Recordings in files, with values beside each."""

from __future__ import annotations

import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError

FULL = np.float32(32767)  # the largest sample of 16 bits


def read_wav(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The samples (1, n) in [-1, 1] as float32, channel after channel of each, and their rate."""
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise ValueError(f"it must have 16 bits a sample, got {8 * file.getsampwidth()}.")
        raw = file.readframes(file.getnframes())
        rate = np.array(file.getframerate(), np.int32)
    return (np.frombuffer(raw, "<i2") / FULL).astype(np.float32)[None], rate


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

    def recording(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """The samples of a row, and their rate."""
        return read_wav(self._files[row])

    def read(self, index: np.ndarray) -> Block:
        """The rows ``index``, up to the first recording that can't be read."""
        rows: list[Sequence[Any]] = []
        for i in index.tolist():
            path = self._files[i]
            try:
                beside = [np.asarray(column[i]) for column in self._columns.values()]
                rows.append([*self.recording(i), *beside])
            except (OSError, EOFError, ValueError, wave.Error) as exc:
                error = DatasetError(f"{self._op}: row {i} failed, the recording {path}. {exc}")
                error.__cause__ = exc
                return from_rows(self.columns, rows).failed(error)
        return from_rows(self.columns, rows)


class RatedTable(SoundTable):
    """Recordings that all have ``rate`` samples a second, told as uint32."""

    def __init__(
        self, op: str, files: Sequence[Path], columns: Mapping[str, Any], rate: int
    ) -> None:
        super().__init__(op, files, columns)
        self._rate = rate

    def recording(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        samples, rate = super().recording(row)
        if rate != self._rate:
            raise ValueError(f"sample_rate must be {self._rate}, got {rate}.")
        return samples, rate.astype(np.uint32)


class _Reader:
    ordered = False

    def __init__(self, table: SoundTable, lanes: int) -> None:
        self.read, self.lanes = table.read, lanes


def some(op: str, path: Path, files: Sequence[Path], where: str) -> None:
    """There must be recordings."""
    if not files:
        raise RuntimeError(
            f"{op}: dataset_dir must hold {where}, got none in {path}: no .wav files found."
        )


def lines(table: Path) -> list[str]:
    """The lines of a file of texts, none if it isn't there; empty ones are left out."""
    text = table.read_text(encoding="utf-8") if table.is_file() else ""
    return [line for line in text.split("\n") if line]
