"""Polynomials as vectors of coefficients, with the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.mnp.creation import to_tensor, widen_half_floats
from minispore.ops.mnp.differences import convolve


def _to_coefficients(api_name: str, p: Any) -> Tensor:
    """Return ``p``, a vector or a number, as a vector of coefficients; raise ValueError if it has
    more than one axis.
    """
    p = to_tensor(p)
    if p.ndim > 1:
        raise ValueError(f"{api_name}: coefficients must be a vector, got the shape {p.shape}.")
    return ops.reshape(p, (-1,))


def _align_coefficients(api_name: str, a1: Any, a2: Any) -> tuple[Tensor, Tensor]:
    """Return two coefficient vectors, the shorter one padded with leading zeros."""
    a, b = _to_coefficients(api_name, a1), _to_coefficients(api_name, a2)
    n = max(a.size, b.size)
    return tuple(  # type: ignore[return-value]
        ops.concat([ops.zeros((n - p.size,), p.dtype), p], 0) if p.size < n else p for p in (a, b)
    )


def polyadd(a1: Any, a2: Any) -> Tensor:
    """Return the sum of two polynomials, as coefficients with the highest power first.

    >>> print(polyadd([1, 2], [1, 2, 3]))
    [1 3 5]
    """
    a, b = _align_coefficients("polyadd", a1, a2)
    return a + b


def polysub(a1: Any, a2: Any) -> Tensor:
    """Return the difference of two polynomials, as coefficients with the highest power first."""
    a, b = _align_coefficients("polysub", a1, a2)
    return a - b


def polymul(a1: Any, a2: Any) -> Tensor:
    """Return the product of two polynomials, as coefficients with the highest power first."""
    return convolve(_to_coefficients("polymul", a1), _to_coefficients("polymul", a2))


def polyval(p: Any, x: Any) -> Tensor:
    """Return the value of the polynomial ``p`` at each element of ``x``, as floats.

    >>> print(polyval([1.0, 2.0], 3.0))
    5.0
    """
    p, x = _to_coefficients("polyval", p), to_tensor(x)
    x = widen_half_floats(x if x.dtype.kind in "fc" else ops.cast(x, mstype.float32))
    value = ops.zeros_like(x)
    for k in range(p.size):
        value = value * x + p[k]
    return value


def polyder(p: Any, m: int = 1) -> Tensor:
    """Return the ``m``-th derivative, whose coefficients are empty if ``m`` exceeds the degree.

    >>> print(polyder([1, 2, 3]))
    [2 2]
    """
    p = _to_coefficients("polyder", p)
    for _ in range(checks.integer("polyder", "m", m, 0)):
        if p.size <= 1:
            return Tensor(np.zeros(0, np.float32))
        p = p[:-1] * Tensor(np.arange(p.size - 1, 0, -1), p.dtype)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Tensor:
    """Return the ``m``-th integral; ``k`` holds the constant of each integration (0 by default).

    A single constant applies to each; too few raise ValueError. Integers become float32.

    >>> print(polyint([1, 2]))
    [0.5 2.  0. ]
    """
    p = _to_coefficients("polyint", p)
    times = checks.integer("polyint", "m", m, 0)
    if not times:
        return p
    constants = np.zeros(times) if k is None else to_tensor(k).asnumpy().reshape(-1)
    if constants.size == 1:
        constants = np.repeat(constants, times)
    if constants.size < times:
        raise ValueError(f"polyint: k must hold {times} constants, got {constants.size}.")
    p = p if p.dtype.kind in "fc" else ops.cast(p, mstype.float32)
    for constant in constants[:times]:
        powers = Tensor(np.arange(p.size, 0, -1), p.dtype)
        p = ops.concat([p / powers, ops.full((1,), float(constant), dtype=p.dtype)], 0)
    return p


__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]
