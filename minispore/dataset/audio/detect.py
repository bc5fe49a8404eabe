"""Detection of pitch and of speech."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from minispore.dataset.audio.base import (
    AudioTransform,
    as_float,
    flatten_leading_axes,
    natural_real,
    not_zero_int,
    positive,
    positive_real,
    real,
    restore_leading_axes,
)
from minispore.dataset.audio.voice import SpeechDetector
from minispore.dataset.transforms import arguments
from minispore.ir.value import Spec

__all__ = ["DetectPitchFrequency", "Vad"]


class DetectPitchFrequency(AudioTransform):
    """The pitch of each frame, (..., time) -> (..., frame) in Hz and float32.

    A frame's period is the lag with the largest correlation to the following samples. A median
    smooths the pitch.

    Args:
        frame_time (float): the length of a frame, in seconds.
        win_length (int): the number of frames of the median.
        freq_low (float): the lowest pitch, in Hz.
        freq_high (float): the highest pitch, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the row does not hold floats, or has fewer frames than half a median, or
            ``freq_high`` is not above ``freq_low``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.sin(np.arange(4000) * (2 * np.pi / 40))
        >>> audio.DetectPitchFrequency(8000)(tone)[:3].tolist()
        [200.0, 200.0, 200.0]
    """

    sample_rate: int
    frame_time: float = 0.01
    win_length: int = 30
    freq_low: float = 85
    freq_high: float = 3400

    kinds = "f"
    rules = {
        "sample_rate": not_zero_int,
        "frame_time": positive_real,
        "win_length": positive,
        "freq_low": positive_real,
        "freq_high": positive_real,
    }

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Return the sample rate divided by the median of the best lags around each frame.

        Raises:
            RuntimeError: the row has too few frames, or the highest pitch is not above the lowest.
        """
        rows = flatten_leading_axes(x).astype(np.float64)
        max_lag = math.ceil(self.sample_rate / self.freq_low)
        min_lag = math.ceil(self.sample_rate / self.freq_high)
        size = math.ceil(np.float32(self.sample_rate) * np.float32(self.frame_time))
        frames = -(-rows.shape[1] // size)
        side = (self.win_length - 1) // 2
        if frames + side < self.win_length:
            rule = f"be no more than the {frames} frames and half of it"
            raise self.make_error("win_length", rule, self.win_length)
        if min_lag >= max_lag:
            raise self.make_error(
                "freq_high", f"be more than freq_low={self.freq_low}", self.freq_high
            )
        best_lags = self._choose_lags(_correlate_frames(rows, max_lag, frames, size), min_lag)
        extended = np.zeros((0, frames + side), np.int64)
        if len(best_lags):
            extended = np.pad(best_lags, ((0, 0), (side, 0)), mode="edge")
        windows = sliding_window_view(extended, self.win_length, axis=-1)
        median = np.sort(windows, axis=-1)[..., side]
        return restore_leading_axes((self.sample_rate / (1e-9 + median)).astype(np.float32), x)

    @staticmethod
    def _choose_lags(correlation: np.ndarray, min_lag: int) -> np.ndarray:
        """Return the best lag (rows, frame) of each frame, from the correlation (rows, frame, lag).

        A lag in the first half is preferred if its correlation is within 1 % of the best.
        """
        best = correlation[..., min_lag:]
        half = best[..., : max(correlation.shape[-1] // 2 - min_lag, 1)]
        prefers_half = half.max(-1) > 0.99 * best.max(-1)
        return np.where(prefers_half, half.argmax(-1), best.argmax(-1)) + min_lag + 1


def _correlate_frames(rows: np.ndarray, max_lag: int, frames: int, size: int) -> np.ndarray:
    """Return the normalised correlation of each frame with the samples ``lag`` after it.

    The result is (rows, frame, lag), with lags from 1 to ``max_lag`` samples; ``size`` is the
    length of a frame. It is 0 for silence.
    """
    padded = np.pad(rows, ((0, 0), (0, max_lag + frames * size - rows.shape[1])))
    frame_samples = padded[:, : frames * size].reshape(len(rows), frames, size)
    frame_energy = np.square(frame_samples).sum(-1)
    out = np.zeros((len(rows), frames, max_lag))
    for lag in range(1, max_lag + 1):
        shifted = padded[:, lag : lag + frames * size].reshape(frame_samples.shape)
        scale = frame_energy * np.square(shifted).sum(-1)
        np.divide((frame_samples * shifted).sum(-1), scale, out=out[..., lag - 1], where=scale != 0)
    return out


_TIMES = "trigger_time search_time allowed_gap pre_trigger_time boot_time noise_up_time"
_TIMES += " noise_down_time noise_reduction_amount measure_smooth_time"
_FREQS = "measure_freq hp_filter_freq lp_filter_freq hp_lifter_freq lp_lifter_freq"


class Vad(AudioTransform):
    """Cut off the part before speech begins: (..., time) -> (..., less time).

    All channels are cut at the same time. Without any speech, the last ``search_time``,
    ``pre_trigger_time`` and ``measure_duration`` together are kept.

    Source: SoX, the effect ``vad``.

    Args:
        trigger_level (float): the measure of voice that triggers the detection.
        trigger_time (float): the time constant, in seconds, for ignoring short clicks.
        search_time (float): how far back, in seconds, to search for softer speech.
        allowed_gap (float): the longest silence, in seconds, within the speech found.
        pre_trigger_time (float): how many seconds to keep before the speech.
        boot_time (float): the duration, in seconds, of the initial noise estimate.
        noise_up_time (float): the time constant of the estimate for increasing noise.
        noise_down_time (float): the time constant of the estimate for decreasing noise.
        noise_reduction_amount (float): the multiple of the noise to subtract.
        measure_freq (float): the number of measurements per second.
        measure_duration (float): the duration of a measurement; None for two periods.
        measure_smooth_time (float): the time constant for smoothing the spectrum.
        hp_filter_freq (float): lower frequencies are ignored.
        lp_filter_freq (float): higher frequencies are ignored.
        hp_lifter_freq (float): lower pitches are ignored.
        lp_lifter_freq (float): higher pitches are ignored.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``noise_up_time`` is less than ``noise_down_time``.
        RuntimeError: the band between two filters is empty.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.Vad(8000)(np.zeros(16000, np.float32)).shape
        (8800,)
    """

    sample_rate: int
    trigger_level: float = 7.0
    trigger_time: float = 0.25
    search_time: float = 1.0
    allowed_gap: float = 0.25
    pre_trigger_time: float = 0.0
    boot_time: float = 0.35
    noise_up_time: float = 0.1
    noise_down_time: float = 0.01
    noise_reduction_amount: float = 1.35
    measure_freq: float = 20.0
    measure_duration: float | None = None
    measure_smooth_time: float = 0.4
    hp_filter_freq: float = 50.0
    lp_filter_freq: float = 6000.0
    hp_lifter_freq: float = 150.0
    lp_lifter_freq: float = 2000.0

    rules = {
        "sample_rate": positive,
        "trigger_level": real(),
        **dict.fromkeys(_TIMES.split(), natural_real),
        **dict.fromkeys(_FREQS.split(), positive_real),
    }

    def check(self) -> None:
        """Check the arguments, and store the default ``measure_duration``, two measure periods.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a number is out of range, or ``noise_up_time`` is less than
                ``noise_down_time``.
        """
        super().check()
        if self.measure_duration:
            natural_real(self, "measure_duration", self.measure_duration)
        up, down = self.noise_up_time, self.noise_down_time
        if up < down:
            detail = "Input noise_up_time should be greater than noise_down_time."
            rule = f"be at least noise_down_time={down}"
            raise ValueError(arguments.format_error(self, "noise_up_time", rule, up, detail))
        self.normalise(measure_duration=self.measure_duration or 2.0 / self.measure_freq)

    @property
    def is_batched(self) -> bool:
        return False  # rows are cut to different lengths

    def transform_row(self, *columns: np.ndarray) -> np.ndarray:
        """Return a copy of the row, in floats, from the first sample of speech on.

        Raises:
            RuntimeError: the row is not audio, or the band between two filters is empty.
        """
        (x,) = columns
        self.check_spec(Spec(x.shape, x.dtype))
        x = as_float(x)
        start = SpeechDetector(self).find_start(flatten_leading_axes(x))
        return x[..., start:].copy()
