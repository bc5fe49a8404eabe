"""Complex spectrograms (..., freq, frame, 2): magnitudes, angles and time stretching."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    AudioTransform,
    flatten_leading_axes,
    linspace,
    natural_real,
    optional,
    positive,
    positive_real,
)
from minispore.dataset.transforms import arguments

__all__ = ["Angle", "ComplexNorm", "Magphase", "PhaseVocoder", "TimeStretch"]


class _ComplexTransform(AudioTransform):
    """Base of transforms of complex values, stored as real and imaginary parts (..., 2)."""

    shape = "<..., complex=2>"


def _compute_angles(x: np.ndarray) -> np.ndarray:
    """Return the phase of complex numbers given as real and imaginary part on the last axis."""
    return np.arctan2(x[..., 1], x[..., 0])


def _compute_norms(x: np.ndarray, power: float) -> np.ndarray:
    """Return |z|^power of complex numbers given as real and imaginary part on the last axis."""
    return np.square(x).sum(-1) ** x.dtype.type(0.5 * power)


class Angle(_ComplexTransform):
    """The angle of real and imaginary parts: (..., 2) -> (...).

    Raises:
        RuntimeError: the row is not (..., 2).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Angle()(np.array([[1.0, 0.0], [0.0, 2.0]])).round(3).tolist()
        [0.0, 1.571]
    """

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        return _compute_angles(x)


class ComplexNorm(_ComplexTransform):
    """|z|^power of real and imaginary parts: (..., 2) -> (...).

    Args:
        power (float): 1 for the magnitude, 2 for its square.

    Raises:
        TypeError: ``power`` is not a number.
        ValueError: ``power`` is negative.
        RuntimeError: the row is not (..., 2).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.ComplexNorm()(np.array([[3.0, 4.0]])).tolist()
        [5.0]
    """

    power: float = 1.0

    rules = {"power": natural_real}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        return _compute_norms(x, self.power)


class Magphase(_ComplexTransform):
    """|z|^power and the angle of real and imaginary parts: (..., 2) -> (...), (...).

    Args:
        power (float): 1 for the magnitude, 2 for its square.

    Raises:
        TypeError: ``power`` is not a number.
        ValueError: ``power`` is negative.
        RuntimeError: the row is not (..., 2).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> size, angle = audio.Magphase()(np.array([[0.0, 4.0]]))
        >>> size.tolist(), angle.round(3).tolist()
        ([4.0], [1.571])
    """

    power: float = 1.0

    rules = {"power": natural_real}

    def transform_waves(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _compute_norms(x, self.power), _compute_angles(x)


def stretch_time(x: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Stretch a spectrogram (rows, freq, frame, 2) in time by the factor 1 / rate.

    The result has about frame / rate frames. ``advance`` (freq, 1) is the expected phase advance,
    in radians, from frame to frame.
    """
    scalar_type, step = x.dtype.type, np.float32(rate)
    count = x.shape[2]
    position = np.arange(math.ceil(count / step) + 1, dtype=np.float32) * step
    position = position[position < count]
    first = position.astype(np.int64)
    fraction = (position - first).astype(x.dtype)
    padded = np.pad(x, ((0, 0), (0, 0), (0, 2), (0, 0)))
    current, following = padded[:, :, first], padded[:, :, first + 1]
    magnitudes = fraction * _compute_norms(following, 1)
    magnitudes = magnitudes + (1 - fraction) * _compute_norms(current, 1)
    deviation = _compute_angles(following) - _compute_angles(current) - advance
    deviation = deviation - 2 * math.pi * np.round(deviation / (2 * math.pi))
    phase_step = deviation.astype(x.dtype) + advance
    phase = np.concatenate([_compute_angles(x[:, :, :1]), phase_step[:, :, :-1]], axis=2)
    phase = np.cumsum(phase, axis=2, dtype=scalar_type)
    return np.stack([np.cos(phase) * magnitudes, np.sin(phase) * magnitudes], axis=-1)


def _stretch_stack(x: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Stretch spectrograms (..., freq, frame, 2) by :func:`stretch_time`; copy for a rate of 1."""
    if rate == 1:
        return x.copy()
    rows = flatten_leading_axes(x, 3)
    out = stretch_time(rows, rate, advance)
    return out.reshape(*x.shape[:-2], *out.shape[2:])


class TimeStretch(AudioTransform):
    """Stretch a spectrogram (..., freq, piece, 2) in time without changing the pitch.

    Args:
        hop_length (int): the distance between pieces in samples; None for ``n_freq - 1``.
        n_freq (int): the number of frequencies.
        fixed_rate (float): the speed factor; None for 1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is not positive.
        RuntimeError: the row is not (..., freq, piece, 2).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.TimeStretch(n_freq=5, fixed_rate=1.5)(np.ones((5, 12, 2), np.float32)).shape
        (5, 8, 2)
    """

    hop_length: int | None = None
    n_freq: int = 201
    fixed_rate: float | None = None

    axes, shape = 3, "<..., freq, num_frame, complex=2>"
    rules = {
        "hop_length": optional(positive),
        "n_freq": positive,
        "fixed_rate": optional(positive_real),
    }

    def check(self) -> None:
        """Check the arguments, and store the defaults of ``hop_length`` and ``fixed_rate``."""
        super().check()
        hop = self.n_freq - 1 if self.hop_length is None else self.hop_length
        rate = 1 if self.fixed_rate is None else self.fixed_rate
        self.normalise(hop_length=hop, fixed_rate=rate)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Stretch by ``fixed_rate``, with phase advances from 0 to pi * ``hop_length``."""
        rate, hop = float(self.fixed_rate or 1), int(self.hop_length or 0)
        advance = linspace(0, math.pi * hop, self.n_freq, x.dtype)
        return _stretch_stack(x, rate, np.resize(advance, x.shape[-3])[:, None])


class PhaseVocoder(AudioTransform):
    """Stretch a spectrogram (..., freq, piece, 2) in time, with given phase advances.

    Args:
        rate (float): the speed factor.
        phase_advance (numpy.ndarray): (freq, 1), in the row's dtype: the expected phase advance
            from piece to piece.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``rate`` is not positive.
        RuntimeError: the row is not (..., freq, piece, 2), or does not match ``phase_advance``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> advance = np.zeros((5, 1), np.float32)
        >>> audio.PhaseVocoder(2.0, advance)(np.ones((5, 8, 2), np.float32)).shape
        (5, 4, 2)
    """

    rate: float
    phase_advance: Any

    __eq__ = object.__eq__  # the truth value of an array is ambiguous
    __hash__ = object.__hash__

    axes, shape = 3, "<..., freq, num_frame, complex=2>"
    rules = {"rate": positive_real}

    def check(self) -> None:
        super().check()
        arguments.instance(self, "phase_advance", self.phase_advance, (np.ndarray,))

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Check that ``phase_advance`` fits the rows, and stretch them.

        Raises:
            RuntimeError: its shape or dtype does not match, or the rows are not (..., freq, piece,
                2).
        """
        advance = self.phase_advance
        if advance.ndim != 2 or advance.shape[1] != 1:
            raise self.make_error("phase_advance", "be in shape of <freq, 1>", advance.shape)
        if x.ndim > 3 and advance.shape[0] != x.shape[-3]:
            rule = f"be of {x.shape[-3]} rows, equal to freq dimension length of input tensor"
            raise self.make_error("phase_advance", rule, advance.shape[0])
        if advance.dtype != x.dtype:
            rule = f"be of {x.dtype}, equal to data type of input tensor"
            raise self.make_error("phase_advance", rule, advance.dtype)
        return super().transform_batch(x)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        return _stretch_stack(x, self.rate, self.phase_advance.astype(x.dtype))
