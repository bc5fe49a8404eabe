"""Texts with a class, in files of separated values, such as those of AGNewsDataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset.sources.records import Shuffle
from minispore.dataset.sources.text import Csv
from minispore.dataset.sources.texts.corpus import CorpusDataset

_PARTS = {"train": ["train.csv"], "test": ["test.csv"]}


def _make_csv_format(*columns: str) -> Csv:
    """Make the format of CSV files with columns of strings and no header."""
    return Csv(columns, [str] * len(columns), ",", has_header=False)


class _CsvCorpus(CorpusDataset):
    """Base of the datasets over CSV files."""

    _divides_files = False


class AGNewsDataset(_CsvCorpus):
    """News: ``index``, the class from 1 to 4, ``title`` and ``description``, strings.

    Args:
        dataset_dir (str): the folder with ``train.csv`` and ``test.csv``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read; they take the files in turn and
            give a row each in turn.
        shuffle (bool or Shuffle, optional): ``True``, ``None`` and GLOBAL shuffle files and rows,
            FILES only the files. Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): only the rows of one shard; all have equally many.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing; later, when a record has another number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

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
        file_format = _make_csv_format("index", "title", "description")
        self._init_corpus(dataset_dir, usage, _PARTS, file_format, reading_args)


class AmazonReviewDataset(_CsvCorpus):
    """Reviews of goods: ``label``, from 1 on, ``title`` and ``content``, strings.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing; later, when a record has another number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

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
        file_format = _make_csv_format("label", "title", "content")
        self._init_corpus(dataset_dir, usage, _PARTS, file_format, reading_args)


class DBpediaDataset(_CsvCorpus):
    """Beginnings of articles: ``class``, from 1 to 14, ``title`` and ``content``, strings.

    Of a folder with one file alone, ``"all"`` are the rows of that.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing; later, when a record has another number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

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
        file_format = _make_csv_format("class", "title", "content")
        self._init_corpus(dataset_dir, usage, _PARTS, file_format, reading_args, allow_missing=True)


class SogouNewsDataset(_CsvCorpus):
    """News in pinyin: ``index``, the class from 1 to 5, ``title`` and ``content``, strings.

    Of a folder with one file alone, ``"all"`` are the rows of that.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing; later, when a record has another number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

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
        file_format = _make_csv_format("index", "title", "content")
        self._init_corpus(
            dataset_dir,
            usage,
            _PARTS,
            file_format,
            reading_args,
            allow_missing=True,
            sort_by_name=False,
        )


class YahooAnswersDataset(_CsvCorpus):
    """Questions: ``class``, from 1 to 10, ``title``, ``content`` and ``answer``, strings.

    Of a folder with one file alone, ``"all"`` are the rows of that.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing; later, when a record has another number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

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
        file_format = _make_csv_format("class", "title", "content", "answer")
        self._init_corpus(dataset_dir, usage, _PARTS, file_format, reading_args, allow_missing=True)


class YelpReviewDataset(_CsvCorpus):
    """Reviews of places: ``label``, from 1 on, and ``text``, strings.

    Of a folder with one file alone, ``"all"`` are the rows of that.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing; later, when a record has another number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

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
        file_format = _make_csv_format("label", "text")
        self._init_corpus(
            dataset_dir,
            usage,
            _PARTS,
            file_format,
            reading_args,
            allow_missing=True,
            sort_by_name=False,
        )


class SST2Dataset(_CsvCorpus):
    """Phrases of reviews of films.

    Columns: ``sentence`` and, except of the test part, ``label``, ``"1"`` where it praises;
    strings.

    Args:
        dataset_dir (str): the folder with ``train.tsv``, ``dev.tsv`` and ``test.tsv``.
        usage (str, optional): ``"train"``, ``"dev"`` or ``"test"``. Default: ``None``, train.
        num_samples, num_parallel_workers, shuffle: as for :class:`AGNewsDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing, or does not begin with the names of its columns; later,
            when a record has another number of values.

    Source: R. Socher and others, Recursive deep models for semantic compositionality over a
        sentiment treebank, 2013.
    """

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
        parts = {name: [f"{name}.tsv"] for name in ("train", "test", "dev")}
        labelled_format = Csv(("sentence", "label"), [str, str], "\t", has_header=True)
        file_format = _NumberedSentences() if usage == "test" else labelled_format
        self._init_corpus(dataset_dir, usage, parts, file_format, reading_args, default="train")


class _NumberedSentences:
    """The format of sentences after their numbers, which are no column."""

    columns = ("sentence",)

    def __init__(self) -> None:
        self._csv = Csv(("index", "sentence"), [str, str], "\t", has_header=True)

    def index(self, path: Path) -> np.ndarray:
        return self._csv.index(path)

    def read(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        return self._csv.read(path, file, start, length)[1:]
