"""The strategies of mixed precision that MindSpore keeps in a Cell: their levels are here, so that
what names them can be imported; the strategies are not.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn


class AmpLevel(Enum):
    """How much is computed in low precision.

    >>> AmpLevel.AmpO3.value
    3
    """

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def create_amp_strategy(level: AmpLevel, dtype: Any, white_list: Any, black_list: Any) -> NoReturn:
    """Refused: :func:`minispore.amp.auto_mixed_precision` does it.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "create_amp_strategy: a strategy must not be put into a Cell by hand, got "
        f"{level} and {dtype}. Call amp.auto_mixed_precision(network, level, dtype)."
    )


__all__ = ["AmpLevel", "create_amp_strategy"]
