"""MindSpore's mixed-precision levels by name; the strategies themselves are not supported."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn


class AmpLevel(Enum):
    """The levels of mixed precision, from none (O0) to all (O3).

    >>> AmpLevel.AmpO3.value
    3
    """

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def create_amp_strategy(level: AmpLevel, dtype: Any, white_list: Any, black_list: Any) -> NoReturn:
    """Raise an error: use :func:`minispore.amp.auto_mixed_precision` instead.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "create_amp_strategy: a strategy must not be put into a Cell by hand, got "
        f"{level} and {dtype}. Call amp.auto_mixed_precision(network, level, dtype)."
    )


__all__ = ["AmpLevel", "create_amp_strategy"]
