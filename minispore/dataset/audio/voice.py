"""Where speech begins: pitch in the cepstrum of what is left of a spectrum without its noise.

Source: SoX, the effect ``vad``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Detector:
    """What a ``Vad`` measures, period after period."""

    def __init__(self, vad: Any) -> None:
        rate, freq = vad.sample_rate, vad.measure_freq
        self.vad = vad
        self.size = int(rate * vad.measure_duration + 0.5)
        self.dft = max(16, 1 << max(self.size - 1, 0).bit_length())
        self.period = int(rate / freq + 0.5)
        self.count = math.ceil(vad.search_time * freq)
        before = int(vad.pre_trigger_time * rate + 0.5)
        self.kept = before + self.count * self.period + self.size
        self.band = self._range(
            max(int(vad.hp_filter_freq / rate * self.dft + 0.5), 1),
            min(int(vad.lp_filter_freq / rate * self.dft + 0.5), self.dft // 2),
            "filter",
        )
        self.pitches = self._range(
            math.ceil(rate * 0.5 / vad.lp_lifter_freq),
            min(math.floor(rate * 0.5 / vad.hp_lifter_freq), self.dft // 4),
            "lifter",
        )
        self.smooth, self.up, self.down, self.trigger = (
            math.exp(-1 / (time * freq)) if time else 0.0
            for time in (
                vad.measure_smooth_time, vad.noise_up_time, vad.noise_down_time, vad.trigger_time,
            )
        )  # fmt: skip
        self.boots = int(vad.boot_time * freq - 0.5)
        self.window = _hann(self.size)
        self.lifter = _hann(self.band.stop - self.band.start)

    def _range(self, start: int, stop: int, what: str) -> slice:
        if stop <= start:
            rule = f"be above hp_{what}_freq"
            name = f"lp_{what}_freq"
            raise self.vad.refuse(name, rule, getattr(self.vad, name))
        return slice(start, stop)

    def start(self, x: np.ndarray) -> int:
        """The first sample of (channels, time) that is kept."""
        channels, time = x.shape
        spectrum = np.zeros((channels, self.band.stop - self.band.start))
        noise = spectrum.copy()
        measures, mean = np.zeros((channels, max(self.count, 1))), np.zeros(channels)
        boot, flushed, stop = 0, 0, time
        for number, end in enumerate(range(self.size, time + 1, self.period)):
            keep = boot / (1 + boot) if boot >= 0 else self.smooth
            heard = np.abs(np.fft.rfft(x[:, end - self.size : end] * self.window, self.dft))
            spectrum = spectrum * keep + heard[:, self.band] * (1 - keep)
            power = np.square(spectrum)
            follow = np.where(power > noise, self.up, self.down) if boot < 0 else 0.0
            noise = noise * follow + power * (1 - follow)
            here = number % measures.shape[1]
            measures[:, here] = self._measure(power, noise)
            mean = mean * self.trigger + measures[:, here] * (1 - self.trigger)
            loud = mean >= self.vad.trigger_level
            if loud.any():
                rows = measures[int(loud.argmax()) :]  # the first that is loud, and all after it
                flushed = max(self._flushed(row, here) for row in rows)
                stop = end
                break
            boot = -1 if 0 <= boot == self.boots else boot + (boot >= 0)
        else:
            return max(time - self.kept, 0)
        return max(stop - self.kept + (self.count - flushed) * self.period, 0)

    def _measure(self, power: np.ndarray, noise: np.ndarray) -> np.ndarray:
        left = np.sqrt(np.maximum(power - self.vad.noise_reduction_amount * noise, 0))
        cepstrum = np.zeros((len(left), self.dft // 2))
        cepstrum[:, self.band] = left * self.lifter
        found = np.square(np.abs(np.fft.rfft(cepstrum)[:, self.pitches])).mean(-1)
        with np.errstate(divide="ignore"):  # of silence
            return np.maximum(21 + np.log(found), 0)

    def _flushed(self, measures: np.ndarray, here: int) -> int:
        """How many measures back the speech goes on, over gaps that are short."""
        gap = int(self.vad.allowed_gap * self.vad.measure_freq + 0.5)
        count = len(measures)
        loud = silent = count
        for j in range(count):
            measure = measures[(here - j) % count]
            if measure >= self.vad.trigger_level and j <= loud + gap:
                loud = silent = j
            elif measure == 0 and loud >= silent:
                silent = j
        return min(count - 1, silent)


def _hann(size: int) -> np.ndarray:
    """A periodic Hann window of the height that SoX gives it."""
    return (0.5 - 0.5 * np.cos(np.arange(size) * (2 * math.pi / size))) * (2 / math.sqrt(size))
