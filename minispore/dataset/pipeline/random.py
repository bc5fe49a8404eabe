"""Random generators keyed by (seed, node, pass, row).

They produce equal rows for any number of workers and any order of calls.

Philox is a counter-based generator: its n-th output is a function of (key, n). The key is computed
from seed, node and pass; the counter's upper half holds the row and the operation, so each row of
each operation has a separate stream.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar, overload

import numpy as np

from minispore.dataset.pipeline.mersenne import Mt19937Words64

Row = TypeVar("Row")

_LOW_BITS = np.uint64(0xFFFFFFFF)
_HALF_BITS = np.uint64(32)
_MULTIPLIERS = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))  # Philox4x64's
_WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)  # added to the key in each round
_ROUNDS = 10


class RowGenerators(Sequence[np.random.Generator]):
    """One generator for each row of a block.

    ``self[i]`` is an ordinary ``np.random.Generator``, made on demand. :meth:`random` draws from
    all of them at once.
    """

    def __init__(self, key: np.ndarray, rows: np.ndarray, operation: int) -> None:
        self._key = key
        self._rows = rows
        self._operation = operation
        self._generators: dict[int, np.random.Generator] = {}
        self._draw_count = 0

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> np.random.Generator: ...
    @overload
    def __getitem__(self, index: slice) -> RowGenerators: ...
    def __getitem__(self, index: int | slice) -> np.random.Generator | RowGenerators:
        if isinstance(index, slice):
            return RowGenerators(self._key, self._rows[index], self._operation)
        if index not in self._generators:
            counter = [0, 0, int(self._rows[index]), self._operation]
            self._generators[index] = np.random.Generator(
                np.random.Philox(key=self._key, counter=counter)
            )
        return self._generators[index]

    def random(self, count: int) -> np.ndarray:
        """Draw ``count`` numbers in [0, 1) for each row, shape (rows, count).

        Row i gets the numbers of ``self[i].random(count)``; a later call continues after them.

        >>> rngs = RowGenerators(np.array([1, 2], np.uint64), np.arange(3), 0)
        >>> bool((rngs.random(5)[2] == rngs[2].random(5)).all())
        True
        """
        first, last = self._draw_count, self._draw_count + count
        self._draw_count = last
        # The bit generator increments its counter before each use and yields four words per count.
        blocks = np.arange(first // 4 + 1, -(-last // 4) + 1, dtype=np.uint64)
        words = _philox4x64(
            self._key, blocks[None, :], self._rows.astype(np.uint64)[:, None], self._operation
        )
        words = words.reshape(len(self._rows), -1)[:, first % 4 : first % 4 + count]
        return (words >> np.uint64(11)) * 2.0**-53


def make_key(seed: int, *path: int) -> np.ndarray:
    """Return a Philox key, two words, for a seed and a path of small integers (node and pass)."""
    return np.random.SeedSequence(seed, spawn_key=path).generate_state(2, np.uint64)


class PassGenerator(np.random.Generator):
    """The generator of a node in one pass, with the seed and the workers of its run.

    ``seed`` is None unless the user chose one: under it, shuffles have the same orders as in
    MindSpore (see :mod:`.mersenne`). ``workers`` is the default number of threads that read a
    source.
    """

    seed: int | None = None
    workers: int = 1


def make_pass_generator(seed: Seed, workers: int, *path: int) -> PassGenerator:
    """Make the pass generator for a run's seed and a path of small integers."""
    rng = PassGenerator(np.random.PCG64(np.random.SeedSequence(seed.value, spawn_key=path)))
    rng.seed = seed.value if seed.chosen else None
    rng.workers = workers
    return rng


def copy_for_iterator(sampler: Row) -> Row:
    """Copy a user's sampler for one iterator, so that its state starts afresh in each.

    Raises:
        TypeError: the sampler can't be copied.
    """
    try:
        return deepcopy(sampler)
    except TypeError as error:
        raise TypeError(
            f"{sampler!r}: must be copied for each iterator, which begins anew, but {error}. Keep "
            "in it what can be copied, a list in place of a generator."
        ) from error


@dataclass(frozen=True)
class Seed:
    """The seed of a run, and whether the user chose it."""

    value: int
    chosen: bool

    @staticmethod
    def from_value(value: int | None) -> Seed:
        """Return the seed ``value``, or a new random seed for None."""
        if value is not None:
            return Seed(value, chosen=True)
        return Seed(secrets.randbits(63), chosen=False)


class Slots:
    """Draws random slots of a shuffle's buffer.

    Args:
        source: MindSpore's stream of random words, or a NumPy generator.
        end: called after the last slot of a pass.
    """

    def __init__(
        self, source: Mt19937Words64 | np.random.Generator, end: Callable[[], object] = bool
    ) -> None:
        self._source, self.end = source, end

    def draw(self, sizes: Sequence[int]) -> list[int]:
        """Draw one slot number in [0, size) for each of ``sizes``."""
        if isinstance(self._source, Mt19937Words64):
            return (self._source.take(len(sizes)) % np.array(sizes, np.uint64)).tolist()
        return self._source.integers(np.array(sizes, np.int64)).tolist()


def pass_through_buffer(
    buffer: list[Row], slots: Iterable[int], rows: Iterable[Row]
) -> Iterator[Row]:
    """Yield the rows that leave ``buffer``, one for each slot; changes ``buffer`` in place.

    The last row of the buffer replaces the row that leaves, and the next of ``rows`` is appended.

    >>> buffer = [0, 1, 2]
    >>> list(pass_through_buffer(buffer, [1, 0], [3, 4])), buffer
    ([1, 0], [3, 2, 4])
    """
    incoming = iter(rows)
    for slot in slots:
        yield buffer[slot]
        buffer[slot] = buffer[-1]
        buffer.pop()
        buffer.extend(islice(incoming, 1))


def compute_buffered_order(slots: Slots, count: int, buffer: int) -> np.ndarray:
    """Return the order in which a buffer of ``buffer`` slots emits rows 0..count-1.

    Calls ``slots.end`` after the last draw.

    >>> compute_buffered_order(Slots(Mt19937Words64(1)), 10, 4).tolist()
    [0, 2, 4, 5, 3, 1, 7, 9, 6, 8]
    """
    full = max(0, count - buffer)
    sizes = [buffer] * full + list(range(count - full, 0, -1))
    emitted = pass_through_buffer(
        list(range(count - full)), slots.draw(sizes), range(count - full, count)
    )
    result = np.fromiter(emitted, np.int64, count)
    slots.end()
    return result


def _philox4x64(key: np.ndarray, block: np.ndarray, row: np.ndarray, operation: int) -> np.ndarray:
    """Compute Philox4x64-10 on counters (block, 0, row, operation): four words on a last axis."""
    shape = np.broadcast_shapes(block.shape, row.shape)
    c0, c1 = np.broadcast_to(block, shape), np.zeros(shape, np.uint64)
    c2, c3 = np.broadcast_to(row, shape), np.full(shape, operation, np.uint64)
    k0, k1 = int(key[0]), int(key[1])
    for _ in range(_ROUNDS):
        high0, low0 = _multiply_words(c0, _MULTIPLIERS[0])
        high1, low1 = _multiply_words(c2, _MULTIPLIERS[1])
        c0, c1, c2, c3 = high1 ^ c1 ^ np.uint64(k0), low1, high0 ^ c3 ^ np.uint64(k1), low0
        k0, k1 = (k0 + _WEYL[0]) & (2**64 - 1), (k1 + _WEYL[1]) & (2**64 - 1)
    return np.stack([c0, c1, c2, c3], axis=-1)


def _multiply_words(a: np.ndarray, b: np.uint64) -> tuple[np.ndarray, np.ndarray]:
    """Return the high and the low 64-bit word of a * b."""
    a_low, a_high, b_low, b_high = a & _LOW_BITS, a >> _HALF_BITS, b & _LOW_BITS, b >> _HALF_BITS
    t = a_high * b_low + (a_low * b_low >> _HALF_BITS)
    u = a_low * b_high + (t & _LOW_BITS)
    return a_high * b_high + (t >> _HALF_BITS) + (u >> _HALF_BITS), a * b
