"""Datasets of classified texts in files of separated values, such as AGNewsDataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from minispore.dataset.sources.records import Format
from minispore.dataset.sources.text import Csv
from minispore.dataset.sources.texts.corpus import (
    CorpusDataset,
    ShuffleFirstCorpus,
    UsageCorpus,
)


class _CsvCorpus(CorpusDataset):
    """Base of the datasets over ``train.csv`` and ``test.csv``, with strings and no header."""

    _column_names: ClassVar[tuple[str, ...]]
    _parts = {"train": ["train.csv"], "test": ["test.csv"]}
    _divides_files = False

    def _make_format(self, usage: str | None) -> Csv:
        return Csv(self._column_names, [str] * len(self._column_names), ",", has_header=False)


class AGNewsDataset(_CsvCorpus, UsageCorpus):
    """News: ``index``, the class from 1 to 4, ``title`` and ``description``, strings.

    Args:
        dataset_dir (str): the folder with ``train.csv`` and ``test.csv``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): reader threads; they take the files in turn and
            yield one row each in turn.
        shuffle (bool or Shuffle, optional): ``True``, ``None`` and GLOBAL shuffle files and rows,
            FILES only the files. Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): read only one of several shards of equal size.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a record has a wrong number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

    _column_names = "index", "title", "description"


class AmazonReviewDataset(_CsvCorpus, UsageCorpus):
    """Product reviews: ``label``, from 1 on, ``title`` and ``content``, strings.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a record has a wrong number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

    _column_names = "label", "title", "content"


class DBpediaDataset(_CsvCorpus, UsageCorpus):
    """First paragraphs of articles: ``class``, from 1 to 14, ``title`` and ``content``, strings.

    If the folder has only one of the files, ``"all"`` reads that file.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a record has a wrong number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

    _column_names = "class", "title", "content"
    _corpus_options = {"allow_missing": True}


class SogouNewsDataset(_CsvCorpus, ShuffleFirstCorpus):
    """News in pinyin: ``index``, the class from 1 to 5, ``title`` and ``content``, strings.

    If the folder has only one of the files, ``"all"`` reads that file.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a record has a wrong number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

    _column_names = "index", "title", "content"
    _corpus_options = {"allow_missing": True, "sort_by_name": False}


class YahooAnswersDataset(_CsvCorpus, UsageCorpus):
    """Questions: ``class``, from 1 to 10, ``title``, ``content`` and ``answer``, strings.

    If the folder has only one of the files, ``"all"`` reads that file.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a record has a wrong number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

    _column_names = "class", "title", "content", "answer"
    _corpus_options = {"allow_missing": True}


class YelpReviewDataset(_CsvCorpus, ShuffleFirstCorpus):
    """Reviews of places: ``label``, from 1 on, and ``text``, strings.

    If the folder has only one of the files, ``"all"`` reads that file.

    Args:
        dataset_dir, usage, num_samples: as for :class:`AGNewsDataset`.
        num_parallel_workers, shuffle, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a record has a wrong number of values.

    Source: X. Zhang, J. Zhao, Y. LeCun, Character-level convolutional networks for text
        classification, 2015.
    """

    _column_names = "label", "text"
    _corpus_options = {"allow_missing": True, "sort_by_name": False}


class SST2Dataset(UsageCorpus):
    """Phrases from film reviews.

    Columns, all strings: ``sentence`` and, except in the test part, ``label``, ``"1"`` for a
    positive phrase.

    Args:
        dataset_dir (str): the folder with ``train.tsv``, ``dev.tsv`` and ``test.tsv``.
        usage (str, optional): ``"train"``, ``"dev"`` or ``"test"``. Default: ``None``, train.
        num_samples, num_parallel_workers, shuffle: as for :class:`AGNewsDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing, or does not begin with the names of its columns; later,
            when a record has a wrong number of values.

    Source: R. Socher and others, Recursive deep models for semantic compositionality over a
        sentiment treebank, 2013.
    """

    _parts = {name: [f"{name}.tsv"] for name in ("train", "test", "dev")}
    _corpus_options = {"default": "train"}
    _divides_files = False

    def _make_format(self, usage: str | None) -> Format:
        """Return the format of the files of ``usage``; the test file has no labels."""
        if usage == "test":
            return _NumberedSentences()
        return Csv(("sentence", "label"), [str, str], "\t", has_header=True)


class _NumberedSentences:
    """The format of numbered sentences; the number is not a column."""

    columns = ("sentence",)

    def __init__(self) -> None:
        self._csv = Csv(("index", "sentence"), [str, str], "\t", has_header=True)

    def index_records(self, path: Path) -> np.ndarray:
        return self._csv.index_records(path)

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """Return the sentence of a record, without its number."""
        return self._csv.read_record(path, file, start, length)[1:]
