"""recompute: runs a block whose intermediate results need not be stored."""

from __future__ import annotations

from typing import Any

from minispore.foundation import checks
from minispore.nn.cell import Cell


def recompute(block: Cell, *args: Any, **kwargs: Any) -> Any:
    """Call ``block(*args, **kwargs)``; the memory planner decides which values are kept for the
    gradient.

    Args:
        block: a Cell.
        args: its inputs.
        kwargs: its inputs by name.

    Raises:
        TypeError: ``block`` is not a Cell.

    >>> import minispore as ms
    >>> from minispore import Tensor, nn
    >>> print(ms.recompute(nn.ReLU(), Tensor([-1.0, 2.0])))
    [0. 2.]
    """
    return checks.instance("recompute", "block", block, Cell)(*args, **kwargs)


__all__ = ["recompute"]
