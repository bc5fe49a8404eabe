"""SoundTable: rows of recordings in files, with further values for each recording."""

from __future__ import annotations

import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.run import Run
from minispore.dataset.sources.table import ThreadedReader
from minispore.errors import DatasetError

MAX_SAMPLE = np.float32(32767)  # the largest 16-bit sample


def read_wav(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read the samples of a 16-bit WAV file, and the sample rate.

    Samples are float32 (1, n) in [-1, 1], with interleaved channels.

    Raises:
        ValueError: the samples do not have 16 bits.
    """
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise ValueError(f"it must have 16 bits a sample, got {8 * file.getsampwidth()}.")
        raw = file.readframes(file.getnframes())
        rate = np.array(file.getframerate(), np.int32)
    return (np.frombuffer(raw, "<i2") / MAX_SAMPLE).astype(np.float32)[None], rate


class SoundTable:
    """Recordings in files, each with further values.

    Args:
        api_name: the name of the dataset, for messages.
        files: the recordings.
        columns: the values of each other column, by row.
    """

    is_ordered = False

    def __init__(self, api_name: str, files: Sequence[Path], columns: Mapping[str, Any]) -> None:
        self._api_name, self._files, self._columns = api_name, files, dict(columns)
        self.max_threads = 1

    @property
    def columns(self) -> tuple[str, ...]:
        return ("waveform", "sample_rate", *self._columns)

    def __len__(self) -> int:
        return len(self._files)

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return the class of each row, for PKSampler; None unless the column has one axis."""
        values = self._columns.get(column)
        return values if isinstance(values, np.ndarray) and values.ndim == 1 else None

    def list_row_files(self, row: int) -> list[Path]:
        """Return the recording of a row."""
        return [self._files[row]]

    def open_reader(self, run: Run, workers: int | None) -> ThreadedReader:
        return ThreadedReader(self.read_rows, workers or run.options.workers)

    def read_recording(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of a row, and the sample rate."""
        return read_wav(self._files[row])

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows ``index``, up to the first recording that can't be read.

        In that case the block holds the rows before it, and the DatasetError to raise after them.
        """
        rows: list[Sequence[Any]] = []
        for i in index.tolist():
            path = self._files[i]
            try:
                other_values = [np.asarray(column[i]) for column in self._columns.values()]
                rows.append([*self.read_recording(i), *other_values])
            except (OSError, EOFError, ValueError, wave.Error) as exc:
                error = DatasetError(
                    f"{self._api_name}: row {i} failed, the recording {path}. {exc}"
                )
                error.__cause__ = exc
                return from_rows(self.columns, rows).copy_with_error(error)
        return from_rows(self.columns, rows)


class RatedTable(SoundTable):
    """Recordings with a common sample rate ``rate``, reported as uint32."""

    def __init__(
        self, api_name: str, files: Sequence[Path], columns: Mapping[str, Any], rate: int
    ) -> None:
        super().__init__(api_name, files, columns)
        self._rate = rate

    def read_recording(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of a row, and the sample rate as uint32.

        Raises:
            ValueError: the recording's rate differs from that of the table.
        """
        samples, rate = super().read_recording(row)
        if rate != self._rate:
            raise ValueError(f"sample_rate must be {self._rate}, got {rate}.")
        return samples, rate.astype(np.uint32)


def check_not_empty(api_name: str, path: Path, files: Sequence[Path], content: str) -> None:
    """Raise RuntimeError if ``files`` is empty; ``content`` names what the folder must hold."""
    if not files:
        raise RuntimeError(
            f"{api_name}: dataset_dir must hold {content}, got none in {path}: no .wav files found."
        )


def read_lines(table: Path) -> list[str]:
    """Return the non-empty lines of a text file; an empty list if the file does not exist."""
    text = table.read_text(encoding="utf-8") if table.is_file() else ""
    return [line for line in text.split("\n") if line]
