"""Guitar effects (overdrive, phaser, flanger) and dither."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    AudioTransform,
    RandomAudioTransform,
    as_float,
    flag,
    flatten_leading_axes,
    integer,
    not_zero_int,
    one_of,
    real,
    restore_leading_axes,
)
from minispore.dataset.audio.enums import DensityFunction, Interpolation, Modulation
from minispore.dataset.audio.recurrence import apply_iir_filter
from minispore.dataset.transforms.base import Transform, draw_int
from minispore.ir.value import Spec

__all__ = ["Dither", "Flanger", "Overdrive", "Phaser"]


class Overdrive(AudioTransform):
    """Overdrive: a nonlinear distortion that rounds off peaks and adds harmonics.

    Args:
        gain (float): the gain in decibels, in [0, 100].
        color (float): the amount of even harmonics, in [0, 100].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Overdrive()(np.array([0.1, -0.1])).round(3).tolist()
        [0.55, -0.545]
    """

    gain: float = 20.0
    color: float = 20.0

    rules = {"gain": real(0, 100), "color": real(0, 100)}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Mix half of ``x`` with its amplified, distorted (x - x^3 / 3) and DC-free copy."""
        rows = flatten_leading_axes(x).astype(np.float64)
        amplified = np.clip(rows * 10 ** (self.gain / 20) + self.color / 200, -1, 1)
        without_dc = apply_iir_filter(amplified - amplified**3 / 3, (1.0, -0.995), (1.0, -1.0))
        out = np.clip(rows * 0.5 + without_dc * 0.75, -1, 1)
        return restore_leading_axes(out.astype(x.dtype), x)


def make_wave_table(
    modulation: Modulation, size: int, low: float, high: float, phase: float
) -> np.ndarray:
    """Return one period of a modulation wave, ``size`` values between ``low`` and ``high``.

    The values are float32; ``phase`` is in radians.
    """
    position = (np.arange(size) + int(phase / math.pi / 2 * size + 0.5)) % size
    if modulation is Modulation.SINUSOIDAL:
        wave = (np.sin(position * math.pi / size * 2) + 1) / 2
    else:
        quarter, wave = 4 * position // size, position * 2.0 / size
        wave = np.select([quarter == 0, quarter == 3], [wave + 0.5, wave - 1.5], 1.5 - wave)
    return wave.astype(np.float32) * np.float32(high - low) + np.float32(low)


class Phaser(AudioTransform):
    """Phaser: adds an echo with feedback, whose delay is modulated.

    y[n] = gain_in x[n] + decay y[n - d(n)], times ``gain_out``, clipped to [-1, 1].

    Args:
        gain_in (float): the gain of the input, in [0, 1].
        gain_out (float): the gain of the result.
        delay_ms (float): the maximum delay, in milliseconds, in [0, 5].
        decay (float): the feedback gain of the echo, in [0, 0.99].
        mod_speed (float): the modulation frequency, in Hz, in [0.1, 2].
        sinusoidal (bool): whether the modulation is a sine; else a triangle.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the delay is less than a sample.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Phaser(1000)(np.array([1.0, 0.0, 0.0])).round(3).tolist()
        [0.296, 0.118, 0.047]
    """

    sample_rate: int
    gain_in: float = 0.4
    gain_out: float = 0.74
    delay_ms: float = 3.0
    decay: float = 0.4
    mod_speed: float = 0.5
    sinusoidal: bool = True

    rules = {
        "sample_rate": integer(),
        "gain_in": real(0, 1),
        "gain_out": real(0, 1e9),
        "delay_ms": real(0, 5.0),
        "decay": real(0, 0.99),
        "mod_speed": real(0.1, 2),
        "sinusoidal": flag,
    }

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Add the modulated echo and its own echoes, computed by doubling; clip to [-1, 1].

        Raises:
            RuntimeError: the delay is less than a sample.
        """
        max_delay = int(self.delay_ms * 0.001 * self.sample_rate + 0.5)
        if max_delay < 1:
            raise self.make_error("delay_ms", "be at least a sample", self.delay_ms)
        period = int(self.sample_rate / self.mod_speed + 0.5)
        modulation = Modulation.SINUSOIDAL if self.sinusoidal else Modulation.TRIANGULAR
        table = make_wave_table(modulation, period, 1.0, max_delay, math.pi / 2)
        sample = np.arange(x.shape[-1])
        # The distance from the current sample back to the sample of the echo.
        delay = max_delay + 1 - np.floor(table + np.float32(0.5)).astype(np.int64)[sample % period]
        echo_source, y = sample - delay, flatten_leading_axes(x).astype(np.float64) * self.gain_in
        # Each iteration doubles the number of successive echoes that are included.
        decay = self.decay
        y = np.pad(y, ((0, 0), (1, 0)))  # silence before the beginning
        echo_source = np.concatenate([[0], np.maximum(echo_source + 1, 0)])
        while echo_source.any() and decay > 1e-20:
            y = y + y[:, echo_source] * decay
            echo_source, decay = echo_source[echo_source], decay * decay
        out = np.clip(y[:, 1:] * self.gain_out, -1, 1)
        return restore_leading_axes(out.astype(x.dtype), x)


class Flanger(AudioTransform):
    """Flanger: adds a copy with a modulated delay; (..., channel, time), in the row's dtype.

    Args:
        delay (float): the minimum delay, in milliseconds, in [0, 30].
        depth (float): the range of the modulated delay, in milliseconds, in [0, 10].
        regen (float): the feedback of the copy, in percent, in [-95, 95].
        width (float): the level of the copy, in percent, in [0, 100].
        speed (float): the modulation frequency, in Hz, in [0.1, 10].
        phase (float): the phase shift between consecutive channels, in percent of a period.
        modulation (Modulation): the waveform of the delay.
        interpolation (Interpolation): the interpolation between two samples.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the row is not (..., channel, time).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Flanger(1000, depth=0.0)(np.array([[0.5, -0.25]])).round(3).tolist()
        [[0.5, -0.25]]
    """

    sample_rate: int
    delay: float = 0.0
    depth: float = 2.0
    regen: float = 0.0
    width: float = 71.0
    speed: float = 0.5
    phase: float = 25.0
    modulation: Modulation = Modulation.SINUSOIDAL
    interpolation: Interpolation = Interpolation.LINEAR

    axes, shape = 2, "<..., channel, time>"
    rules = {
        "sample_rate": not_zero_int,
        "delay": real(0, 30),
        "depth": real(0, 10),
        "regen": real(-95, 95),
        "width": real(0, 100),
        "speed": real(0.1, 10),
        "phase": real(0, 100),
        "modulation": one_of(Modulation),
        "interpolation": one_of(Interpolation),
    }

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Return the transformed rows in their own dtype; integers are truncated."""
        output: Any = super().transform_batch(x)
        return output.astype(x.dtype, copy=False)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Mix each channel with its delayed copy, and clip to [-1, 1]."""
        rows, out = flatten_leading_axes(x, 2).astype(np.float64), np.empty(x.shape, x.dtype)
        out_rows = flatten_leading_axes(out, 2)
        feedback, width = self.regen / 100, self.width / 100
        delayed_gain = width / (1 + width) * (1 - abs(feedback))
        for channel in range(rows.shape[1]):
            sound = rows[:, channel]
            delayed = self._delay_channel(sound, channel, feedback)
            out_rows[:, channel] = np.clip(sound / (1 + width) + delayed * delayed_gain, -1, 1)
        return out_rows.reshape(x.shape)

    def _delay_channel(self, sound: np.ndarray, channel: int, feedback: float) -> np.ndarray:
        """Return the delayed copy of one channel (rows, time).

        The fraction ``feedback`` of the copy is fed back into its own delay.
        """
        rate, time = self.sample_rate, sound.shape[1]
        low = math.floor(self.delay / 1000 * rate + 0.5)
        buffer_length = int((self.delay + self.depth) / 1000 * rate + 0.5) + 2
        period = int(rate / self.speed)
        table = make_wave_table(self.modulation, period, low, buffer_length - 2.0, 3 * math.pi / 2)
        lags = table[(np.arange(time) + int(channel * period * self.phase / 100 + 0.5)) % period]
        whole_lags = np.floor(lags).astype(np.int64)
        fraction = (lags - whole_lags).astype(np.float64)
        weights, read_lags = [1 - fraction, fraction], [whole_lags, whole_lags + 1]
        if self.interpolation is Interpolation.QUADRATIC:
            weights = [
                1 - fraction * (3 - fraction) / 2,
                fraction * (2 - fraction),
                fraction * (fraction - 1) / 2,
            ]
            read_lags.append((whole_lags + 2) % buffer_length)
        if feedback:
            rows = [_apply_feedback(row, read_lags, weights, feedback) for row in sound.tolist()]
            sound = np.array(rows).reshape(sound.shape)
        padded = np.pad(sound, ((0, 0), (buffer_length, 0)))  # silence before the beginning
        position = np.arange(time) + buffer_length
        return np.sum([padded[:, position - lag] * w for w, lag in zip(weights, read_lags)], axis=0)


def _apply_feedback(
    sound: list[float], read_lags: list[np.ndarray], weights: list[np.ndarray], feedback: float
) -> list[float]:
    """Return k[n] = x[n] + feedback * (the delayed k at n - 1), as a list.

    The delayed k is the sum of the samples ``read_lags`` earlier, times ``weights``. Each sample
    depends on the previous one, so Python scalars are as fast as NumPy.
    """
    delayed: list[float] = []
    lags = [lag.tolist() for lag in read_lags]
    gains = [(weight * feedback).tolist() for weight in weights]
    echo = 0.0
    for n, value in enumerate(sound):
        delayed.append(value + echo)
        echo = 0.0
        for lag, gain in zip(lags, gains):
            if n >= lag[n]:
                echo += delayed[n - lag[n]] * gain[n]
    return delayed


class _Dither(Transform):
    """Adds the given noise and rounds to 16 bits; drawn by Dither."""

    noise: Any  # one number for all samples; None for the triangle
    noise_shaping: bool

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Add the noise and round; with ``noise_shaping`` add each error to the next sample."""
        x = as_float(x)
        scalar_type, time = x.dtype.type, x.shape[-1]
        triangle = 1 - np.abs(2 * np.arange(time) / max(time, 1) - 1)
        noise = triangle.astype(np.float32).astype(x.dtype) if self.noise is None else self.noise
        scaled = x * scalar_type(2**15 - 2) + noise
        out = np.trunc(scaled + np.copysign(scalar_type(0.5), scaled)) / scalar_type(2**15)
        if self.noise_shaping:
            error = out - x
            out[..., 1:] += error[..., :-1]
        return out.astype(x.dtype)


class Dither(RandomAudioTransform):
    """Round a sound to 16 bits after adding noise, so that the rounding error has no tone.

    Args:
        density_function (DensityFunction): the noise: a triangle over time (TPDF), or a constant
            drawn for each row from its own samples: one sample (RPDF) or the sum of seven (GPDF).
        noise_shaping (bool): whether the error of the previous sample is added.

    Raises:
        TypeError: an argument has a wrong type.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Dither()(np.array([0.5, -0.5]))
        array([ 0.49996948, -0.49993896])
    """

    density_function: DensityFunction = DensityFunction.TPDF
    noise_shaping: bool = False

    rules = {"density_function": one_of(DensityFunction), "noise_shaping": flag}

    def transform_row(self, x: Any, *, rng: np.random.Generator) -> Any:  # type: ignore[override]
        """Draw the noise from samples of the row (except for TPDF), and dither with it."""
        self.check_spec(Spec(x.shape, x.dtype))
        noise, rows = None, flatten_leading_axes(x)
        if self.density_function is not DensityFunction.TPDF:
            count = 1 if self.density_function is DensityFunction.RPDF else 7
            samples = [[draw_int(rng, 0, n - 1) for n in rows.shape] for _ in range(count)]
            noise = float(sum(as_float(rows[channel, time]) for channel, time in samples))
        return _Dither(noise, self.noise_shaping).transform_row(x)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Return a dither without noise, which tells shape and dtype of the result; used by
        ``infer``.
        """
        return [_Dither(None, self.noise_shaping)]  # shape and dtype do not depend on the noise
