"""Datasets of sentences with tagged words: CoNLL2000Dataset, UDPOSDataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset.formats import lines
from minispore.dataset.sources.text import read_line
from minispore.dataset.sources.texts.corpus import ShuffleFirstCorpus


class CoNLL2000Dataset(ShuffleFirstCorpus):
    """Sentences with chunk tags: ``word``, ``pos_tag``, ``chunk_tag``, strings, one for each word.

    Args:
        dataset_dir (str): the folder with ``train.txt`` and ``test.txt``: a word
            with its tags in each line, an empty line after each sentence.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default:
            ``None``, all.
        num_samples, shuffle, num_shards, shard_id: as for :class:`AGNewsDataset`.
        num_parallel_workers, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a word lacks a tag.

    Source: E. F. Tjong Kim Sang, S. Buchholz, Introduction to the CoNLL-2000 shared task: chunking,
        2000.
    """

    _parts = {"train": ["train.txt"], "test": ["test.txt"]}

    def _make_format(self, usage: str | None) -> _TaggedSentences:
        return _TaggedSentences(("word", "pos_tag", "chunk_tag"), " ")


class UDPOSDataset(ShuffleFirstCorpus):
    """Sentences with part-of-speech tags.

    Columns: ``word``, ``universal`` and ``stanford``, strings, one for each word.

    Args:
        dataset_dir (str): the folder with ``en-ud-tag.v2.train.txt``, ``en-ud-tag.v2.dev.txt`` and
            ``en-ud-tag.v2.test.txt``: a word
            with its tags in each line, an empty line after each sentence.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"`` or ``"all"``. Default:
            ``None``, all.
        num_samples, shuffle, num_shards, shard_id: as for :class:`AGNewsDataset`.
        num_parallel_workers, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing; later, when a word lacks a tag.

    Source: J. Nivre and others, Universal dependencies v1: a multilingual treebank collection,
        2016.
    """

    _parts = {
        "train": ["en-ud-tag.v2.train.txt"],
        "test": ["en-ud-tag.v2.test.txt"],
        "valid": ["en-ud-tag.v2.dev.txt"],
    }

    def _make_format(self, usage: str | None) -> _TaggedSentences:
        return _TaggedSentences(("word", "universal", "stanford"), "\t")


class _TaggedSentences:
    """The format of sentences separated by empty lines, with a word and its tags in each line."""

    def __init__(self, columns: tuple[str, ...], delimiter: str) -> None:
        self.columns = columns
        self._delimiter = delimiter

    def index_records(self, path: Path) -> np.ndarray:
        """Return start and length of each sentence, a run of non-empty lines."""
        starts, lengths = lines.index_lines(path, quoted=False).T
        if not len(starts):
            return np.empty((0, 2), np.int64)
        ends = starts + lengths
        # A sentence ends with each line before an empty line, and with the last line.
        last_lines = np.flatnonzero(starts[1:] > ends[:-1] + 1)
        sentence_starts = starts[np.append([0], last_lines + 1)]
        sentence_ends = ends[np.append(last_lines, -1)]
        return np.stack([sentence_starts, sentence_ends - sentence_starts], axis=1)

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """Return the words and their tags as columns; raise ValueError if a line lacks a tag."""
        sentence_lines = [
            text.removesuffix("\r") for text in read_line(file, start, length).split("\n")
        ]
        words = [text.split(self._delimiter)[: len(self.columns)] for text in sentence_lines]
        for text, values in zip(sentence_lines, words):
            if len(values) < len(self.columns):
                raise ValueError(
                    f"the sentence at byte {start} must have {', '.join(self.columns)} in each "
                    f"line, got {text!r}"
                )
        return [np.array(column) for column in zip(*words)]
