"""Random numbers: one global stream, drawn in program order, so both modes draw the same."""

from __future__ import annotations

import itertools
import random
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_seed: int | None = None
_generator = np.random.Generator(np.random.PCG64())
_streams: dict[tuple[int, ...], np.random.Generator] = {}  # of ops that have seeds of their own
_numbered: dict[tuple[int, str], int] = {}  # how many ops of this seed and name have asked
_STEP = 533_697_028  # what MindSpore adds to an op's seed for each one before it
_held: dict[int, np.random.Generator] = {}  # of Generator objects, by a number no seed has


def set_seed(seed: int) -> None:
    """Seed every random draw: initialisers, random ops, (where they have no seed of their own)
    datasets, NumPy's own ``np.random`` and Python's ``random``.

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
    seed_python(_seed)
    _generator = np.random.Generator(np.random.PCG64(_seed))
    _streams.clear()
    _numbered.clear()


def seed_python(seed: int) -> None:
    """Seed what scripts draw their data from, ``random`` and ``np.random``."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def get_seed() -> int | None:
    """The seed given to :func:`set_seed`, or None."""
    return _seed


def seeds_of(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """The two seeds that an op is made with: that of :func:`set_seed`, and one of its own. Ops of
    the same name differ in it.

    >>> set_seed(1)
    >>> seeds_of(0, "dropout"), seeds_of(0, "dropout"), seeds_of(3, "dropout")
    ((1, 0), (1, 533697028), (1, 3))
    """
    own = op_seed or 0
    if _seed is None:
        return 0, own
    before = _numbered.get((own, kernel_name), 0)
    _numbered[own, kernel_name] = before + 1
    return _seed, own + before * _STEP


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


def initial() -> int:
    """The seed of what an initialiser draws, out of NumPy's own state as in MindSpore: so weights
    begin with MindSpore's numbers, and scripts that seed NumPy alone begin with the same ones.

    >>> set_seed(1)
    >>> first = initial()
    >>> set_seed(1)
    >>> initial() == first
    True
    """
    return int(np.random.randint(1, 1 << 63, dtype=np.int64))  # noqa: NPY002


_parts = 0  # seeds that parts have taken while nobody had called set_seed


@contextmanager
def of_part(index: int) -> Iterator[None]:
    """Draw a part of a weight inside the ``with`` block: from the seed and its number alone.

    NumPy's own state begins again behind it, as in MindSpore.
    """
    global _parts
    again = int(np.random.get_state()[1][0])  # type: ignore[index]  # noqa: NPY002
    np.random.seed(index + (_parts if _seed is None else _seed))  # noqa: NPY002
    _parts += 2 if _seed is None else 0
    try:
        yield
    finally:
        np.random.seed(again)  # noqa: NPY002


class Shared(int):
    """A seed whose stream all share who name it, until :func:`set_seed` begins it again: what
    functions draw from. (An op object with a plain seed has its :class:`Own`.)
    """


class Own:
    """The streams of one object. Each begins from its seeds alone, whatever ``set_seed`` was given,
    so that another object with these seeds draws the same.

    >>> a, b = Own(), Own()
    >>> first = a.stream(5).random()
    >>> first == b.stream(5).random(), first == a.stream(5).random()
    (True, False)
    """

    def __init__(self) -> None:
        self.key = next(_numbers)
        self.streams: dict[tuple[int, ...], np.random.Generator] = {}
        _owners[self.key] = self

    def stream(self, *seeds: int) -> np.random.Generator:
        """The stream of these seeds, where the object's last draw left it."""
        if seeds not in self.streams:
            self.streams[seeds] = begun(*seeds)
        return self.streams[seeds]

    def __repr__(self) -> str:
        return "Own()"

    def begin(self) -> None:
        """Let all of them begin again."""
        self.streams.clear()


_numbers = itertools.count()
_owners: weakref.WeakValueDictionary[int, Own] = weakref.WeakValueDictionary()


def begun(*seeds: int) -> np.random.Generator:
    """A new stream of these seeds, also of zeros.

    >>> begun(0).random() == begun(0).random()
    True
    """
    return np.random.Generator(np.random.PCG64(_words(seeds)))


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


Positions = dict[Any, Any]
State = tuple[int | None, Positions, Positions, Positions, Positions]


def get_state() -> State:
    """Seed and positions of all streams, for :func:`set_state`."""
    return (
        _seed,
        dict(_generator.bit_generator.state),
        _places(_streams),
        _places(_held),
        {key: _places(owner.streams) for key, owner in list(_owners.items()) if owner.streams},
    )


def set_state(state: State) -> None:
    """Put all streams back to where :func:`get_state` saw them."""
    global _seed, _generator
    _seed, position, shared, held, own = state
    _generator = _at(position)
    _streams.clear()
    _numbered.clear()
    _streams.update({seeds: _at(p) for seeds, p in shared.items()})
    _held.update({key: _at(p) for key, p in held.items() if key in _held})
    for key, owner in list(_owners.items()):
        owner.streams = {seeds: _at(p) for seeds, p in own.get(key, {}).items()}


def positions() -> list[Any]:
    """The same for JSON; for :func:`set_positions`. Objects are told by the order in which they
    were made."""
    seed, common, shared, held, own = get_state()
    owned = [[key, _listed(streams)] for key, streams in own.items()]
    return [seed, common, _listed(shared), list(map(list, held.items())), owned]


def set_positions(saved: list[Any]) -> None:
    """Put all streams back to where :func:`positions` saw them."""
    seed, common, shared, held, *owned = saved  # files of older versions hold no more
    own = {key: _unlisted(streams) for saves in owned for key, streams in saves}
    set_state((seed, common, _unlisted(shared), dict(held), own))


def _places(streams: dict[Any, np.random.Generator]) -> Positions:
    return {key: dict(g.bit_generator.state) for key, g in [*streams.items()]}


def _listed(places: Positions) -> list[Any]:
    return [[list(seeds), position] for seeds, position in places.items()]


def _unlisted(saved: list[Any]) -> Positions:
    return {tuple(seeds): position for seeds, position in saved}


def _at(position: dict) -> np.random.Generator:
    made = np.random.Generator(np.random.PCG64())
    made.bit_generator.state = position
    return made
