"""The overflow flag of the device: raised by an op that makes an infinity or a NaN.

An op does so if its output holds an infinity where no input held one or a NaN, or a NaN where no
input held one. The flag stays up until it is cleared, as the register of a device does; to look
costs a pass over every array, so ops are looked at only between ``clear`` and ``read``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


class Flag:
    """Whether an op has overflowed since the last ``clear``, in either mode.

    >>> flag = Flag()
    >>> flag.clear()
    >>> look = Look(flag, [np.float32([3e38])], [np.float32([np.inf])])
    >>> look.before(), look.after()
    (None, None)
    >>> flag.read()
    True
    """

    def __init__(self) -> None:
        self.watching = False  # whether ops are looked at
        self._raised = False

    def clear(self) -> None:
        """Take the flag down and look at the ops from here on."""
        self._raised, self.watching = False, True

    def read(self) -> bool:
        """Whether the flag is up; ops are no longer looked at."""
        self.watching = False
        return self._raised

    def put_up(self) -> None:
        """What an op does that overflows."""
        self._raised = True


class Look:
    """Looks at what one op reads, before it runs, and at what it has written."""

    __slots__ = ("_flag", "_had", "_reads", "_writes")

    def __init__(self, flag: Flag, reads: Iterable[Any], writes: Iterable[np.ndarray]) -> None:
        self._flag = flag
        self._reads = [a for a in reads if isinstance(a, np.ndarray | float)]
        self._writes = writes
        self._had = (False, False)

    def before(self) -> None:
        """Note what the inputs hold: the output may take their memory."""
        if self._flag.watching:
            self._had = _oddities(self._reads)

    def after(self) -> None:
        """Put the flag up if the output holds what no input held."""
        if not self._flag.watching:
            return
        infinite, nan = _oddities(self._writes)
        had_infinite, had_nan = self._had
        if (nan and not had_nan) or (infinite and not (had_infinite or had_nan)):
            self._flag.put_up()


def _oddities(values: Iterable[Any]) -> tuple[bool, bool]:
    """Whether there is an infinity, and whether there is a NaN."""
    infinite = nan = False
    for v in values:
        if isinstance(v, float):
            infinite, nan = infinite or math.isinf(v), nan or math.isnan(v)
        elif v.dtype.kind in "fcV" and not np.isfinite(v).all():
            infinite, nan = infinite or bool(np.isinf(v).any()), nan or bool(np.isnan(v).any())
    return infinite, nan


#: The flag of this process's device.
flag = Flag()

__all__ = ["Flag", "Look", "flag"]
