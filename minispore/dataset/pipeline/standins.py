"""Stand-ins: good rows of a map in the places of rows that failed, in MindSpore's order."""

from __future__ import annotations

import numpy as np

from minispore.dataset.pipeline.block import Block, join
from minispore.errors import DatasetError

_KEPT = 16  # good rows: the first ones, each replaced by a later one once it has stood in


class StandIns:
    """The rows of one pass, in which a good row comes once more for each that failed.

    Until sixteen good rows are there, failed rows are only counted. From then on one of the sixteen
    follows a row that failed, or a good row while places are still owed, but never another
    stand-in. What is owed at the end of the pass comes then.
    """

    def __init__(self) -> None:
        self._kept: Block | None = None
        self._owed = self._read = self._written = 0
        self._last_stood_in = False

    def among(self, block: Block, good: np.ndarray, count: int) -> Block:
        """The rows of ``block``, which were at the places ``good`` of ``count``, and stand-ins."""
        known = block if self._kept is None else join([self._kept, block])
        new = known.count - block.count
        slots, order = list(range(new)), []
        came = np.zeros(count, bool)
        came[good] = True
        for row_came in came:
            if row_came:
                order.append(new)
                self._last_stood_in = False
                if len(slots) < _KEPT:
                    slots.append(new)
                elif self._written < self._read:
                    slots[self._written % _KEPT] = new
                    self._written += 1
                new += 1
            else:
                self._owed += 1
            if self._owed and len(slots) == _KEPT and not self._last_stood_in:
                order.append(slots[self._read % _KEPT])
                self._read += 1
                self._owed -= 1
                self._last_stood_in = True
        self._kept = known.take(np.array(slots, int)) if slots else None
        out = known.take(np.array(order, int)) if order else block
        out.error = block.error
        return out

    def rest(self) -> Block | None:
        """What is owed at the end of the pass.

        Raises:
            DatasetError: all rows failed.
        """
        if not self._owed:
            return None
        if self._kept is None:
            raise DatasetError(
                f"map: in error_samples_mode REPLACE some row must come through, but all "
                f"{self._owed} failed. All data is garbage and cannot be replaced."
            )
        return self._kept.take((self._read + np.arange(self._owed)) % self._kept.count)
