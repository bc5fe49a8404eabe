"""Changes of sample rate and of pitch."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from minispore.dataset.audio.base import (
    AudioTransform,
    flatten_leading_axes,
    floating,
    integer,
    linspace,
    natural,
    not_zero_int,
    one_of,
    optional,
    positive,
    positive_real,
    real,
    restore_leading_axes,
)
from minispore.dataset.audio.enums import BorderType, ResampleMethod, WindowType
from minispore.dataset.audio.fourier import (
    compute_magnitudes,
    istft,
    make_window,
    pad_signal,
    stft,
    view_as_complex,
)
from minispore.dataset.audio.phase import stretch_time
from minispore.dataset.audio.spectrum import normalise_lengths

__all__ = ["PitchShift", "Resample"]

KAISER_BETA = 14.769656459379492  # parameters of resampy's "kaiser_best" window


def resample_rows(
    x: np.ndarray,
    orig_freq: int,
    new_freq: int,
    kaiser: float | None = None,
    lowpass_width: int = 6,
    rolloff: float = 0.99,
) -> np.ndarray:
    """Resample (rows, time) from the sample rate ``orig_freq`` to ``new_freq``, in the same dtype.

    The result has ceil(time * new_freq / orig_freq) samples. Each is a sum of the samples around
    it, weighted by a windowed sinc: a Kaiser window with the parameter ``kaiser``, or a Hann window
    if that is None. Outputs at the same fractional input position have the same weights.
    """
    common = math.gcd(orig_freq, new_freq)
    orig_freq, new_freq = orig_freq // common, new_freq // common
    count = -(-new_freq * x.shape[1] // orig_freq)
    weights = _compute_sinc_weights(
        orig_freq, new_freq, min(new_freq, count), kaiser, lowpass_width, rolloff
    )
    taps = weights.shape[1]
    windows = sliding_window_view(np.pad(x, ((0, 0), (taps // 2, taps // 2))), taps, axis=1)
    out = np.empty((len(x), count), x.dtype)
    for phase, row in enumerate(weights.astype(x.dtype)):
        phase_output = out[:, phase::new_freq]
        phase_windows = windows[:, phase * orig_freq // new_freq :: orig_freq]
        np.matmul(phase_windows[:, : phase_output.shape[1]], row, out=phase_output)
    return out


@lru_cache(maxsize=8)
def _compute_sinc_weights(
    orig_freq: int,
    new_freq: int,
    phases: int,
    kaiser: float | None,
    lowpass_width: int,
    rolloff: float,
) -> np.ndarray:
    """Return the weights (phases, taps) of the samples around an output; the last 8 are cached.

    A phase is a fractional position between two samples.
    """
    base = np.float32(min(orig_freq, new_freq)) * np.float32(rolloff)
    width = math.ceil(np.float32(lowpass_width * orig_freq) / base)
    fraction = (np.arange(phases) * orig_freq % new_freq / new_freq)[:, None]
    t = (np.arange(-width, width + 1) - fraction) * (float(base) / orig_freq)
    t = np.clip(t, -lowpass_width, lowpass_width)
    if kaiser is None:
        win = np.cos(t * (math.pi / lowpass_width / 2)) ** 2
    else:
        arc = np.sqrt(np.maximum(1 - (t / lowpass_width) ** 2, 0))
        win = np.i0(kaiser * arc) / np.i0(kaiser)
    return np.sinc(t) * win * (float(base) / orig_freq)


class Resample(AudioTransform):
    """Resample a sound from the sample rate ``orig_freq`` to ``new_freq``.

    Source: J. O. Smith, Digital audio resampling (bandlimited interpolation by a windowed sinc).

    Args:
        orig_freq (float): the original number of samples per second.
        new_freq (float): the new number of samples per second.
        resample_method (ResampleMethod): the window of the sinc.
        lowpass_filter_width (int): the number of zeros of the sinc on each side.
        rolloff (float): the cutoff frequency, as a fraction of the Nyquist frequency.
        beta (float): the parameter of the Kaiser window; None for 14.77.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: a frequency is below 1.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.cos(np.arange(64) * np.pi / 8)
        >>> half = audio.Resample(2, 1)(tone)
        >>> half.shape, bool(np.allclose(half[8:24], tone[16:48:2], atol=0.01))
        ((32,), True)
    """

    orig_freq: float = 16000
    new_freq: float = 16000
    resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION
    lowpass_filter_width: int = 6
    rolloff: float = 0.99
    beta: float | None = None

    rules = {
        "orig_freq": positive_real,
        "new_freq": positive_real,
        "resample_method": one_of(ResampleMethod),
        "lowpass_filter_width": positive,
        "rolloff": floating(0, 1.0, "(]"),
        "beta": optional(real()),
    }

    def check(self) -> None:
        """Check the arguments, and store the default ``beta``."""
        super().check()
        self.normalise(beta=KAISER_BETA if self.beta is None else self.beta)

    def transform_batch(self, x: np.ndarray) -> Any:
        """Return the resampled rows, or a copy in their own dtype if the frequencies are equal."""
        output = super().transform_batch(x)
        return x.copy() if self.orig_freq == self.new_freq else output

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Resample the last axis; raise RuntimeError if a frequency is below 1.

        Frequencies are truncated to ints.
        """
        old, new = int(self.orig_freq), int(self.new_freq)
        if not (old and new):
            name = "new_freq" if old else "orig_freq"
            raise self.make_error(name, "be at least 1: it can not be zero", getattr(self, name))
        kaiser = None
        if self.resample_method is ResampleMethod.KAISER_WINDOW:
            kaiser = self.beta
        width, rolloff = self.lowpass_filter_width, self.rolloff
        out = resample_rows(flatten_leading_axes(x), old, new, kaiser, width, rolloff)
        return restore_leading_axes(out, x)


class PitchShift(AudioTransform):
    """Shift the pitch of a sound without changing its duration: it is stretched, then resampled.

    Args:
        n_steps (int): the number of steps up.
        bins_per_octave (int): the number of steps in an octave.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``win_length`` is more than ``n_fft``.
        RuntimeError: the row is 0-d, or ``n_fft`` is odd.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.cos(np.arange(2000) * np.pi / 32).astype(np.float32)
        >>> high = audio.PitchShift(16000, 12, n_fft=256)(tone)
        >>> peaks = [int(np.abs(np.fft.rfft(x)).argmax()) for x in (tone, high)]
        >>> peaks[1] / peaks[0] > 1.9
        True
    """

    sample_rate: int
    n_steps: int
    bins_per_octave: int = 12
    n_fft: int = 512
    win_length: int | None = None
    hop_length: int | None = None
    window: WindowType = WindowType.HANN

    rules = {
        "sample_rate": natural,
        "n_steps": integer(),
        "bins_per_octave": not_zero_int,
        "n_fft": positive,
        "win_length": optional(positive),
        "hop_length": optional(positive),
        "window": one_of(WindowType),
    }

    def check(self) -> None:
        """Check the arguments, and store the default ``win_length`` and ``hop_length``."""
        super().check()
        normalise_lengths(self, 4)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Stretch with the phase vocoder, resample, and cut or pad to the original length.

        Raises:
            RuntimeError: ``n_fft`` is odd.
        """
        if self.n_fft % 2:
            raise self.make_error("n_fft", "be even", self.n_fft)
        rows, hop, half = flatten_leading_axes(x), int(self.hop_length or 0), self.n_fft // 2
        win: Any = make_window(self.window, self.win_length or 0, self.n_fft)
        spectrum = stft(pad_signal(rows, half, half, BorderType.REFLECT), win, hop)
        rate = np.float32(2 ** np.float32(-self.n_steps / self.bins_per_octave))
        advance = linspace(0, math.pi * hop, half + 1, x.dtype)[:, None]
        spectrogram = compute_magnitudes(spectrum, 0)
        if rate != 1:
            spectrogram = stretch_time(spectrogram, float(rate), advance)
        time = x.shape[-1]
        stretched_length = max(1, round(float(np.float32(time) / rate)))
        y = istft(view_as_complex(spectrogram), win, hop, True, stretched_length).astype(x.dtype)
        y = resample_rows(y, max(1, int(self.sample_rate / rate)), max(1, self.sample_rate))[
            :, :time
        ]
        return restore_leading_axes(np.pad(y, ((0, 0), (0, time - y.shape[1]))), x)
