"""Random numbers: one global stream, drawn in program order, so both modes draw equal numbers."""

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
_seeded_streams: dict[tuple[int, ...], np.random.Generator] = {}  # for ops with explicit seeds
_op_counts: dict[tuple[int, str], int] = {}  # number of ops by seed and name
_SEED_STEP = 533_697_028  # MindSpore adds it to an op's seed for each previous op
_generator_streams: dict[int, np.random.Generator] = {}  # for Generators, by keys above all seeds


def set_seed(seed: int) -> None:
    """Seed every random draw: of initializers, random ops, datasets without an explicit seed,
    NumPy's ``np.random`` and Python's ``random``.

    Generators, and op objects whose numbers depend on their own seeds alone
    (:class:`PrivateStreams`), keep their streams.

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
    _seeded_streams.clear()
    _op_counts.clear()


def seed_python(seed: int) -> None:
    """Seed Python's ``random`` and NumPy's ``np.random`` alone, which scripts use to draw data."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def get_seed() -> int | None:
    """Return the seed given to :func:`set_seed`, or None."""
    return _seed


def make_op_seeds(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """Return the two seeds of a new op: the seed of :func:`set_seed`, and one of the op itself.

    The second seed differs for each op of the same name and ``op_seed``, which are counted. Without
    :func:`set_seed` the seeds are 0 and ``op_seed``.

    >>> set_seed(1)
    >>> [make_op_seeds(seed, "dropout") for seed in (0, 0, 3)]
    [(1, 0), (1, 533697028), (1, 3)]
    """
    base_seed = op_seed or 0
    if _seed is None:
        return 0, base_seed
    count = _op_counts.get((base_seed, kernel_name), 0)
    _op_counts[base_seed, kernel_name] = count + 1
    return _seed, base_seed + count * _SEED_STEP


def generator(*seeds: int) -> np.random.Generator:
    """Return the stream that random ops draw from: the global stream without seeds or if all are 0,
    the one that :func:`set_stream` registered for the first seed, or else the stream of these
    seeds.

    >>> set_seed(1)
    >>> generator(0, 0) is generator(), generator(5) is generator(), generator(5) is generator(5)
    (True, False, True)
    """
    if not any(seeds):
        return _generator
    if seeds[0] in _generator_streams:
        return _generator_streams[seeds[0]]
    if seeds not in _seeded_streams:
        _seeded_streams[seeds] = np.random.Generator(np.random.PCG64(_make_entropy(seeds)))
    return _seeded_streams[seeds]


def draw_initializer_seed() -> int:
    """Draw a seed for an initializer from NumPy's global state, as MindSpore does: so initial
    weights equal MindSpore's, also in scripts that seed only NumPy.

    >>> set_seed(1)
    >>> first = draw_initializer_seed()
    >>> set_seed(1)
    >>> draw_initializer_seed() == first
    True
    """
    return int(np.random.randint(1, 1 << 63, dtype=np.int64))  # noqa: NPY002


_unseeded_slice_seed = 0  # the seed of the next slice that is drawn without set_seed


@contextmanager
def drawing_slice(index: int) -> Iterator[None]:
    """Draw one slice of a weight inside the ``with`` block, from the seed and the slice's index.

    NumPy's global state is reseeded afterwards with the first word of its previous state, as in
    MindSpore.
    """
    global _unseeded_slice_seed
    restart_seed = int(np.random.get_state()[1][0])  # type: ignore[index]  # noqa: NPY002
    np.random.seed(index + (_unseeded_slice_seed if _seed is None else _seed))  # noqa: NPY002
    _unseeded_slice_seed += 2 if _seed is None else 0
    try:
        yield
    finally:
        np.random.seed(restart_seed)  # noqa: NPY002


class SharedSeed(int):
    """A seed passed to a function: all calls with it share one stream, which :func:`set_seed`
    restarts.

    An op object uses :class:`PrivateStreams` for its seeds instead.
    """


class PrivateStreams:
    """The streams of one op object, which depend on its seeds alone and not on :func:`set_seed`.

    So two objects with the same seeds draw the same numbers.

    >>> a, b = PrivateStreams(), PrivateStreams()
    >>> first = a.get_stream(5).random()
    >>> first == b.get_stream(5).random(), first == a.get_stream(5).random()
    (True, False)
    """

    def __init__(self) -> None:
        self.key = next(_owner_keys)
        self.streams: dict[tuple[int, ...], np.random.Generator] = {}
        _stream_owners[self.key] = self

    def get_stream(self, *seeds: int) -> np.random.Generator:
        """Return the stream of these seeds, continued after the last draw; a new one at the first
        call.
        """
        if seeds not in self.streams:
            self.streams[seeds] = make_stream(*seeds)
        return self.streams[seeds]

    def __repr__(self) -> str:
        return "PrivateStreams()"

    def restart(self) -> None:
        """Restart all streams from their seeds."""
        self.streams.clear()


_owner_keys = itertools.count()
_stream_owners: weakref.WeakValueDictionary[int, PrivateStreams] = weakref.WeakValueDictionary()


def make_stream(*seeds: int) -> np.random.Generator:
    """Return a new stream from these seeds, which may be 0.

    >>> make_stream(0).random() == make_stream(0).random()
    True
    """
    return np.random.Generator(np.random.PCG64(_to_uint64(seeds)))


def _make_entropy(seeds: tuple[int, ...]) -> list[int]:
    """Return the seeds of a stream and the seed of :func:`set_seed`, as entropy for NumPy."""
    return _to_uint64((*seeds, _seed or 0))


def _to_uint64(seeds: tuple[int, ...]) -> list[int]:
    """Return each seed modulo 2**64."""
    return [s & 0xFFFF_FFFF_FFFF_FFFF for s in seeds]


def set_stream(key: int, stream: np.random.Generator | None) -> None:
    """Let :func:`generator` return ``stream`` if the first seed is ``key``, for a Generator; None
    removes it.
    """
    if stream is None:
        _generator_streams.pop(key, None)
    else:
        _generator_streams[key] = stream


StreamStates = dict[Any, Any]
State = tuple[int | None, StreamStates, StreamStates, StreamStates, StreamStates]


def get_state() -> State:
    """Return the seed and the states of all streams, for :func:`set_state`."""
    return (
        _seed,
        dict(_generator.bit_generator.state),
        _get_stream_states(_seeded_streams),
        _get_stream_states(_generator_streams),
        {
            key: _get_stream_states(owner.streams)
            for key, owner in list(_stream_owners.items())
            if owner.streams
        },
    )


def set_state(saved: State) -> None:
    """Restore the seed and the states of all streams from :func:`get_state`; resets the counts of
    ops.

    Seeded streams that are not in the state are dropped, and ops that first drew after the state
    was taken restart. Generators that no longer exist are skipped; newer ones keep their streams
    unchanged.
    """
    global _seed, _generator
    _seed, common_state, seeded_states, generator_states, private_states = saved
    _generator = _restore_stream(common_state)
    _seeded_streams.clear()
    _op_counts.clear()
    _seeded_streams.update(
        {seeds: _restore_stream(state) for seeds, state in seeded_states.items()}
    )
    _generator_streams.update(
        {
            key: _restore_stream(state)
            for key, state in generator_states.items()
            if key in _generator_streams
        }
    )
    for key, owner in list(_stream_owners.items()):
        owner.streams = {
            seeds: _restore_stream(state) for seeds, state in private_states.get(key, {}).items()
        }


def get_json_state() -> list[Any]:
    """Return the seed and the states of all streams as JSON values, for :func:`set_json_state`.

    Op objects are identified by the order in which they were created.
    """
    seed, common_state, seeded_states, generator_states, private_states = get_state()
    private_lists = [[key, _to_json_pairs(streams)] for key, streams in private_states.items()]
    return [
        seed,
        common_state,
        _to_json_pairs(seeded_states),
        list(map(list, generator_states.items())),
        private_lists,
    ]


def set_json_state(state: list[Any]) -> None:
    """Restore the seed and all streams from :func:`get_json_state`, also from older files."""
    # Older files have no private lists.
    seed, common_state, seeded_states, generator_states, *private_lists = state
    private_states = {
        key: _from_json_pairs(streams) for pairs in private_lists for key, streams in pairs
    }
    set_state(
        (
            seed,
            common_state,
            _from_json_pairs(seeded_states),
            dict(generator_states),
            private_states,
        )
    )


def _get_stream_states(streams: dict[Any, np.random.Generator]) -> StreamStates:
    """Return the state of each stream's bit generator, by the stream's key."""
    return {key: dict(g.bit_generator.state) for key, g in [*streams.items()]}


def _to_json_pairs(states: StreamStates) -> list[Any]:
    """Return pairs of a list of seeds and a state, since JSON does not allow tuples as keys."""
    return [[list(seeds), position] for seeds, position in states.items()]


def _from_json_pairs(pairs: list[Any]) -> StreamStates:
    """Return the states by tuple of seeds; the inverse of :func:`_to_json_pairs`."""
    return {tuple(seeds): position for seeds, position in pairs}


def _restore_stream(position: dict) -> np.random.Generator:
    """Return a new stream that continues from a bit generator's state."""
    stream = np.random.Generator(np.random.PCG64())
    stream.bit_generator.state = position
    return stream
