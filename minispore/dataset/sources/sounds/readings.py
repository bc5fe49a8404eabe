"""Recordings of read sentences: CMUArcticDataset, LibriTTSDataset, LJSpeechDataset."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.sounds.table import (
    RatedTable,
    SoundTable,
    check_not_empty,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset

_NAMES = "aew ahw aup awb axb bdl clb eey fem gka jmk ksp ljm lnh rms rxr slp slt"
_SPEAKERS = _NAMES.split()
_PARTS = (
    "dev-clean",
    "dev-other",
    "test-clean",
    "test-other",
    "train-clean-100",
    "train-clean-360",
    "train-other-500",
)
_SENTENCE = re.compile(r'\( *(\S+) *"([^"]*)".*')  # up to the next quotation mark
_UTTERANCE = re.compile(r"((\d+)_(\d+)_\d+_\d+)\t([^\t]*)\t(.*)")


def _get_fields(api_name: str, table: Path, line: str, match: re.Match | None) -> tuple[str, ...]:
    """Return the fields of a line of ``table`` from its match.

    Raises:
        RuntimeError: the line did not match.
    """
    if match is None:
        raise RuntimeError(
            f"{api_name}: dataset_dir must hold the files of this dataset, got {line!r} in "
            f"{table}: the file may not be one of them."
        )
    return match.groups()


class CMUArcticDataset(TableDataset):
    """Recordings of a speaker who reads sentences.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` uint32, 16000; ``transcript`` and
    ``utterance_id``.

    Args:
        dataset_dir (str): the folder with ``cmu_us_<name>_arctic`` for each speaker, which holds
            ``wav`` and ``etc/txt.done.data``.
        name (str, optional): the speaker, ``"aew"``, ``"ahw"``, ``"aup"``, ``"awb"``, ``"axb"``,
            ``"bdl"``, ``"clb"``, ``"eey"``, ``"fem"``, ``"gka"``, ``"jmk"``, ``"ksp"``, ``"ljm"``,
            ``"lnh"``, ``"rms"``, ``"rxr"``, ``"slp"`` or ``"slt"``. Default: ``None``, aew.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: ``txt.done.data`` is missing or invalid; later, when a recording can't be read
            or has a wrong rate.

    Source: J. Kominek and A. Black, CMU ARCTIC databases for speech synthesis, 2003.
    """

    def __init__(
        self,
        dataset_dir: str,
        name: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "CMUArcticDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "name", name, (None, *_SPEAKERS))
        speaker_folder = path / f"cmu_us_{name or _SPEAKERS[0]}_arctic"
        rows = [
            _get_fields(api_name, table, line, _SENTENCE.fullmatch(line))
            for table in [speaker_folder / "etc/txt.done.data"]
            for line in read_lines(table)
        ]
        files = [speaker_folder / "wav" / f"{file}.wav" for file, _ in rows]
        check_not_empty(
            api_name,
            path,
            files,
            f'{speaker_folder.name}/etc/txt.done.data with lines ( <name> "<text>" )',
        )
        columns = {
            "transcript": [np.array(text) for _, text in rows],
            "utterance_id": [np.array(file.partition("_")[2]) for file, _ in rows],
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = RatedTable(api_name, files, columns, 16000)
        self._init_over_table(table, *options, dataset_dir=str(path), name=name)


class LibriTTSDataset(TableDataset):
    """Recordings of many speakers who read from books.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` uint32, 24000; ``original_text``,
    ``normalized_text``, ``speaker_id`` and ``chapter_id`` uint32, and ``utterance_id``.

    Args:
        dataset_dir (str): the folder with a folder for each part, which holds
            ``<speaker>/<chapter>/<speaker>_<chapter>.trans.tsv`` and the recordings beside it.
        usage (str, optional): the part, ``"dev-clean"``, ``"dev-other"``, ``"test-clean"``,
            ``"test-other"``, ``"train-clean-100"``, ``"train-clean-360"``, ``"train-other-500"`` or
            ``"all"`` existing parts. Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no ``.trans.tsv`` is found, or it is invalid; later, when a recording can't be
            read or has a wrong rate.

    Source: H. Zen et al., LibriTTS: a corpus derived from LibriSpeech for text-to-speech, 2019.
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
        api_name = "LibriTTSDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, (None, *_PARTS, "all"))
        parts = _PARTS if usage in (None, "all") else (usage,)
        transcripts = [t for part in parts for t in sorted(path.glob(f"{part}/*/*/*.trans.tsv"))]
        rows = [
            (table, _get_fields(api_name, table, line, _UTTERANCE.fullmatch(line)))
            for table in transcripts
            for line in read_lines(table)
        ]
        files = [table.parent / f"{fields[0]}.wav" for table, fields in rows]
        check_not_empty(
            api_name, path, files, "<part>/<speaker>/<chapter>/<speaker>_<chapter>.trans.tsv"
        )
        columns = {
            "original_text": [np.array(fields[3]) for _, fields in rows],
            "normalized_text": [np.array(fields[4]) for _, fields in rows],
            "speaker_id": np.array([fields[1] for _, fields in rows]).astype(np.uint32),
            "chapter_id": np.array([fields[2] for _, fields in rows]).astype(np.uint32),
            "utterance_id": [np.array(fields[0]) for _, fields in rows],
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = RatedTable(api_name, files, columns, 24000)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


class LJSpeechDataset(TableDataset):
    """Recordings of a speaker who reads from books.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` int32; ``transcription``, and
    ``normalized_transcription`` with numbers in words.

    Args:
        dataset_dir (str): the folder with ``metadata.csv`` and ``wavs``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: ``metadata.csv`` is missing or lists no recording; later, when a recording
            can't be read.

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
        api_name = "LJSpeechDataset"
        path = check_folder(api_name, dataset_dir)
        table = path / "metadata.csv"
        text = table.read_text(encoding="utf-8") if table.is_file() else ""
        rows = [line.split("|") for line in text.splitlines() if line.count("|") == 2]
        files = [path / "wavs" / f"{name}.wav" for name, _, _ in rows]
        check_not_empty(
            api_name, path, files, "metadata.csv with lines <name>|<text>|<text in words>"
        )
        columns = {
            "transcription": [np.array(text) for _, text, _ in rows],
            "normalized_transcription": [np.array(words) for _, _, words in rows],
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(SoundTable(api_name, files, columns), *options, dataset_dir=str(path))
