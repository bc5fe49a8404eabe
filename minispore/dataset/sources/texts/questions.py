"""SQuADDataset: questions about texts, with their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.sources.texts.corpus import ParsedFiles, UsageCorpus
from minispore.errors import DatasetError
from minispore.foundation.files import parse_json

_NO_ANSWER_START = 2**32 - 1  # start of a missing answer


class SQuADDataset(UsageCorpus):
    """Questions about texts, with answers.

    Columns: ``context`` and ``question``, strings, and with one element for each answer ``text``,
    strings, and ``answer_start``, uint32.

    A question without answers gets an empty answer that starts at 4294967295.

    Args:
        dataset_dir (str): the folder with ``train-v1.1.json`` and ``dev-v1.1.json``, or the files
            of v2.0; if both versions exist, both are read.
        usage (str, optional): ``"train"``, ``"dev"`` or ``"all"``. Default: ``None``, all.
        num_samples, num_parallel_workers, shuffle: as for :class:`AGNewsDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing, is not JSON or lacks an entry.

    Source: P. Rajpurkar, J. Zhang, K. Lopyrev, P. Liang, SQuAD: 100,000+ questions for machine
        comprehension of text, 2016.
    """

    _parts = {name: [f"{name}-v1.1.json", f"{name}-v2.0.json"] for name in ("train", "dev")}
    _corpus_options = {"sort_by_name": False}

    def _make_format(self, usage: str | None) -> ParsedFiles:
        return ParsedFiles(("context", "question", "text", "answer_start"), _read_questions)


def _read_questions(path: Path) -> list[tuple[Any, ...]]:
    """Return a row for each question of a file.

    Raises:
        DatasetError: the file is not JSON, or lacks an entry.
    """
    try:
        document = parse_json(path.read_text(encoding="utf-8-sig"))
        return [
            (paragraph["context"], entry["question"], *_make_answers(entry["answers"]))
            for title in document["data"]
            for paragraph in title["paragraphs"]
            for entry in paragraph["qas"]
        ]
    except KeyError as exc:
        raise DatasetError(f"SQuADDataset: the file {path} must have {exc} in each entry.") from exc
    except (ValueError, TypeError, OverflowError) as exc:
        raise DatasetError(
            f"SQuADDataset: the file {path} must be JSON as SQuAD has it. {exc}."
        ) from exc


def _make_answers(answers: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the texts and the starts of answers.

    A question without an answer gets an empty answer.

    Raises:
        ValueError: a start is negative.
    """
    texts = [answer["text"] for answer in answers] or [""]
    starts = [answer["answer_start"] for answer in answers] or [_NO_ANSWER_START]
    if min(starts) < 0:  # NumPy 1.26 would wrap it around
        raise ValueError(f"answer_start must not be negative, got {min(starts)}")
    return np.array(texts, np.str_), np.array(starts, np.uint32)
