"""The orders that MindSpore's shuffles give under a seed.

Its engine draws from the two Mersenne twisters of C++ (M. Matsumoto, T. Nishimura, 1998; the 64-bit
one: T. Nishimura, 2000), over MindRecord files from the "minimal standard" generator (S. Park, K.
Miller, 1988), and shuffles as libstdc++ does. Under a seed that somebody chose, rows
come here in the same order, so that a training can be held against one on the real framework.
Without, NumPy's generators draw, which are quicker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

_MOST = 2**32 - 1  # the largest number of the 32-bit twister
_DRAWS = 4096  # at a time


#: A generator of C++: gives its numbers for a seed, from 0 on, and the largest of them.
Engine = tuple[Callable[[int], Iterator[int]], int]


def shuffled(order: np.ndarray, seed: int, engine: Engine | None = None) -> np.ndarray:
    """What ``std::shuffle`` makes of ``order`` with an engine, ``std::mt19937`` unless given.

    >>> shuffled(np.arange(10), 1).tolist()
    [9, 0, 2, 5, 7, 4, 6, 3, 1, 8]
    """
    words, most = engine or TWISTER
    return np.array(_shuffle(order.tolist(), words(seed), most), order.dtype)


def _shuffle(rows: list[int], draws: Iterator[int], most: int = _MOST) -> list[int]:
    count, at = len(rows), 1
    if count and most // count >= count:  # one number is enough for two swaps
        if count % 2 == 0:
            other = _below(draws, 2, most)
            rows[1], rows[other] = rows[other], rows[1]
            at = 2
        while at < count:
            first, second = divmod(_below(draws, (at + 1) * (at + 2), most), at + 2)
            rows[at], rows[first] = rows[first], rows[at]
            rows[at + 1], rows[second] = rows[second], rows[at + 1]
            at += 2
    for i in range(at, count):
        other = _below(draws, i + 1, most)
        rows[i], rows[other] = rows[other], rows[i]
    return rows


class Reshuffled:
    """The orders of consecutive passes: each shuffles what the one before it gave."""

    _last: tuple[tuple[int, int, int], int, np.ndarray] | None = None

    def order(
        self,
        rows: np.ndarray,
        seed: int,
        number: int,
        step: int = 1,
        by: Callable[[np.ndarray, int], np.ndarray] | None = None,
    ) -> np.ndarray:
        """Pass ``number`` over ``rows``; the seed grows by ``step`` with each. ``by`` makes a pass
        of the one before it and a seed, :func:`shuffled` unless given.

        >>> Reshuffled().order(np.arange(10), 1, 1).tolist()
        [4, 9, 5, 0, 1, 7, 6, 2, 3, 8]
        """
        key, done, order = (seed, step, len(rows)), -1, rows
        if self._last is not None and self._last[0] == key and self._last[1] <= number:
            _, done, order = self._last
        for i in range(done + 1, number + 1):
            order = (by or shuffled)(order, seed + i * step)
        self._last = key, number, order
        return order


def integers(seed: int, high: int, count: int) -> np.ndarray:
    """``count`` numbers of ``std::uniform_int_distribution(0, high - 1)`` with that generator.

    >>> integers(1, 10, 6).tolist()
    [4, 9, 7, 9, 0, 1]
    """
    draws = _words(seed)
    return np.array([_below(draws, high) for _ in range(count)], np.int64)


def fractions(seed: int, count: int) -> np.ndarray:
    """``count`` numbers of ``std::generate_canonical<double, 53>`` with that generator.

    >>> fractions(5489, 2).round(6).tolist()
    [0.135477, 0.835009]
    """
    bits = np.random.MT19937()
    bits._legacy_seeding(seed & _MOST)
    low, high = bits.random_raw(2 * count).reshape(count, 2).T.astype(np.float64)
    drawn: np.ndarray = (low + high * 2.0**32) / 2.0**64
    return np.minimum(drawn, np.nextafter(1.0, 0.0))


def weighted(weights: np.ndarray, seed: int, count: int) -> np.ndarray:
    """``count`` numbers of ``std::discrete_distribution`` with that generator.

    >>> weighted(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 1, 8).tolist()
    [5, 5, 1, 5, 2, 3, 3, 4]
    """
    if len(weights) == 1:
        return np.zeros(count, np.int64)
    upto = np.cumsum(weights / np.add.accumulate(weights)[-1])
    upto[-1] = 1.0
    return np.searchsorted(upto, fractions(seed, count))


def of_classes(
    groups: Sequence[np.ndarray], each: int, seed: int, number: int, shuffle: bool
) -> np.ndarray:
    """Rows of each group, drawn with replacement in pass ``number``; with ``shuffle``, the groups
    come in the random order of the first pass in all passes.

    >>> of_classes([np.arange(5), np.array([5, 6]), np.array([7, 8, 9])], 3, 1, 0, False).tolist()
    [2, 4, 3, 6, 5, 5, 7, 9, 7]
    """
    draws = _words(seed)
    order = list(range(len(groups)))
    if shuffle:
        _shuffle(order, draws)
    if number:
        draws = _words(seed + number)
    return np.array(
        [groups[i][_below(draws, len(groups[i]))] for i in order for _ in range(each)], np.int64
    )


def _words(seed: int) -> Iterator[int]:
    """The numbers of ``std::mt19937(seed)``."""
    bits = np.random.MT19937()
    bits._legacy_seeding(seed & _MOST)  # the only seeding that is C++'s own
    while True:
        yield from bits.random_raw(_DRAWS).tolist()


def _minimal(seed: int) -> Iterator[int]:
    """The numbers of ``std::minstd_rand0(seed)``, which begin at 1 there."""
    word = seed % _MERSENNE_31 or 1
    powers = np.array([pow(_FACTOR, i + 1, _MERSENNE_31) for i in range(_DRAWS)])
    while True:
        words = word * powers % _MERSENNE_31
        word = int(words[-1])
        yield from (words - 1).tolist()


_MERSENNE_31, _FACTOR = 2**31 - 1, 16807
TWISTER: Engine = _words, _MOST
MINSTD: Engine = _minimal, _MERSENNE_31 - 2


def _below(draws: Iterator[int], high: int, most: int = _MOST) -> int:
    """A number in [0, high): equal parts of the range, what is left over drawn again."""
    part = most // high
    end = part * high
    while (word := next(draws)) >= end:
        pass
    return word // part


class Words:
    """The numbers of ``std::mt19937_64(seed)``, as many as asked for at a time.

    >>> Words(5489).take(2).tolist()
    [14514284786278117030, 4620546740167642908]
    """

    _SIZE, _HALF = 312, 156

    def __init__(self, seed: int) -> None:
        state = [seed & (2**64 - 1)]
        for i in range(1, self._SIZE):
            state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) % 2**64)
        self._state = np.array(state, np.uint64)
        self._left = np.empty(0, np.uint64)

    def skip(self, count: int) -> Words:
        """The same words without the next ``count``."""
        while count > len(self._left):
            count -= len(self._left)
            self._left = self._next()
        self._left = self._left[count:]
        return self

    def take(self, count: int) -> np.ndarray:
        """The next ``count``."""
        parts = [self._left[:count]]
        self._left = self._left[count:]
        while (have := sum(map(len, parts))) < count:
            made = self._next()
            parts.append(made[: count - have])
            self._left = made[count - have :]
        return np.concatenate(parts)

    def _next(self) -> np.ndarray:
        """The next 312: the state is twisted, then tempered."""
        old, half = self._state, self._HALF
        new = np.empty_like(old)
        new[:half] = old[half:] ^ _twisted(old[:half], old[1 : half + 1])
        new[half:-1] = new[: half - 1] ^ _twisted(old[half:-1], old[half + 1 :])
        new[-1:] = new[half - 1 : half] ^ _twisted(old[-1:], new[:1])
        self._state = new
        x = new.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return x ^ (x >> np.uint64(43))


def _twisted(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    x = (upper & np.uint64(0xFFFFFFFF80000000)) | (lower & np.uint64(0x7FFFFFFF))
    return (x >> np.uint64(1)) ^ (x & np.uint64(1)) * np.uint64(0xB5026F5AA96619E9)
