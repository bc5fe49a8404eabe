"""Random numbers: one global stream, drawn in program order, so both modes draw the same."""

from __future__ import annotations

from typing import Any

import numpy as np

_seed: int | None = None
_generator = np.random.Generator(np.random.PCG64())
_streams: dict[tuple[int, ...], np.random.Generator] = {}  # of ops that have seeds of their own
_held: dict[int, np.random.Generator] = {}  # of Generator objects, by a number no seed has


def set_seed(seed: int) -> None:
    """Seed every random draw: initialisers, random ops, (where they have no seed of their own)
    datasets, and NumPy's own ``np.random``.

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
    np.random.seed(_seed)  # noqa: NPY002  # scripts draw their data from it and count on this
    _generator = np.random.Generator(np.random.PCG64(_seed))
    _streams.clear()


def get_seed() -> int | None:
    """The seed given to :func:`set_seed`, or None."""
    return _seed


def generator(*seeds: int) -> np.random.Generator:
    """The stream that all random draws take from; an op with seeds of its own has its own stream.

    >>> set_seed(1)
    >>> generator(0, 0) is generator(), generator(5) is generator(), generator(5) is generator(5)
    (True, False, True)
    """
    if not any(seeds):
        return _generator
    if seeds[0] in _held:
        return _held[seeds[0]]
    if seeds not in _streams:
        _streams[seeds] = np.random.Generator(np.random.PCG64(_entropy(seeds)))
    return _streams[seeds]


def initial() -> np.random.Generator:
    """The stream of an initialiser: the common one once :func:`set_seed` was called. Before,
    NumPy's own state decides, so that scripts which seed NumPy alone begin with the same weights.

    >>> set_seed(1)
    >>> first = initial().random()
    >>> set_seed(1)
    >>> initial().random() == first
    True
    """
    if _seed is not None:
        return generator()
    drawn = np.random.randint(2**32, dtype=np.uint64)  # noqa: NPY002
    return np.random.Generator(np.random.PCG64(int(drawn)))


def anew(*seeds: int) -> np.random.Generator:
    """The stream of these seeds from its beginning, at each call; without seeds the common one.
    It is the same whatever ``set_seed`` was given.

    >>> set_seed(1)
    >>> anew(5).random() == anew(5).random(), anew(0) is generator()
    (True, True)
    """
    if not any(seeds):
        return _generator
    return _held.get(seeds[0]) or np.random.Generator(np.random.PCG64(_words(seeds)))


def _entropy(seeds: tuple[int, ...]) -> list[int]:
    return _words((*seeds, _seed or 0))


def _words(seeds: tuple[int, ...]) -> list[int]:
    return [s & 0xFFFF_FFFF_FFFF_FFFF for s in seeds]


def hold(key: int, stream: np.random.Generator | None) -> None:
    """Let draws with the seed ``key`` take from ``stream``; None lets go of it."""
    if stream is None:
        _held.pop(key, None)
    else:
        _held[key] = stream


State = tuple[int | None, dict, dict]


def get_state() -> State:
    """Seed and positions of all streams, for :func:`set_state`."""
    own = {seeds: dict(g.bit_generator.state) for seeds, g in _streams.items()}
    return _seed, dict(_generator.bit_generator.state), own


def set_state(state: State) -> None:
    """Put all streams back to where :func:`get_state` saw them."""
    global _seed, _generator
    _seed, position, own = state
    _generator = _at(position)
    _streams.clear()
    _streams.update({seeds: _at(p) for seeds, p in own.items()})


def positions() -> list[Any]:
    """The same for JSON, with the streams of Generator objects; for :func:`set_positions`."""
    seed, common, own = get_state()
    held = [[key, dict(g.bit_generator.state)] for key, g in _held.items()]
    return [seed, common, [[list(seeds), position] for seeds, position in own.items()], held]


def set_positions(saved: list[Any]) -> None:
    """Put all streams back to where :func:`positions` saw them."""
    seed, common, own, held = saved
    set_state((seed, common, {tuple(seeds): position for seeds, position in own}))
    for key, position in held:
        if key in _held:
            _held[key] = _at(position)


def _at(position: dict) -> np.random.Generator:
    made = np.random.Generator(np.random.PCG64())
    made.bit_generator.state = position
    return made
