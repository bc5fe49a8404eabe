"""Replacements of failed rows by good rows of the same map, in MindSpore's order."""

from __future__ import annotations

import numpy as np

from minispore.dataset.pipeline.block import Block, join
from minispore.errors import DatasetError

# The buffer of the first good rows; each is overwritten by a later one after its use.
_BUFFER_ROWS = 16


class ReplacementRows:
    """The rows of one pass, in which a good row is repeated for each failed row.

    Until the buffer holds sixteen good rows, failed rows are only counted. From then on one of the
    sixteen follows each failed row, and each good row while replacements are missing, but never
    another replacement. The remaining replacements come at the end of the pass.
    """

    def __init__(self) -> None:
        self._buffer: Block | None = None
        self._missing = self._read_count = self._written_count = 0
        self._last_is_replacement = False

    def fill(self, block: Block, good_positions: np.ndarray, count: int) -> Block:
        """Return the rows of ``block`` with replacements for the failed rows.

        Good rows are also stored in the buffer, as replacements of later failed rows.

        Args:
            block: the good rows.
            good_positions: their positions among the ``count`` rows that the map read.
            count: the number of rows that the map read.
        """
        available = block if self._buffer is None else join([self._buffer, block])
        next_index = available.count - block.count
        # Both index `available`: the buffer after this block, and the rows to return.
        slots, order = list(range(next_index)), []
        is_good = np.zeros(count, bool)
        is_good[good_positions] = True
        for row_is_good in is_good:
            if row_is_good:
                order.append(next_index)
                self._last_is_replacement = False
                if len(slots) < _BUFFER_ROWS:
                    slots.append(next_index)
                elif self._written_count < self._read_count:
                    slots[self._written_count % _BUFFER_ROWS] = next_index
                    self._written_count += 1
                next_index += 1
            else:
                self._missing += 1
            if self._missing and len(slots) == _BUFFER_ROWS and not self._last_is_replacement:
                order.append(slots[self._read_count % _BUFFER_ROWS])
                self._read_count += 1
                self._missing -= 1
                self._last_is_replacement = True
        self._buffer = available.take(np.array(slots, int)) if slots else None
        out = available.take(np.array(order, int)) if order else block
        out.error = block.error
        return out

    def take_remaining(self) -> Block | None:
        """Return the replacements still missing at the end of the pass, None if there are none.

        Raises:
            DatasetError: all rows failed.
        """
        if not self._missing:
            return None
        if self._buffer is None:
            raise DatasetError(
                f"map: in error_samples_mode REPLACE some row must come through, but all "
                f"{self._missing} failed. All data is garbage and cannot be replaced."
            )
        return self._buffer.take((self._read_count + np.arange(self._missing)) % self._buffer.count)
