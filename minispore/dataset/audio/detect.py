"""What there is in a sound: its pitch, and where somebody speaks."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from minispore.core.value import Spec
from minispore.dataset.audio.base import (
    AudioTransform,
    as_float,
    natural_real,
    not_zero_int,
    packed,
    positive,
    positive_real,
    real,
    unpacked,
)
from minispore.dataset.audio.voice import Detector
from minispore.dataset.transforms import arguments

__all__ = ["DetectPitchFrequency", "Vad"]


class DetectPitchFrequency(AudioTransform):
    """The pitch of each frame, (..., time) -> (..., frame) in Hz and float32.

    It is that of the lag at which a frame is most like what follows it, smoothed by a median.

    Args:
        frame_time (float): how long a frame is, in seconds.
        win_length (int): of how many frames the median is taken.
        freq_low (float): the lowest pitch, in Hz.
        freq_high (float): the highest pitch, in Hz.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the row does not hold floats, or has fewer frames than half a median.

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

    def waves(self, x: np.ndarray) -> np.ndarray:
        rows = packed(x).astype(np.float64)
        lags = math.ceil(self.sample_rate / self.freq_low)
        least = math.ceil(self.sample_rate / self.freq_high)
        size = math.ceil(np.float32(self.sample_rate) * np.float32(self.frame_time))
        frames = -(-rows.shape[1] // size)
        side = (self.win_length - 1) // 2
        if frames + side < self.win_length:
            rule = f"be no more than the {frames} frames and half of it"
            raise self.refuse("win_length", rule, self.win_length)
        if least >= lags:
            raise self.refuse("freq_high", f"be more than freq_low={self.freq_low}", self.freq_high)
        found = self._lags(_alike(rows, lags, frames, size), least)
        wide = np.pad(found, ((0, 0), (side, 0)), mode="edge") if found.size else found
        if not len(found):
            wide = np.zeros((0, frames + side), np.int64)
        windows = sliding_window_view(wide, self.win_length, axis=-1)
        middle = np.sort(windows, axis=-1)[..., side]
        return unpacked((self.sample_rate / (1e-9 + middle)).astype(np.float32), x)

    @staticmethod
    def _lags(alike: np.ndarray, least: int) -> np.ndarray:
        """The best lag of each frame; one of the first half, if that is nearly as good."""
        best = alike[..., least:]
        half = best[..., : max(alike.shape[-1] // 2 - least, 1)]
        near = half.max(-1) > 0.99 * best.max(-1)
        return np.where(near, half.argmax(-1), best.argmax(-1)) + least + 1


def _alike(rows: np.ndarray, lags: int, frames: int, size: int) -> np.ndarray:
    """(rows, frame, lag): the product of a frame and what lies ``lag`` after it."""
    wide = np.pad(rows, ((0, 0), (0, lags + frames * size - rows.shape[1])))
    here = wide[:, : frames * size].reshape(len(rows), frames, size)
    own = np.square(here).sum(-1)
    out = np.zeros((len(rows), frames, lags))
    for lag in range(1, lags + 1):
        there = wide[:, lag : lag + frames * size].reshape(here.shape)
        scale = own * np.square(there).sum(-1)
        np.divide((here * there).sum(-1), scale, out=out[..., lag - 1], where=scale != 0)
    return out


_TIMES = "trigger_time search_time allowed_gap pre_trigger_time boot_time noise_up_time"
_TIMES += " noise_down_time noise_reduction_amount measure_smooth_time"
_FREQS = "measure_freq hp_filter_freq lp_filter_freq hp_lifter_freq lp_lifter_freq"


class Vad(AudioTransform):
    """Cut off what comes before somebody speaks: (..., time) -> (..., less time).

    All channels are cut at the same place. Where nobody speaks, the last ``search_time`` stays.

    Source: SoX, the effect ``vad``.

    Args:
        trigger_level (float): how much like speech it must be.
        trigger_time (float): how long, in seconds, so that clicks are not heard.
        search_time (float): how far before that to look for softer speech.
        allowed_gap (float): how long it may be silent in between.
        pre_trigger_time (float): how much to keep before the speech.
        boot_time (float): from how much the noise is estimated at first.
        noise_up_time (float): how quickly the estimate follows louder noise.
        noise_down_time (float): how quickly it follows softer noise.
        noise_reduction_amount (float): how much of the noise is taken off.
        measure_freq (float): how often in a second it is measured.
        measure_duration (float): how much is measured; None for two periods.
        measure_smooth_time (float): over how long measures are smoothed.
        hp_filter_freq (float): frequencies below are not heard.
        lp_filter_freq (float): frequencies above are not heard.
        hp_lifter_freq (float): pitches below are not heard.
        lp_lifter_freq (float): pitches above are not heard.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: a number is out of range, or ``noise_up_time`` less than ``noise_down_time``.
        RuntimeError: the filters leave nothing.

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
        super().check()
        if self.measure_duration:
            natural_real(self, "measure_duration", self.measure_duration)
        up, down = self.noise_up_time, self.noise_down_time
        if up < down:
            told = "Input noise_up_time should be greater than noise_down_time."
            rule = f"be at least noise_down_time={down}"
            raise ValueError(arguments.format_error(self, "noise_up_time", rule, up, told))
        self.normalise(measure_duration=self.measure_duration or 2.0 / self.measure_freq)

    @property
    def is_batched(self) -> bool:
        return False  # how much stays is another matter for each row

    def row(self, *columns: np.ndarray) -> np.ndarray:
        (x,) = columns
        self.look_at(Spec(x.shape, x.dtype))
        x = as_float(x)
        start = Detector(self).start(packed(x))
        return x[..., start:].copy()
