"""Philox, the random number generator of initializers: draws MindSpore's host numbers from the same
seed.

Philox encrypts a counter in ten rounds; each block gives four 32-bit words. So no draw depends on
another one, and each round processes many blocks at once.

Source: Salmon et al. 2011, https://doi.org/10.1145/2063384.2063405
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

_ROUNDS = 10
_BLOCKS_PER_PASS = 1 << 13  # encrypted at once; they fit in the cache
_FACTORS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_WEYL = np.array([[0x9E3779B9], [0xBB67AE85]], np.uint64)  # added to the key in each round
_WORD_BITS, _WORD_MASK = np.uint64(32), np.uint64(0xFFFFFFFF)
_MIN_UNIFORM = float(np.float32(1e-7))  # replaces 0, whose logarithm is -inf
_TWO_PI = 2 * float(np.float32(3.1415926))
_SQRT_2 = float(np.float32(1.4142135))  # MindSpore's constant
_TAIL_START = 37.0  # deviations beyond which the tail probability underflows in float64


def generate_words(seed: int, count: int) -> Iterator[np.ndarray]:
    """Yield ``count`` 32-bit words in arrays of some thousands; the length of all but the last is a
    multiple of 4.

    >>> [w.tolist() for w in generate_words(1, 3)]
    [[117906450, 1115841718, 956895307]]
    """
    halves = np.array([[seed & 0xFFFFFFFF], [seed >> 32]], np.uint64)
    keys = [(halves + i * _WEYL) & _WORD_MASK for i in range(_ROUNDS)]
    block_end = -(-count // 4)
    for begin in range(0, block_end, _BLOCKS_PER_PASS):
        blocks = np.arange(begin, min(begin + _BLOCKS_PER_PASS, block_end), dtype=np.uint64)
        # Two rows each: words 0 and 2, which are multiplied, and words 1 and 3.
        even = np.stack([blocks & _WORD_MASK, np.full_like(blocks, halves[0, 0])])
        odd = np.stack([blocks >> _WORD_BITS, np.full_like(blocks, halves[1, 0])])
        product = np.empty_like(even)
        crossed = product[::-1]
        for key in keys:
            np.multiply(even, _FACTORS, out=product)
            np.right_shift(crossed, _WORD_BITS, out=even)
            even ^= odd
            even ^= key
            np.bitwise_and(crossed, _WORD_MASK, out=odd)
        output = np.empty((len(blocks), 4), np.uint32)
        output[:, 0::2], output[:, 1::2] = even.T, odd.T
        yield output.reshape(-1)[: count - 4 * begin]


def uniform(seed: int, count: int, low: float, high: float) -> np.ndarray:
    """Return ``count`` float32 numbers, uniform in [low, high], from the Philox words of ``seed``.

    >>> uniform(1, 2, 0, 1).tolist()
    [0.02745223417878151, 0.2598021328449249]
    """
    out = np.empty(count, np.float32)
    low, high = _round_to_float32(low), _round_to_float32(high)
    for random_words, section in zip(
        generate_words(seed, count), _iterate_sections(out), strict=True
    ):
        section[...] = (high - low) * (random_words / 2**32) + low
    return out


def normal(seed: int, count: int, mean: float, sigma: float) -> np.ndarray:
    """Return ``count`` normal float32 numbers of mean ``mean`` and standard deviation ``sigma``, by
    the Box-Muller transform.

    Source: Box & Muller 1958, https://doi.org/10.1214/aoms/1177706645

    >>> normal(1, 2, 0, 1).tolist()
    [2.3878283500671387, 0.2818339467048645]
    """
    out = np.empty(count + count % 2, np.float32)
    mean, sigma = _round_to_float32(mean), _round_to_float32(sigma)
    for random_words, section in zip(
        generate_words(seed, out.size), _iterate_sections(out), strict=True
    ):
        fractions = np.maximum((random_words & 0x7FFFFF) / 2**23, _MIN_UNIFORM)
        radius = np.sqrt(-2 * np.log(fractions[::2])) * sigma
        angle = _TWO_PI * fractions[1::2]
        section[::2] = mean + radius * np.cos(angle)
        section[1::2] = mean + radius * np.sin(angle)
    return out[:count]


def truncated_normal(
    seed: int, count: int, mean: float, sigma: float, low: float, high: float
) -> np.ndarray:
    """Return ``count`` float32 numbers of a normal distribution truncated to [low, high], by its
    inverse distribution function.

    ``mean`` and ``sigma`` are those before the truncation.

    >>> truncated_normal(1, 2, 0, 1, -2, 2).tolist()
    [-1.6550884246826172, -0.6106030344963074]
    """
    out = np.empty(count, np.float32)
    mean, sigma, low, high = map(_round_to_float32, (mean, sigma, low, high))
    low_z, high_z = (low - mean) / sigma, (high - mean) / sigma
    for random_words, section in zip(
        generate_words(seed, count), _iterate_sections(out), strict=True
    ):
        samples = _sample_truncated(random_words / 2**32, low_z, high_z)
        np.clip(mean + sigma * samples, low, high, out=section, casting="same_kind")
    return out


def _sample_truncated(fraction: np.ndarray, low_z: float, high_z: float) -> np.ndarray:
    """Return standard normal numbers in [low_z, high_z] at these fractions of the interval's
    probability.
    """
    if low_z > 0:  # use the lower tail, where small probabilities are accurate
        return -_sample_truncated(1 - fraction, -high_z, -low_z)
    if high_z < -_TAIL_START:  # the tail of x e^(-x^2 / 2), close to the normal tail
        width = -math.expm1((high_z * high_z - low_z * low_z) / 2)
        return -np.sqrt(high_z * high_z - 2 * np.log1p(-width * (1 - fraction)))
    lower, upper = (math.erfc(-x / _SQRT_2) / 2 for x in (low_z, high_z))
    return _compute_normal_quantile(lower + fraction * (upper - lower)) * (_SQRT_2 / math.sqrt(2))


def _compute_normal_quantile(p: np.ndarray) -> np.ndarray:
    """Return the standard normal quantile of probability ``p``.

    Source: Wichura 1988, algorithm AS 241, https://doi.org/10.2307/2347330
    """
    centred = p - 0.5  # the bound 0.425 and 0.425^2 = 0.180625 are given by the algorithm
    quantile = centred * _evaluate_rational(_MIDDLE, 0.180625 - centred**2)
    is_tail = np.abs(centred) > 0.425
    tail = np.maximum(np.minimum(p, 1 - p)[is_tail], 5e-324)
    tail = np.sqrt(-np.log(tail))
    tail_quantile = np.where(
        tail <= 5, _evaluate_rational(_TAIL, tail - 1.6), _evaluate_rational(_FAR_TAIL, tail - 5)
    )
    quantile[is_tail] = np.copysign(tail_quantile, centred[is_tail])
    return quantile


def _evaluate_rational(coefficients: tuple[list[float], list[float]], x: np.ndarray) -> np.ndarray:
    """Return a ratio of two polynomials, numerator and denominator in ``coefficients``, at
    ``x``.
    """
    numerator, denominator = coefficients
    result: np.ndarray = np.polyval(numerator, x) / np.polyval(denominator, x)
    return result


# Coefficients of AS 241, highest power first: numerator, denominator.
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


def _round_to_float32(number: float) -> float:
    """Return ``number`` rounded to float32."""
    return float(np.float32(number))


def _iterate_sections(out: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the sections of ``out`` that the arrays of :func:`generate_words` fill, in order."""
    return (out[i : i + 4 * _BLOCKS_PER_PASS] for i in range(0, out.size, 4 * _BLOCKS_PER_PASS))


__all__ = ["generate_words", "normal", "truncated_normal", "uniform"]
