"""Filling of arrays by initializers: constants and random numbers, and the fans and gains that
scale them.

The names with an underscore are MindSpore's; scripts that define initializers use them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.errors import did_you_mean
from minispore.execution import random
from minispore.execution.random import philox


def _assignment(arr: np.ndarray, num: Any) -> np.ndarray:
    """Fill ``arr`` with ``num``, a number or an array of its shape, and return it."""
    arr[...] = num
    return arr


# -- drawing, in float32 as MindSpore does, then converted to the array's dtype -------------------


def _init_random_normal(mean: float, sigma: float, shape: Any) -> np.ndarray:
    """Return normally distributed float32 numbers; draws a seed from NumPy's state.

    Raises ValueError if ``sigma`` is negative.
    """
    _check_sigma(sigma)
    size = int(np.prod(shape, dtype=np.int64))
    return philox.normal(random.draw_initializer_seed(), size, mean, sigma).reshape(shape)


def _init_random_uniform(a: float, b: float, shape: Any) -> np.ndarray:
    """Return uniformly distributed float32 numbers between ``a`` and ``b``; draws a seed from
    NumPy's state.
    """
    size = int(np.prod(shape, dtype=np.int64))
    return philox.uniform(random.draw_initializer_seed(), size, a, b).reshape(shape)


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape: Any) -> np.ndarray:
    """Return float32 normal numbers around ``mean``, truncated to [a, b]; draws a seed from NumPy's
    state.

    Raises:
        ValueError: ``sigma`` is negative, or ``a`` is not below ``b``.
    """
    _check_sigma(sigma)
    if not a < b:
        raise ValueError(f"TruncatedNormal: a must be below b, got a={a} and b={b}.")
    if sigma == 0:
        return np.full(shape, min(max(mean, a), b), np.float32)
    size = int(np.prod(shape, dtype=np.int64))
    return philox.truncated_normal(random.draw_initializer_seed(), size, mean, sigma, a, b).reshape(
        shape
    )


def fill_normal(arr: np.ndarray, mean: float, sigma: float) -> None:
    """Fill ``arr`` with normal numbers of mean ``mean`` and standard deviation ``sigma``, in
    place.
    """
    arr[...] = _init_random_normal(mean, sigma, arr.shape)


def fill_uniform(arr: np.ndarray, low: float, high: float) -> None:
    """Fill ``arr`` with uniform numbers between ``low`` and ``high``, in place."""
    arr[...] = _init_random_uniform(low, high, arr.shape)


def fill_truncated(arr: np.ndarray, mean: float, sigma: float, low: float, high: float) -> None:
    """Fill ``arr`` in place with normal numbers around ``mean``, truncated to [low, high]."""
    arr[...] = _init_truncated_normal(low, high, mean, sigma, arr.shape)


def _check_sigma(sigma: float) -> None:
    """Raise a ValueError if a standard deviation is negative."""
    if sigma < 0:
        raise ValueError(f"Initializer: sigma must be >= 0, got {sigma}.")


# -- fans and gains -------------------------------------------------------------------------------


def _calculate_fan_in_and_fan_out(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return ``(fan_in, fan_out)`` of a weight (out, in, *kernel).

    Raises:
        ValueError: the shape has fewer than 2 axes.
    """
    if len(shape) < 2:
        raise ValueError(
            f"Initializer: fan_in and fan_out need a shape of at least 2 axes, got {tuple(shape)}. "
            "Use Normal, Uniform or a constant for vectors."
        )
    receptive = math.prod(shape[2:])
    return shape[1] * receptive, shape[0] * receptive


def _calculate_correct_fan(shape: tuple[int, ...], mode: str) -> int:
    """Return the fan of a weight's shape that ``mode`` selects, "fan_in" or "fan_out".

    Raises:
        ValueError: ``mode`` is neither, or the shape has fewer than 2 axes.
    """
    modes = ("fan_in", "fan_out")
    if not isinstance(mode, str) or mode.lower() not in modes:
        raise ValueError(
            f"Initializer: mode must be one of {modes}, got {mode!r}.{did_you_mean(mode, modes)}"
        )
    return _calculate_fan_in_and_fan_out(shape)[modes.index(mode.lower())]


_LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
)  # fmt: skip


def _calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the gain that compensates a nonlinearity's effect on the standard deviation.

    Raises:
        ValueError: the nonlinearity is unknown, or its parameter is not a number.
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(
                f"Initializer: negative_slope must be a number, got {param!r} "
                f"({type(param).__name__})."
            )
        return math.sqrt(2.0 / (1 + slope**2))
    allowed = (*_LINEAR, "tanh", "relu", "leaky_relu")
    raise ValueError(
        f"Initializer: nonlinearity must be one of {allowed}, got "
        f"{nonlinearity!r}.{did_you_mean(nonlinearity, allowed)}"
    )
