"""Detection of the start of speech, from the cepstrum of the noise-reduced spectrum.

Source: SoX, the effect ``vad``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class SpeechDetector:
    """Finds where speech begins in one row of audio; made by ``Vad`` for each row."""

    def __init__(self, vad: Any) -> None:
        """Compute lengths in samples, frequency bands and smoothing factors from a Vad's arguments.

        Raises:
            RuntimeError: the band between two filters is empty.
        """
        rate, freq = vad.sample_rate, vad.measure_freq
        self.vad = vad
        self.window_size = int(rate * vad.measure_duration + 0.5)
        self.dft_size = max(16, 1 << max(self.window_size - 1, 0).bit_length())
        self.period = int(rate / freq + 0.5)
        self.measure_count = math.ceil(vad.search_time * freq)
        pre_trigger_samples = int(vad.pre_trigger_time * rate + 0.5)
        self.retained_samples = pre_trigger_samples + self.window_size
        self.retained_samples += self.measure_count * self.period
        self.band = self._make_range(
            max(int(vad.hp_filter_freq / rate * self.dft_size + 0.5), 1),
            min(int(vad.lp_filter_freq / rate * self.dft_size + 0.5), self.dft_size // 2),
            "filter",
        )
        self.pitch_band = self._make_range(
            math.ceil(rate * 0.5 / vad.lp_lifter_freq),
            min(math.floor(rate * 0.5 / vad.hp_lifter_freq), self.dft_size // 4),
            "lifter",
        )
        self.smooth = _compute_smoothing(vad.measure_smooth_time, freq)
        self.noise_up = _compute_smoothing(vad.noise_up_time, freq)
        self.noise_down = _compute_smoothing(vad.noise_down_time, freq)
        self.trigger = _compute_smoothing(vad.trigger_time, freq)
        self.boot_measures = int(vad.boot_time * freq - 0.5)
        self.window = _make_hann_window(self.window_size)
        self.lifter = _make_hann_window(self.band.stop - self.band.start)

    def _make_range(self, start: int, stop: int, filter_name: str) -> slice:
        """Return the slice of a band between two filters; raise RuntimeError for an empty band.

        ``filter_name`` is the middle of the arguments' names, "filter" or "lifter".
        """
        if stop <= start:
            rule = f"be above hp_{filter_name}_freq"
            name = f"lp_{filter_name}_freq"
            raise self.vad.make_error(name, rule, getattr(self.vad, name))
        return slice(start, stop)

    def find_start(self, x: np.ndarray) -> int:
        """Return the index of the first sample of (channels, time) to keep.

        Speech is found once one channel triggers; without any speech only the last
        ``retained_samples`` are kept.
        """
        channels, time = x.shape
        spectrum = np.zeros((channels, self.band.stop - self.band.start))
        noise = spectrum.copy()
        measures, mean = np.zeros((channels, max(self.measure_count, 1))), np.zeros(channels)
        boot_count, speech_measures, stop = 0, 0, time
        for index, end in enumerate(range(self.window_size, time + 1, self.period)):
            is_booting = boot_count >= 0
            smoothing = boot_count / (1 + boot_count) if is_booting else self.smooth
            samples = x[:, end - self.window_size : end] * self.window
            magnitudes = np.abs(np.fft.rfft(samples, self.dft_size))
            spectrum = spectrum * smoothing + magnitudes[:, self.band] * (1 - smoothing)
            power = np.square(spectrum)
            noise_smoothing: Any = 0.0
            if not is_booting:
                noise_smoothing = np.where(power > noise, self.noise_up, self.noise_down)
            noise = noise * noise_smoothing + power * (1 - noise_smoothing)
            slot = index % measures.shape[1]
            measures[:, slot] = self._measure_voice(power, noise)
            mean = mean * self.trigger + measures[:, slot] * (1 - self.trigger)
            is_triggered = mean >= self.vad.trigger_level
            if is_triggered.any():
                rows = measures[int(is_triggered.argmax()) :]  # from the first triggered channel on
                speech_measures = max(self._count_speech_measures(row, slot) for row in rows)
                stop = end
                break
            if is_booting:
                boot_count = -1 if boot_count == self.boot_measures else boot_count + 1
        else:
            return max(time - self.retained_samples, 0)
        silent_samples = (self.measure_count - speech_measures) * self.period
        return max(stop - self.retained_samples + silent_samples, 0)

    def _measure_voice(self, power: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """Return a measure of voice per channel, at least 0: the log power of the cepstrum's pitch
        band.

        ``power`` and ``noise`` are power spectra (channels, bin) of the band.
        """
        denoised = np.sqrt(np.maximum(power - self.vad.noise_reduction_amount * noise, 0))
        cepstrum = np.zeros((len(denoised), self.dft_size // 2))
        cepstrum[:, self.band] = denoised * self.lifter
        pitch_power = np.square(np.abs(np.fft.rfft(cepstrum)[:, self.pitch_band])).mean(-1)
        with np.errstate(divide="ignore"):  # the power of silence is 0
            return np.maximum(21 + np.log(pitch_power), 0)  # SoX's scale: soft voice counts as 0

    def _count_speech_measures(self, measures: np.ndarray, slot: int) -> int:
        """Return how many measures ago the speech began; gaps are at most ``allowed_gap``.

        ``measures`` is a ring buffer of one channel, whose latest measure is at ``slot``.
        """
        gap = int(self.vad.allowed_gap * self.vad.measure_freq + 0.5)
        count = len(measures)
        last_loud = last_silent = count
        for j in range(count):
            measure = measures[(slot - j) % count]
            if measure >= self.vad.trigger_level and j <= last_loud + gap:
                last_loud = last_silent = j
            elif measure == 0 and last_loud >= last_silent:
                last_silent = j
        return min(count - 1, last_silent)


def _compute_smoothing(time: float, freq: float) -> float:
    """Return the factor of an exponential mean per measure, for a time constant in seconds.

    ``freq`` is the number of measures per second.
    """
    return math.exp(-1 / (time * freq)) if time else 0.0


def _make_hann_window(size: int) -> np.ndarray:
    """Return a periodic Hann window with SoX's normalisation."""
    return (0.5 - 0.5 * np.cos(np.arange(size) * (2 * math.pi / size))) * (2 / math.sqrt(size))
