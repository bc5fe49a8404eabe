"""MindSpore's shuffle orders under a seed.

MindSpore draws from the two Mersenne twisters of C++ (M. Matsumoto, T. Nishimura, 1998; the 64-bit
one: T. Nishimura, 2000), for MindRecord files from the "minimal standard" generator (S. Park, K.
Miller, 1988), and shuffles as libstdc++ does. Under a seed that the user chose, this module yields
rows in the same order, so that a training can be compared with one on MindSpore. Without a seed
NumPy's faster generators are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

_UINT32_MAX = 2**32 - 1  # the largest output of the 32-bit twister
_CHUNK_DRAWS = 4096  # numbers drawn at a time


#: A C++ generator: a function from a seed to its numbers, and the largest possible number.
Engine = tuple[Callable[[int], Iterator[int]], int]


def std_shuffle(order: np.ndarray, seed: int, engine: Engine | None = None) -> np.ndarray:
    """Return ``order`` shuffled as by ``std::shuffle`` with an engine, default ``std::mt19937``.

    >>> std_shuffle(np.arange(10), 1).tolist()
    [9, 0, 2, 5, 7, 4, 6, 3, 1, 8]
    """
    words, largest = engine or TWISTER
    return np.array(_shuffle_in_place(order.tolist(), words(seed), largest), order.dtype)


def _shuffle_in_place(
    rows: list[int], draws: Iterator[int], largest: int = _UINT32_MAX
) -> list[int]:
    """Shuffle ``rows`` in place as libstdc++ does and return it.

    One draw serves two swaps if the range of the draws is large enough.
    """
    count, position = len(rows), 1
    if count and largest // count >= count:  # one random number is enough for two swaps
        if count % 2 == 0:
            other = _draw_below(draws, 2, largest)
            rows[1], rows[other] = rows[other], rows[1]
            position = 2
        while position < count:
            draw = _draw_below(draws, (position + 1) * (position + 2), largest)
            first, second = divmod(draw, position + 2)
            rows[position], rows[first] = rows[first], rows[position]
            rows[position + 1], rows[second] = rows[second], rows[position + 1]
            position += 2
    for i in range(position, count):
        other = _draw_below(draws, i + 1, largest)
        rows[i], rows[other] = rows[other], rows[i]
    return rows


class ConsecutiveShuffles:
    """The orders of consecutive passes: each pass shuffles the order of the previous pass."""

    # The seed, step and number of rows, the latest pass, and its order.
    _last: tuple[tuple[int, int, int], int, np.ndarray] | None = None

    def compute_order(
        self,
        rows: np.ndarray,
        seed: int,
        number: int,
        step: int = 1,
        shuffle_once: Callable[[np.ndarray, int], np.ndarray] | None = None,
    ) -> np.ndarray:
        """Return the order of pass ``number`` over ``rows``, and remember it for later passes.

        Args:
            rows (numpy.ndarray): the order before the first pass.
            seed (int): the seed of the first pass; it grows by ``step`` with each pass.
            number (int): the number of the pass, from 0.
            step (int): see ``seed``.
            shuffle_once (callable): computes an order from the previous order and a seed; by
                default :func:`std_shuffle`.

        >>> ConsecutiveShuffles().compute_order(np.arange(10), 1, 1).tolist()
        [4, 9, 5, 0, 1, 7, 6, 2, 3, 8]
        """
        key, last_pass, order = (seed, step, len(rows)), -1, rows
        if self._last is not None and self._last[0] == key and self._last[1] <= number:
            _, last_pass, order = self._last
        for i in range(last_pass + 1, number + 1):
            order = (shuffle_once or std_shuffle)(order, seed + i * step)
        self._last = key, number, order
        return order


def draw_integers(seed: int, high: int, count: int) -> np.ndarray:
    """Draw ``count`` numbers in [0, high) with ``std::mt19937``.

    They equal the output of ``std::uniform_int_distribution(0, high - 1)``.

    >>> draw_integers(1, 10, 6).tolist()
    [4, 9, 7, 9, 0, 1]
    """
    draws = _generate_mt19937_words(seed)
    return np.array([_draw_below(draws, high) for _ in range(count)], np.int64)


def draw_fractions(seed: int, count: int) -> np.ndarray:
    """Draw ``count`` numbers in [0, 1) as ``std::generate_canonical<double, 53>`` does.

    The engine is ``std::mt19937``.

    >>> draw_fractions(5489, 2).round(6).tolist()
    [0.135477, 0.835009]
    """
    bits = np.random.MT19937()
    bits._legacy_seeding(seed & _UINT32_MAX)
    low, high = bits.random_raw(2 * count).reshape(count, 2).T.astype(np.float64)
    quotients: np.ndarray = (low + high * 2.0**32) / 2.0**64
    return np.minimum(quotients, np.nextafter(1.0, 0.0))


def draw_weighted(weights: np.ndarray, seed: int, count: int) -> np.ndarray:
    """Draw ``count`` indices of ``weights``, each with a probability proportional to its weight.

    They equal the output of ``std::discrete_distribution`` with ``std::mt19937``.

    >>> draw_weighted(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 1, 8).tolist()
    [5, 5, 1, 5, 2, 3, 3, 4]
    """
    if len(weights) == 1:
        return np.zeros(count, np.int64)
    cumulative = np.cumsum(weights / np.add.accumulate(weights)[-1])
    cumulative[-1] = 1.0
    return np.searchsorted(cumulative, draw_fractions(seed, count))


def draw_classes(
    groups: Sequence[np.ndarray], rows_per_group: int, seed: int, number: int, shuffle: bool
) -> np.ndarray:
    """Draw ``rows_per_group`` rows of each group with replacement, for pass ``number``.

    The rows of a group stay together. With ``shuffle`` the groups come in a random order, the same
    in every pass.

    >>> draw_classes([np.arange(5), np.array([5, 6]), np.array([7, 8, 9])], 3, 1, 0, False).tolist()
    [2, 4, 3, 6, 5, 5, 7, 9, 7]
    """
    draws = _generate_mt19937_words(seed)
    order = list(range(len(groups)))
    if shuffle:
        _shuffle_in_place(order, draws)
    if number:
        draws = _generate_mt19937_words(seed + number)
    return np.array(
        [
            groups[i][_draw_below(draws, len(groups[i]))]
            for i in order
            for _ in range(rows_per_group)
        ],
        np.int64,
    )


def _generate_mt19937_words(seed: int) -> Iterator[int]:
    """Yield the numbers of ``std::mt19937(seed)``."""
    bits = np.random.MT19937()
    bits._legacy_seeding(seed & _UINT32_MAX)  # NumPy's only seeding that matches C++
    while True:
        yield from bits.random_raw(_CHUNK_DRAWS).tolist()


def _generate_minstd_words(seed: int) -> Iterator[int]:
    """Yield the numbers of ``std::minstd_rand0(seed)`` minus 1, since its range begins at 1."""
    word = seed % _MERSENNE_31 or 1
    powers = np.array([pow(_FACTOR, i + 1, _MERSENNE_31) for i in range(_CHUNK_DRAWS)])
    while True:
        words = word * powers % _MERSENNE_31
        word = int(words[-1])
        yield from (words - 1).tolist()


_MERSENNE_31, _FACTOR = 2**31 - 1, 16807
TWISTER: Engine = _generate_mt19937_words, _UINT32_MAX
MINSTD: Engine = _generate_minstd_words, _MERSENNE_31 - 2


def _draw_below(draws: Iterator[int], high: int, largest: int = _UINT32_MAX) -> int:
    """Draw a number in [0, high) by equal parts of the range, rejecting draws beyond them."""
    bucket_size = largest // high
    end = bucket_size * high
    while (word := next(draws)) >= end:
        pass
    return word // bucket_size


class Mt19937Words64:
    """The random words of ``std::mt19937_64(seed)``, any number of them at a time.

    >>> Mt19937Words64(5489).take(2).tolist()
    [14514284786278117030, 4620546740167642908]
    """

    _SIZE, _HALF = 312, 156

    def __init__(self, seed: int) -> None:
        state = [seed & (2**64 - 1)]
        for i in range(1, self._SIZE):
            state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) % 2**64)
        self._state = np.array(state, np.uint64)
        self._unused = np.empty(0, np.uint64)

    def skip(self, count: int) -> Mt19937Words64:
        """Skip the next ``count`` words in place, and return self."""
        while count > len(self._unused):
            count -= len(self._unused)
            self._unused = self._generate_words()
        self._unused = self._unused[count:]
        return self

    def take(self, count: int) -> np.ndarray:
        """Return the next ``count`` words."""
        chunks = [self._unused[:count]]
        self._unused = self._unused[count:]
        while (consumed_count := sum(map(len, chunks))) < count:
            generated = self._generate_words()
            chunks.append(generated[: count - consumed_count])
            self._unused = generated[count - consumed_count :]
        return np.concatenate(chunks)

    def _generate_words(self) -> np.ndarray:
        """Return the next 312 words: the state is twisted, then tempered."""
        state, shift = self._state, self._HALF
        new_state = np.empty_like(state)
        new_state[:shift] = state[shift:] ^ _twist(state[:shift], state[1 : shift + 1])
        new_state[shift:-1] = new_state[: shift - 1] ^ _twist(state[shift:-1], state[shift + 1 :])
        new_state[-1:] = new_state[shift - 1 : shift] ^ _twist(state[-1:], new_state[:1])
        self._state = new_state
        x = new_state.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return x ^ (x >> np.uint64(43))


def _twist(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Combine the upper bits of one word and the lower bits of the next: MT19937-64's twist."""
    x = (upper & np.uint64(0xFFFFFFFF80000000)) | (lower & np.uint64(0x7FFFFFFF))
    return (x >> np.uint64(1)) ^ (x & np.uint64(1)) * np.uint64(0xB5026F5AA96619E9)
