"""Filters with given coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    AudioTransform,
    flag,
    flatten_leading_axes,
    not_zero_real,
    real,
    restore_leading_axes,
)
from minispore.dataset.audio.recurrence import apply_iir_filter
from minispore.dataset.transforms import arguments
from minispore.ir.value import Spec

__all__ = ["Biquad", "Filtfilt", "LFilter"]


class Filter(AudioTransform):
    """Base of filters; a subclass defines ``compute_coefficients``."""

    kinds = "f"

    def compute_coefficients(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the feedback coefficients a and the feedforward coefficients b, as two tuples.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define coefficients.")

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Return the filtered rows in their own dtype; raise RuntimeError unless it is a float."""
        self.check_spec(Spec(x.shape[1:], x.dtype))
        out = restore_leading_axes(self.apply_filter(flatten_leading_axes(x)), x)
        return out.astype(x.dtype, copy=False)

    def apply_filter(self, x: np.ndarray) -> np.ndarray:
        """Filter (rows, time) along the last axis in float64, and clip to [-1, 1]."""
        return np.clip(apply_iir_filter(x, *self.compute_coefficients()), -1, 1)


def _check_coefficients(transform: Any, name: str, value: Any) -> None:
    """Check that ``value`` is a list or tuple of numbers, and store it as a tuple.

    Raises:
        TypeError, ValueError: ``value`` or a number in it has a wrong type, or is out of range.
    """
    arguments.instance(transform, name, value, (list, tuple))
    for i, number in enumerate(value):
        real()(transform, f"{name}[{i}]", number)
    transform.normalise(**{name: tuple(value)})


def _round_to_float32(values: Sequence[float]) -> tuple[float, ...]:
    """Return coefficients rounded to float32, as MindSpore does for rows of any dtype."""
    return tuple(np.array(values, np.float32).tolist())


class LFilter(Filter):
    """a[0] y[n] = sum_j b[j] x[n - j] - sum_(j > 0) a[j] y[n - j].

    Args:
        a_coeffs (Sequence[float]): coefficients of the outputs, the latest first.
        b_coeffs (Sequence[float]): coefficients of the inputs, of the same number.
        clamp (bool): whether the result is clipped to [-1, 1].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or the lists differ in length.
        RuntimeError: ``a_coeffs`` is empty or begins with 0, or the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.LFilter([1.0, -0.5], [0.5, 0.0])(np.array([1.0, 0.0, 0.0])).tolist()
        [0.5, 0.25, 0.125]
    """

    a_coeffs: Any
    b_coeffs: Any
    clamp: bool = True

    rules = {"a_coeffs": _check_coefficients, "b_coeffs": _check_coefficients, "clamp": flag}

    def check(self) -> None:
        """Check the arguments, and that both lists of coefficients have the same length."""
        super().check()
        if len(self.a_coeffs) != len(self.b_coeffs):
            detail = "The size of a_coeffs should be the same as that of b_coeffs."
            rule = f"have {len(self.b_coeffs)} elements, as b_coeffs"
            raise ValueError(arguments.format_error(self, "a_coeffs", rule, self.a_coeffs, detail))

    def compute_coefficients(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return a and b rounded to float32; raise RuntimeError if a is empty or begins with 0."""
        if not self.a_coeffs:
            raise self.make_error("a_coeffs", "not be empty", "none: it can not be an empty vector")
        if self.a_coeffs[0] == 0:
            raise self.make_error("a_coeffs[0]", "not be 0", "0: it can not be equal to zero")
        return _round_to_float32(self.a_coeffs), _round_to_float32(self.b_coeffs)

    def apply_filter(self, x: np.ndarray) -> np.ndarray:
        """Filter (rows, time) along the last axis in float64; clip to [-1, 1] if ``clamp``."""
        y = apply_iir_filter(x, *self.compute_coefficients())
        return np.clip(y, -1, 1) if self.clamp else y


class Filtfilt(LFilter):
    """:class:`LFilter` applied forward, then backward, for zero phase shift.

    Args:
        a_coeffs (Sequence[float]): coefficients of the outputs, the latest first.
        b_coeffs (Sequence[float]): coefficients of the inputs, of the same number.
        clamp (bool): whether the result is clipped to [-1, 1].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or the lists differ in length.
        RuntimeError: ``a_coeffs`` is empty or begins with 0, or the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Filtfilt([1.0, 0.0], [0.5, 0.5])(np.array([0.0, 1.0, 0.0, 0.0])).tolist()
        [0.25, 0.5, 0.25, 0.0]
    """

    def apply_filter(self, x: np.ndarray) -> np.ndarray:
        """Filter (rows, time) forward, then backward, in float64; clip to [-1, 1] only with
        ``clamp``.
        """
        a, b = self.compute_coefficients()
        y = apply_iir_filter(apply_iir_filter(x, a, b)[:, ::-1], a, b)[:, ::-1]
        return np.clip(y, -1, 1) if self.clamp else y


class Biquad(Filter):
    """a0 y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2], clipped to [-1, 1].

    Args:
        b0 (float): coefficient of the input.
        b1 (float): coefficient of the input one sample earlier.
        b2 (float): coefficient of the input two samples earlier.
        a0 (float): coefficient of the output, not 0.
        a1 (float): coefficient of the output one sample earlier.
        a2 (float): coefficient of the output two samples earlier.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``a0`` is 0.
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Biquad(0.5, 0.25, 0.0, 1.0, 0.0, 0.0)(np.array([1.0, 0.0, 0.0])).tolist()
        [0.5, 0.25, 0.0]
    """

    b0: float
    b1: float
    b2: float
    a0: float
    a1: float
    a2: float

    accepts_lists = True
    rules = {
        **dict.fromkeys(("b0", "b1", "b2"), real()),
        "a0": not_zero_real,
        **dict.fromkeys(("a1", "a2"), real()),
    }

    def compute_coefficients(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        a = (self.a0, self.a1, self.a2)
        b = (self.b0, self.b1, self.b2)
        return _round_to_float32(a), _round_to_float32(b)
