"""BatchLedger: which batches and rows were used, how often, and which never."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minispore.dataset.pipeline.source import Sampled


class Entry(NamedTuple):
    """One batch that a step took."""

    pass_number: int
    number_in_pass: int
    rows: np.ndarray  # ids of the source rows


@dataclass
class BatchLedger:
    """Kept by a Model once :meth:`Model.batch_ledger` was called: every batch handed to a step.

    Batches are numbered over all passes of a training; ``rows`` are the ids of the source rows.
    """

    dataset_size: int = 0  # batches per pass
    source_rows: int | None = None  # rows of the source, where it has random access
    _noted: list[tuple[int, int, Any]] = field(default_factory=list, repr=False)

    def begin(self, dataset: Any, size: int) -> None:
        """A training with ``dataset`` begins: what was noted before is forgotten."""
        self.clear()
        self.dataset_size = size
        self.source_rows = _rows_of_source(dataset)

    def note(self, batch: Any) -> None:
        """A step took ``batch`` (a :class:`minispore.dataset.iterator.Batch`)."""
        # Once a step, so nothing is worked out here; the columns must not be kept alive.
        self._noted.append((batch.pass_number, batch.number, batch.rows))

    @property
    def entries(self) -> list[Entry]:
        """All batches that steps took, in order."""
        size = self.dataset_size
        return [Entry(p, n % size if size > 0 else n, rows) for p, n, rows in self._noted]

    def __len__(self) -> int:
        return len(self._noted)

    @property
    def passes(self) -> dict[int, int]:
        """Batches taken of each pass: ``{0: 1875, 1: 125}``."""
        return dict(Counter([number for number, _, _ in self._noted]))

    def row_counts(self) -> dict[int, int]:
        """How often each source row was used; rows that never were are not in it."""
        if not self._noted:
            return {}
        used = np.concatenate([np.ravel(rows) for _, _, rows in self._noted])
        rows, counts = np.unique(used, return_counts=True)
        return dict(zip(rows.tolist(), counts.tolist(), strict=True))

    def never_used(self) -> list[int]:
        """Source rows that no step has seen, of a source that says how many it has."""
        if self.source_rows is None:
            return []
        return sorted(set(range(self.source_rows)) - set(self.row_counts()))

    def clear(self) -> None:
        """Forget all entries."""
        self._noted.clear()

    def __str__(self) -> str:
        counts = self.row_counts()
        lines = [f"batches used: {len(self)}"]
        lines += [f"  pass {p}: {n} of {self.dataset_size}" for p, n in self.passes.items()]
        if counts:
            low, high = min(counts.values()), max(counts.values())
            often = (
                "once" if high == 1 else f"{low} to {high} times" if low < high else f"{low} times"
            )
            lines.append(f"source rows used: {len(counts)}, each {often}")
        if self.source_rows is not None:
            never = self.never_used()
            shown = f": {never[:10]}{'...' if len(never) > 10 else ''}" if never else ""
            lines.append(f"source rows never used: {len(never)} of {self.source_rows}{shown}")
        return "\n".join(lines)


def _rows_of_source(dataset: Any) -> int | None:
    """Rows of the one source below ``dataset``, whichever of them its sampler takes.

    None with several, or where only a run can tell.
    """
    while dataset.children:
        if len(dataset.children) > 1:
            return None
        (dataset,) = dataset.children
    node = dataset.node
    return len(node.table) if isinstance(node, Sampled) else node.size()
