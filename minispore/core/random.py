"""Random numbers: one global stream, drawn in program order, so both modes draw the same."""

from __future__ import annotations

import numpy as np

_seed: int | None = None
_generator = np.random.Generator(np.random.PCG64())


def set_seed(seed: int) -> None:
    """Seed every random draw: initialisers, random ops and (where they have no seed of their own)
    datasets.

    Args:
        seed: an integer from 0 to 2**32 - 1.

    Raises:
        TypeError: ``seed`` is not an int.
        ValueError: ``seed`` is out of range.

    >>> set_seed(1)
    >>> get_seed()
    1
    """
    global _seed, _generator
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"set_seed: seed must be an int, got {seed!r} ({type(seed).__name__}).")
    if not 0 <= seed < 2**32:
        raise ValueError(f"set_seed: seed must be in [0, 2**32 - 1], got {seed}.")
    _seed = int(seed)
    _generator = np.random.Generator(np.random.PCG64(_seed))


def get_seed() -> int | None:
    """The seed given to :func:`set_seed`, or None."""
    return _seed


def generator() -> np.random.Generator:
    """The stream that all random draws take from."""
    return _generator


def get_state() -> tuple[int | None, dict]:
    """Seed and position of the stream, for :func:`set_state`."""
    return _seed, dict(_generator.bit_generator.state)


def set_state(state: tuple[int | None, dict]) -> None:
    """Put the stream back to where :func:`get_state` saw it."""
    global _seed, _generator
    _seed = state[0]
    _generator = np.random.Generator(np.random.PCG64())
    _generator.bit_generator.state = state[1]
