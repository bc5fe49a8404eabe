"""What initialisers draw: the numbers that MindSpore draws on the host, from the same seed.

Philox enciphers a counter in ten rounds, each block of it being four draws of 32 bits. So no draw
waits for another one, and all rounds go over many blocks at once.

Source: Salmon et al. 2011, https://doi.org/10.1145/2063384.2063405
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

_ROUNDS = 10
_BLOCKS = 1 << 13  # that are enciphered at once, and stay in the cache
_FACTORS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_WEYL = np.array([[0x9E3779B9], [0xBB67AE85]], np.uint64)  # what the key grows by in each round
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_LEAST = float(np.float32(1e-7))  # in place of 0, whose logarithm has no end
_TURN = 2 * float(np.float32(3.1415926))
_ROOT = float(np.float32(1.4142135))  # of 2
_FAR = 37.0  # deviations beyond which the tail of a normal is no float64


def words(seed: int, count: int) -> Iterator[np.ndarray]:
    """``count`` numbers of 32 bits, some thousands at a time, each time but the last a multiple
    of 4.

    >>> [w.tolist() for w in words(1, 3)]
    [[117906450, 1115841718, 956895307]]
    """
    halves = np.array([[seed & 0xFFFFFFFF], [seed >> 32]], np.uint64)
    keys = [(halves + i * _WEYL) & _LOW for i in range(_ROUNDS)]
    end = -(-count // 4)
    for begin in range(0, end, _BLOCKS):
        blocks = np.arange(begin, min(begin + _BLOCKS, end), dtype=np.uint64)
        # Two rows: of what is multiplied (the words 0 and 2), and of what is not (1 and 3).
        even = np.stack([blocks & _LOW, np.full_like(blocks, halves[0, 0])])
        odd = np.stack([blocks >> _HALF, np.full_like(blocks, halves[1, 0])])
        product = np.empty_like(even)
        crossed = product[::-1]
        for key in keys:
            np.multiply(even, _FACTORS, out=product)
            np.right_shift(crossed, _HALF, out=even)
            even ^= odd
            even ^= key
            np.bitwise_and(crossed, _LOW, out=odd)
        made = np.empty((len(blocks), 4), np.uint32)
        made[:, 0::2], made[:, 1::2] = even.T, odd.T
        yield made.reshape(-1)[: count - 4 * begin]


def uniform(seed: int, count: int, low: float, high: float) -> np.ndarray:
    """``count`` numbers of float32 in [low, high].

    >>> uniform(1, 2, 0, 1).tolist()
    [0.02745223417878151, 0.2598021328449249]
    """
    out = np.empty(count, np.float32)
    low, high = _float32(low), _float32(high)
    for drawn, some in zip(words(seed, count), _parts(out), strict=True):
        some[...] = (high - low) * (drawn / 2**32) + low
    return out


def normal(seed: int, count: int, mean: float, sigma: float) -> np.ndarray:
    """``count`` numbers of float32 around ``mean``.

    Source: Box & Muller 1958, https://doi.org/10.1214/aoms/1177706645

    >>> normal(1, 2, 0, 1).tolist()
    [2.3878283500671387, 0.2818339467048645]
    """
    out = np.empty(count + count % 2, np.float32)
    mean, sigma = _float32(mean), _float32(sigma)
    for drawn, some in zip(words(seed, out.size), _parts(out), strict=True):
        fractions = np.maximum((drawn & 0x7FFFFF) / 2**23, _LEAST)
        length = np.sqrt(-2 * np.log(fractions[::2])) * sigma
        turned = _TURN * fractions[1::2]
        some[::2] = mean + length * np.cos(turned)
        some[1::2] = mean + length * np.sin(turned)
    return out[:count]


def truncated(
    seed: int, count: int, mean: float, sigma: float, low: float, high: float
) -> np.ndarray:
    """``count`` normal numbers of float32 in [low, high], by the inverse distribution function.

    >>> truncated(1, 2, 0, 1, -2, 2).tolist()
    [-1.6550884246826172, -0.6106030344963074]
    """
    out = np.empty(count, np.float32)
    mean, sigma, low, high = map(_float32, (mean, sigma, low, high))
    first, last = (low - mean) / sigma, (high - mean) / sigma
    for drawn, some in zip(words(seed, count), _parts(out), strict=True):
        within = _between(drawn / 2**32, first, last)
        np.clip(mean + sigma * within, low, high, out=some, casting="same_kind")
    return out


def _between(fraction: np.ndarray, first: float, last: float) -> np.ndarray:
    """The standard normal numbers that lie so far between two, by their probability."""
    if first > 0:  # in the lower tail, where small probabilities are told apart
        return -_between(1 - fraction, -last, -first)
    if last < -_FAR:  # as in the tail of x e^(-x^2 / 2), which is that of a normal there
        width = -math.expm1((last * last - first * first) / 2)
        return -np.sqrt(last * last - 2 * np.log1p(-width * (1 - fraction)))
    lower, upper = (math.erfc(-x / _ROOT) / 2 for x in (first, last))
    return _quantile(lower + fraction * (upper - lower)) * (_ROOT / math.sqrt(2))


def _quantile(p: np.ndarray) -> np.ndarray:
    """The number below which a standard normal one is with probability ``p``.

    Source: Wichura 1988, algorithm AS 241, https://doi.org/10.2307/2347330
    """
    centred = p - 0.5
    made = centred * _ratio(_MIDDLE, 0.180625 - centred**2)
    outside = np.abs(centred) > 0.425
    tail = np.maximum(np.minimum(p, 1 - p)[outside], 5e-324)
    tail = np.sqrt(-np.log(tail))
    far = np.where(tail <= 5, _ratio(_TAIL, tail - 1.6), _ratio(_FAR_TAIL, tail - 5))
    made[outside] = np.copysign(far, centred[outside])
    return made


def _ratio(by: tuple[list[float], list[float]], x: np.ndarray) -> np.ndarray:
    made: np.ndarray = np.polyval(by[0], x) / np.polyval(by[1], x)
    return made


# Coefficients of AS 241, the highest power first: above, and below.
_MIDDLE = (
    [
        2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
        45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
        133.14166789178437745, 3.387132872796366608,
    ],
    [
        5226.495278852545925, 28729.085735721942674, 39307.89580009271061,
        21213.794301586595867, 5394.1960214247511077, 687.1870074920579083,
        42.313330701600911252, 1.0,
    ],
)  # fmt: skip
_TAIL = (
    [
        7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
        1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
        4.6303378461565452959, 1.42343711074968357734,
    ],
    [
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
        0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494,
        2.05319162663775882187, 1.0,
    ],
)  # fmt: skip
_FAR_TAIL = (
    [
        2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
        0.026532189526576123093, 0.29656057182848504, 1.7848265399172913358,
        5.4637849111641143699, 6.6579046435011037772,
    ],
    [
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
        7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531,
        0.59983220655588793769, 1.0,
    ],
)  # fmt: skip


def _float32(number: float) -> float:
    """What is left of it in float32."""
    return float(np.float32(number))


def _parts(out: np.ndarray) -> Iterator[np.ndarray]:
    """Where the numbers of :func:`words` go."""
    return (out[i : i + 4 * _BLOCKS] for i in range(0, out.size, 4 * _BLOCKS))


__all__ = ["normal", "truncated", "uniform", "words"]
