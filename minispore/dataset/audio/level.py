"""Transforms of loudness: gains, decibels, fades, companding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    AudioTransform,
    natural,
    natural_real,
    one_of,
    optional,
    positive,
    positive_real,
    real,
)
from minispore.dataset.audio.enums import FadeShape, GainType, ScaleType
from minispore.dataset.transforms.base import Columns

__all__ = [
    "AmplitudeToDB",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "Fade",
    "Gain",
    "MuLawDecoding",
    "MuLawEncoding",
    "Vol",
]


class AmplitudeToDB(AudioTransform):
    """10 log10(max(x, amin)) - 10 log10(max(ref_value, amin)) for powers, twice for magnitudes.

    Values more than ``top_db`` below the maximum are raised to the maximum minus ``top_db``.

    Args:
        stype (ScaleType): the quantity in the spectrogram, power or magnitude.
        ref_value (float): the value of 0 dB.
        amin (float): smaller values are replaced by ``amin``.
        top_db (float): the range below the maximum that is kept.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is not positive.
        RuntimeError: the row is not (..., freq, time).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.AmplitudeToDB()(np.array([[1.0, 100.0, 0.0]], np.float32)).tolist()
        [[0.0, 20.0, -60.0]]
    """

    stype: ScaleType = ScaleType.POWER
    ref_value: float = 1.0
    amin: float = 1e-10
    top_db: float = 80.0

    axes, shape = 2, "<..., freq, time>"
    rules = {
        "stype": one_of(ScaleType),
        "ref_value": positive_real,
        "amin": positive_real,
        "top_db": positive_real,
    }

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        factor = 10.0 if self.stype is ScaleType.POWER else 20.0
        return to_decibels(x, factor, self.amin, self.ref_value, self.top_db)


def to_decibels(
    x: np.ndarray, factor: float, amin: float = 1e-10, ref: float = 1.0, top: float = 80.0
) -> np.ndarray:
    """Return factor * log10(x / ref) of (N, ..., freq, time), at least the maximum minus ``top``.

    Values below ``amin`` count as ``amin``, and the dtype is kept. The maximum is taken over the
    last three axes of each row.
    """
    scalar_type = x.dtype.type
    out = np.log10(np.maximum(x, scalar_type(amin)))
    out *= scalar_type(factor)
    out -= scalar_type(factor * math.log10(max(amin, ref)))
    axes = tuple(range(-min(3, x.ndim - 1), 0))
    return np.maximum(out, out.max(axes, keepdims=True, initial=-np.inf) - scalar_type(top))


class DBToAmplitude(AudioTransform):
    """ref * (10^(x / 10))^power.

    Args:
        ref (float): the result for 0 dB.
        power (float): 1 for powers, 0.5 for amplitudes.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.DBToAmplitude(1.0, 0.5)(np.array([0.0, 20.0])).tolist()
        [1.0, 10.0]
    """

    ref: float
    power: float

    rules = {"ref": real(), "power": real()}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            loud = (10 ** (x.astype(np.float64) * 0.1)) ** self.power * self.ref
            return loud.astype(x.dtype)


class Gain(AudioTransform):
    """x * 10^(gain_db / 20).

    Args:
        gain_db (float): the gain in decibels.

    Raises:
        TypeError: ``gain_db`` is not a number.
        ValueError: ``gain_db`` is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Gain(20.0)(np.array([0.5, -1.0], np.float32)).tolist()
        [5.0, -10.0]
    """

    gain_db: float = 1.0

    rules = {"gain_db": real()}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        return x * x.dtype.type(10 ** (self.gain_db / 20))


class Vol(AudioTransform):
    """x times a gain, clipped to [-1, 1].

    Args:
        gain (float): not negative for amplitudes, positive for powers.
        gain_type (GainType): the quantity that the gain applies to.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``gain`` is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Vol(4.0, audio.GainType.POWER)(np.array([0.25, -0.75], np.float32)).tolist()
        [0.5, -1.0]
    """

    gain: float
    gain_type: GainType = GainType.AMPLITUDE

    rules = {"gain_type": one_of(GainType)}

    def check(self) -> None:
        """Check the arguments; the range of ``gain`` depends on ``gain_type``.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``gain`` is out of range.
        """
        real()(self, "gain", self.gain)
        super().check()
        if self.gain_type is not GainType.DB:
            is_factor = self.gain_type is GainType.AMPLITUDE
            (natural_real if is_factor else positive_real)(self, "gain", self.gain)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Multiply by the gain according to ``gain_type``, and clip to [-1, 1]."""
        factor = {
            GainType.AMPLITUDE: self.gain,
            GainType.DB: 10 ** (self.gain / 20) if self.gain else 1.0,
            GainType.POWER: math.sqrt(abs(self.gain)),
        }[self.gain_type]
        return np.clip(x * x.dtype.type(factor), -1, 1)


class Contrast(AudioTransform):
    """sin(pi x / 2 + enhancement_amount / 750 * sin(2 pi x)): increases the perceived loudness.

    Args:
        enhancement_amount (float): the amount of enhancement, in [0, 100].

    Raises:
        TypeError: ``enhancement_amount`` is not a number.
        ValueError: ``enhancement_amount`` is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Contrast(0.0)(np.array([0.0, 1.0], np.float32)).tolist()
        [0.0, 1.0]
    """

    enhancement_amount: float = 75.0

    rules = {"enhancement_amount": real(0, 100)}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        angle = (x.astype(np.float64) * (math.pi / 2)).astype(x.dtype)  # x may be large
        return np.sin(angle + x.dtype.type(self.enhancement_amount / 750) * np.sin(angle * 4))


class DCShift(AudioTransform):
    """x + shift, clipped to [-1, 1]; a limiter compresses peaks instead of clipping them.

    Args:
        shift (float): the shift, in [-2, 2].
        limiter_gain (float): the gain of peaks in the limiter; None or 0 for no limiter.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``shift`` is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.DCShift(0.5)(np.array([0.25, 0.75], np.float32)).tolist()
        [0.75, 1.0]
    """

    shift: float
    limiter_gain: float | None = None

    rules = {"shift": real(-2.0, 2.0), "limiter_gain": optional(real(-math.inf, math.inf))}

    def check(self) -> None:
        """Check the arguments; store ``shift``, which means no limiter, for a gain of None or 0."""
        super().check()
        self.normalise(limiter_gain=self.limiter_gain or self.shift)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Shift and clip; peaks beyond the limiter's threshold are compressed instead."""
        shift, gain = self.shift, float(self.limiter_gain or 0.0)
        out = np.clip(x + x.dtype.type(shift), -1, 1)
        eps = np.finfo(np.float32).eps
        if abs(shift - gain) <= eps or abs(shift) <= eps:
            return out
        threshold = 1.0 - (abs(shift) - gain)
        sign = 1 if shift > 0 else -1
        peaks = x * sign > threshold
        limited = (x - sign * threshold) * gain / (1 - threshold) + threshold + shift
        limit = np.minimum if shift > 0 else np.maximum
        return np.where(peaks, limit(limited, sign * threshold), out).astype(x.dtype)


_FADE_CURVES: dict[FadeShape, Any] = {
    FadeShape.LINEAR: lambda t: t,
    FadeShape.EXPONENTIAL: lambda t: 2.0 ** (t - 1) * t,
    FadeShape.LOGARITHMIC: lambda t: np.log10(t + 0.1) + 1,
    FadeShape.QUARTER_SINE: lambda t: np.sin(t * (math.pi / 2)),
    FadeShape.HALF_SINE: lambda t: np.sin(t * math.pi - math.pi / 2) / 2 + 0.5,
}


class Fade(AudioTransform):
    """Fade in at the beginning and fade out at the end of a sound.

    Args:
        fade_in_len (int): the length of the fade-in, in samples.
        fade_out_len (int): the length of the fade-out, in samples.
        fade_shape (FadeShape): the curve.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a length is negative.
        RuntimeError: a length exceeds that of the row.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Fade(fade_in_len=3, fade_out_len=2)(np.ones(6, np.float32)).tolist()
        [0.0, 0.5, 1.0, 1.0, 1.0, 0.0]
    """

    fade_in_len: int = 0
    fade_out_len: int = 0
    fade_shape: FadeShape = FadeShape.LINEAR

    rules = {
        "fade_in_len": natural,
        "fade_out_len": natural,
        "fade_shape": one_of(FadeShape),
    }

    def transform_batch(self, x: np.ndarray) -> Columns:
        """Return the faded rows; without any fade, the rows themselves in their own dtype."""
        faded = super().transform_batch(x)
        return faded if self.fade_in_len or self.fade_out_len else x  # in its own dtype

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Multiply both ends by ramps; raise RuntimeError if one is longer than ``x``."""
        time = x.shape[-1]
        for name in ("fade_in_len", "fade_out_len"):
            if getattr(self, name) > time:
                rule = f"be no greater than 'length of waveform' {time}"
                raise self.make_error(name, rule, getattr(self, name))
        out, rise = x.copy(), _FADE_CURVES[self.fade_shape]
        fade_in = rise(_make_ramp(self.fade_in_len))
        fade_out = rise(1 - _make_ramp(self.fade_out_len))
        out[..., : self.fade_in_len] *= fade_in.astype(x.dtype)
        out[..., time - self.fade_out_len :] *= fade_out.astype(x.dtype)
        return out


def _make_ramp(count: int) -> np.ndarray:
    """Return ``count`` float64 values from 0 to 1; a single one is 0."""
    return np.arange(count) / max(count - 1, 1)


class MuLawEncoding(AudioTransform):
    """sign(x) log(1 + mu |x|) / log(1 + mu) in [-1, 1], scaled to an integer in [0, mu].

    Args:
        quantization_channels (int): mu + 1.

    Raises:
        TypeError: ``quantization_channels`` is not an int.
        ValueError: ``quantization_channels`` is not positive.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.MuLawEncoding()(np.array([-1.0, 0.0, 0.1, 1.0])).tolist()
        [0, 128, 203, 255]
    """

    quantization_channels: int = 256

    rules = {"quantization_channels": positive}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Encode values in [-1, 1] as int32 in [0, mu]; a single channel gives undefined values."""
        mu = x.dtype.type(self.quantization_channels - 1)
        with np.errstate(invalid="ignore"):  # of one channel
            y = np.sign(x) * np.log1p(mu * np.abs(x)) / np.log1p(mu)
            return ((y + 1) / 2 * mu + x.dtype.type(0.5)).astype(np.int32)


class MuLawDecoding(AudioTransform):
    """The inverse of :class:`MuLawEncoding`: integers in [0, mu] -> values in [-1, 1].

    Args:
        quantization_channels (int): mu + 1.

    Raises:
        TypeError: ``quantization_channels`` is not an int.
        ValueError: ``quantization_channels`` is not positive.
        RuntimeError: ``quantization_channels`` is 1.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.MuLawDecoding()(np.array([0, 255])).tolist()
        [-1.0, 1.0]
    """

    quantization_channels: int = 256

    rules = {"quantization_channels": positive}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Decode integers in [0, mu] to values in [-1, 1]; raise RuntimeError if mu is 0."""
        mu = x.dtype.type(self.quantization_channels - 1)
        if mu == 0:
            raise self.make_error("quantization_channels", "be more than 1", 1)
        y = x / mu * 2 - 1
        return np.sign(y) * np.expm1(np.abs(y) * np.log1p(mu)) / mu
