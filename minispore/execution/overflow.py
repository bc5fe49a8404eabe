"""The overflow flag of the device: set by an op whose output has a new infinity or NaN.

An op sets the flag if its output has an infinity and no input has an infinity or NaN, or if its
output has a NaN and no input has a NaN. The flag stays set until it is cleared, like the register
of a device. A check costs a pass over every array, so ops are checked only between ``clear`` and
``read``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


class Flag:
    """A flag that is set if an op has overflowed since the last ``clear``, in either mode.

    >>> flag = Flag()
    >>> flag.clear()
    >>> check = OverflowCheck(flag, [np.float32([3e38])], [np.float32([np.inf])])
    >>> check.before(), check.after()
    (None, None)
    >>> flag.read()
    True
    """

    def __init__(self) -> None:
        self.watching = False  # whether ops are checked
        self._raised = False

    def clear(self) -> None:
        """Clear the flag, and check each op from now on."""
        self._raised, self.watching = False, True

    def read(self) -> bool:
        """Return whether an op has overflowed; stops the checks."""
        self.watching = False
        return self._raised

    def set(self) -> None:
        """Set the flag, after an op that overflowed."""
        self._raised = True


class OverflowCheck:
    """Overflow check of one op: of its inputs before it runs, and of its outputs afterwards."""

    __slots__ = ("_flag", "_input_nonfinite", "_reads", "_writes")

    def __init__(self, flag: Flag, reads: Iterable[Any], writes: Iterable[np.ndarray]) -> None:
        self._flag = flag
        self._reads = [a for a in reads if isinstance(a, np.ndarray | float)]
        self._writes = writes
        self._input_nonfinite = (False, False)

    @property
    def had_infinite_input(self) -> bool:
        """Whether an input had an infinity before the op ran."""
        return self._input_nonfinite[0]

    def before(self) -> None:
        """Record the non-finite values of the inputs, which the output may overwrite; does nothing
        unless ops are being checked.
        """
        if self._flag.watching:
            self._input_nonfinite = _find_nonfinite(self._reads)

    def after(self) -> None:
        """Set the flag if the outputs have non-finite values that no input had."""
        if not self._flag.watching:
            return
        infinite, nan = _find_nonfinite(self._writes)
        input_infinite, input_nan = self._input_nonfinite
        if (nan and not input_nan) or (infinite and not (input_infinite or input_nan)):
            self._flag.set()


def _find_nonfinite(values: Iterable[Any]) -> tuple[bool, bool]:
    """Return whether the floats and float arrays contain an infinity, and whether they contain a
    NaN.
    """
    infinite = nan = False
    for v in values:
        if isinstance(v, float):
            infinite, nan = infinite or math.isinf(v), nan or math.isnan(v)
        elif v.dtype.kind in "fcV" and not np.isfinite(v).all():
            infinite, nan = infinite or bool(np.isinf(v).any()), nan or bool(np.isnan(v).any())
    return infinite, nan


#: The flag of this process's device.
flag = Flag()

__all__ = ["Flag", "OverflowCheck", "flag"]
