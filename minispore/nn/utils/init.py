"""How the parameters of a network start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Build a network inside whose parameters come from a checkpoint.

    MindSpore leaves these parameters without values until then. Here they have their values from
    the start: a checkpoint replaces them, and what it does not hold is as ever.

    >>> from minispore import nn
    >>> with no_init_parameters():
    ...     net = nn.Dense(2, 3)
    """
    yield


__all__ = ["no_init_parameters"]
