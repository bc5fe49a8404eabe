"""Window functions for segments of a signal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.support.arguments import check_number, to_static
from minispore.ops.support.derive import _Composite


class _Window(_Composite):
    """Base of window functions; called with the length, a tensor or an int."""

    periodic: bool = True

    def check(self) -> None:
        checks.boolean(self.name, "periodic", self.periodic)

    def __call__(self, window_length: Any) -> Tensor:
        """Return the weights for this length; a length below 2 gives ones."""
        n = to_static(window_length)
        n = n[0] if isinstance(n, tuple) and len(n) == 1 else n
        n = checks.integer(self.name, "window_length", n, 0)
        dtype = mstype.to_numpy(self.dtype)  # type: ignore[attr-defined]
        if dtype.kind != "f":
            raise TypeError(f"{self.name}: dtype must be a float type, got {dtype}.")
        if n < 2:
            return Tensor(np.ones(n, dtype))
        positions = np.arange(n) / (n if self.periodic else n - 1)
        return Tensor(self.compute_weights(positions).astype(dtype))

    def compute_weights(self, positions: np.ndarray) -> np.ndarray:
        """Return the weights at ``positions``, which are fractions of the length.

        Subclasses override this; the method of the base class raises TypeError.
        """
        raise TypeError(f"{self.name}: defines no weight.")


class BartlettWindow(_Window):
    """1 - |2x - 1|: a triangle.

    >>> print(BartlettWindow(False)(Tensor(3)))
    [0. 1. 0.]
    """

    dtype: Any = mstype.float32

    def compute_weights(self, positions: np.ndarray) -> np.ndarray:
        return 1 - np.abs(2 * positions - 1)


class BlackmanWindow(_Window):
    """0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x).

    >>> print(BlackmanWindow(False)(Tensor(3)).asnumpy().round(4) + 0)
    [0. 1. 0.]
    """

    dtype: Any = mstype.float32

    def compute_weights(self, positions: np.ndarray) -> np.ndarray:
        angle = 2 * math.pi * positions
        return 0.42 - 0.5 * np.cos(angle) + 0.08 * np.cos(2 * angle)


class HammingWindow(_Window):
    """alpha - beta cos(2 pi x).

    >>> print(HammingWindow(False)(Tensor(3)).asnumpy().round(4))
    [0.08 1.   0.08]
    """

    alpha: float = 0.54
    beta: float = 0.46
    dtype: Any = mstype.float32

    def compute_weights(self, positions: np.ndarray) -> np.ndarray:
        return self.alpha - self.beta * np.cos(2 * math.pi * positions)


def bartlett_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Return the Bartlett window of ``window_length`` weights: the triangle 1 - |2x - 1|."""
    return BartlettWindow(periodic, dtype or mstype.float32)(window_length)


def blackman_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Return the Blackman window of ``window_length`` weights: 0.42 - 0.5 cos(2 pi x) + 0.08 cos(4
    pi x).
    """
    return BlackmanWindow(periodic, dtype or mstype.float32)(window_length)


def hamming_window(
    window_length: Any,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
) -> Tensor:
    """Return the Hamming window of ``window_length`` weights: alpha - beta cos(2 pi x)."""
    return HammingWindow(periodic, alpha, beta, dtype or mstype.float32)(window_length)


def hann_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Return the Hann window 0.5 - 0.5 cos(2 pi x), float64 by default.

    >>> print(hann_window(3, False))
    [0. 1. 0.]
    """
    return HammingWindow(periodic, 0.5, 0.5, dtype or mstype.float64)(window_length)


def kaiser_window(
    window_length: Any, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None
) -> Tensor:
    """Return the Kaiser window I0(beta sqrt(1 - (2x - 1)^2)) / I0(beta), float64 by default.

    >>> print(kaiser_window(3, False, 1.0).asnumpy().round(4))
    [0.7898 1.     0.7898]
    """
    n = checks.integer("kaiser_window", "window_length", to_static(window_length), 0)
    check_number("kaiser_window", beta, "beta")
    weights = np.kaiser(n + 1, beta)[:-1] if periodic and n > 1 else np.kaiser(n, beta)
    return Tensor(weights, dtype or mstype.float64)


__all__ = [
    "BartlettWindow",
    "BlackmanWindow",
    "HammingWindow",
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "kaiser_window",
]
