"""BatchLedger: records which batches and rows a training used, and how often."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minispore.dataset.dataset import Dataset
from minispore.dataset.pipeline.source import Sampled


class Entry(NamedTuple):
    """One batch that a step consumed."""

    pass_number: int
    number_in_pass: int
    rows: np.ndarray  # ids of the source rows


@dataclass
class BatchLedger:
    """The record of every batch passed to a step, made by :meth:`Model.batch_ledger`.

    Batches are numbered over all passes of a training; ``rows`` are the ids of the source rows.
    """

    dataset_size: int = 0  # batches per pass
    source_rows: int | None = None  # number of rows of the source, if it has random access
    _records: list[tuple[int, int, Any]] = field(default_factory=list, repr=False)

    def start_training(self, dataset: Any, size: int) -> None:
        """Clear the entries for a new training with ``dataset``; set ``dataset_size`` and
        ``source_rows``.

        ``size`` is the number of batches per pass.
        """
        self.clear()
        self.dataset_size = size
        self.source_rows = _count_source_rows(dataset)

    def record(self, batch: Any) -> None:
        """Record that a step consumed ``batch`` (a :class:`minispore.dataset.iterator.Batch`)."""
        # Runs once per step, so it computes nothing; a reference to the batch would keep its
        # columns alive.
        self._records.append((batch.pass_number, batch.number, batch.rows))

    @property
    def entries(self) -> list[Entry]:
        """All batches that steps consumed, in order."""
        size = self.dataset_size
        return [Entry(p, n % size if size > 0 else n, rows) for p, n, rows in self._records]

    def __len__(self) -> int:
        """Return the number of batches used."""
        return len(self._records)

    @property
    def passes(self) -> dict[int, int]:
        """The number of batches used from each pass: ``{0: 1875, 1: 125}``."""
        return dict(Counter([number for number, _, _ in self._records]))

    def row_counts(self) -> dict[int, int]:
        """Return how often each source row was used, omitting rows never used."""
        if not self._records:
            return {}
        used = np.concatenate([np.ravel(rows) for _, _, rows in self._records])
        rows, counts = np.unique(used, return_counts=True)
        return dict(zip(rows.tolist(), counts.tolist(), strict=True))

    def never_used(self) -> list[int]:
        """Return the source rows that no step used; empty if the number of rows is unknown."""
        if self.source_rows is None:
            return []
        return sorted(set(range(self.source_rows)) - set(self.row_counts()))

    def clear(self) -> None:
        """Remove all entries."""
        self._records.clear()

    def __str__(self) -> str:
        """Return a text: the numbers of batches used, in total and per pass, and how often source
        rows were used.
        """
        counts = self.row_counts()
        lines = [f"batches used: {len(self)}"]
        lines += [f"  pass {p}: {n} of {self.dataset_size}" for p, n in self.passes.items()]
        if counts:
            low, high = min(counts.values()), max(counts.values())
            frequency = "once" if high == 1 else f"{high} times"
            if low < high:
                frequency = f"{low} to {high} times"
            lines.append(f"source rows used: {len(counts)}, each {frequency}")
        if self.source_rows is not None:
            unused = self.never_used()
            line = f"source rows never used: {len(unused)} of {self.source_rows}"
            if unused:
                line += f": {unused[:10]}"
            lines.append(line + ("..." if len(unused) > 10 else ""))
        return "\n".join(lines)


def _count_source_rows(dataset: Any) -> int | None:
    """Return the number of rows of the source of ``dataset``, before any sampling.

    Returns:
        None if the dataset has several sources, if the number is unknown before a run, or if the
        dataset's class is user-defined.
    """
    if not isinstance(dataset, Dataset):
        return None
    while dataset.children:
        if len(dataset.children) > 1:
            return None
        (dataset,) = dataset.children
    node = dataset.node
    return len(node.table) if isinstance(node, Sampled) else node.size()
