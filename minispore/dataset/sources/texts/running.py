"""Datasets of running text by line: EnWik9Dataset, PennTreebankDataset, WikiTextDataset."""

from __future__ import annotations

from typing import Any

from minispore.dataset.sources.records import Shuffle
from minispore.dataset.sources.text import Lines
from minispore.dataset.sources.texts.corpus import CorpusDataset, UsageCorpus


class PennTreebankDataset(UsageCorpus):
    """Sentences of a newspaper, one per line: ``text``, a string.

    Empty lines are skipped; lines of a single space are not.

    Args:
        dataset_dir (str): the folder with ``ptb.train.txt``, ``ptb.valid.txt`` and
            ``ptb.test.txt``.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"`` or ``"all"``. Default:
            ``None``, all.
        num_samples, num_parallel_workers, shuffle: as for :class:`AGNewsDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a line is not valid UTF-8.

    Source: M. Marcus, B. Santorini, M. A. Marcinkiewicz, Building a large annotated corpus of
        English: the Penn treebank, 1993.
    """

    _parts = {name: [f"ptb.{name}.txt"] for name in ("train", "test", "valid")}

    def _make_format(self, usage: str | None) -> Lines:
        return Lines()


class WikiTextDataset(UsageCorpus):
    """Lines of encyclopedic articles: ``text``, a string.

    Empty lines are skipped; lines of a single space are not.

    Args:
        dataset_dir (str): the folder with ``wiki.train.tokens``, ``wiki.valid.tokens`` and
            ``wiki.test.tokens``.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"`` or ``"all"``. Default:
            ``None``, all.
        num_samples, num_parallel_workers, shuffle: as for :class:`AGNewsDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a line is not valid UTF-8.

    Source: S. Merity, C. Xiong, J. Bradbury, R. Socher, Pointer sentinel mixture models, 2016.
    """

    _parts = {name: [f"wiki.{name}.tokens"] for name in ("train", "test", "valid")}

    def _make_format(self, usage: str | None) -> Lines:
        return Lines()


class EnWik9Dataset(CorpusDataset):
    """Lines of an encyclopedia in XML, including empty lines: ``text``, a string.

    Args:
        dataset_dir (str): the folder with ``enwik9``.
        num_samples, num_parallel_workers: as for :class:`AGNewsDataset`.
        shuffle (bool or Shuffle, optional): likewise. Default: ``True``.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: the file is missing; later, when a line is not valid UTF-8.

    Source: M. Mahoney, Large text compression benchmark, 2006.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = True,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        reading_args = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        self._init_corpus(
            dataset_dir, None, {"all": ["enwik9"]}, Lines(keep_empty=True), reading_args
        )
