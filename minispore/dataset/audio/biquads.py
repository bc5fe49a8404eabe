"""Second-order filters that pass or reject a range of frequencies.

Source: R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients; SoX.
"""

from __future__ import annotations

import math

from minispore.dataset.audio.base import Rule, flag, not_zero_int, real
from minispore.dataset.audio.filters import Filter

__all__ = [
    "AllpassBiquad",
    "BandBiquad",
    "BandpassBiquad",
    "BandrejectBiquad",
    "HighpassBiquad",
    "LowpassBiquad",
]

Coefficients = tuple[tuple[float, ...], tuple[float, ...]]


def make_biquad_rules(frequency: str, *names: str) -> dict[str, Rule]:
    """Return a filter's argument rules: of the sample rate, ``frequency``, Q and ``names``."""
    rules = {"sample_rate": not_zero_int, frequency: real()}
    optional_rules = {
        "gain": real(),
        "Q": real(0, 1, "(]"),
        "noise": flag,
        "const_skirt_gain": flag,
    }
    return {**rules, **{name: optional_rules[name] for name in (*names, "Q")}}


def compute_angle(sample_rate: int, frequency: float, quality: float) -> tuple[float, float]:
    """Return cos(w) and sin(w) / 2Q, where w is the frequency as an angle per sample."""
    w = 2 * math.pi * frequency / sample_rate
    return math.cos(w), math.sin(w) / 2 / quality


class _CutoffFilter(Filter):
    """Base of filters that pass the frequencies on one side of ``cutoff_freq``."""

    sample_rate: int
    cutoff_freq: float
    Q: float = 0.707

    rules = make_biquad_rules("cutoff_freq")

    def _make_coefficients(self, side: int) -> Coefficients:
        """Return a and b of a highpass (``side`` 1) or lowpass (``side`` -1) filter."""
        cos, alpha = compute_angle(self.sample_rate, self.cutoff_freq, self.Q)
        b = (1 + side * cos) / 2
        return (1 + alpha, -2 * cos, 1 - alpha), (b, -2 * side * b, b)


class LowpassBiquad(_CutoffFilter):
    """Lowpass filter: frequencies below ``cutoff_freq`` pass.

    Args:
        cutoff_freq (float): the cutoff frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.LowpassBiquad(8, 2.0, 0.5)(np.ones(4)), 3).tolist()
        [0.25, 0.75, 1.0, 1.0]
    """

    def compute_coefficients(self) -> Coefficients:
        return self._make_coefficients(-1)


class HighpassBiquad(_CutoffFilter):
    """Highpass filter: frequencies above ``cutoff_freq`` pass.

    Args:
        cutoff_freq (float): the cutoff frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.HighpassBiquad(8, 2.0, 0.5)(np.ones(4)), 3).tolist()
        [0.25, -0.25, -0.0, -0.0]
    """

    def compute_coefficients(self) -> Coefficients:
        return self._make_coefficients(1)


class _CentreFilter(Filter):
    """Base of filters that act on frequencies around ``central_freq``."""

    sample_rate: int
    central_freq: float
    Q: float = 0.707

    rules = make_biquad_rules("central_freq")

    def _make_coefficients(self, *b: float) -> Coefficients:
        """Return the feedback coefficients a that all these filters share, and ``b`` as given."""
        cos, alpha = compute_angle(self.sample_rate, self.central_freq, self.Q)
        return (1 + alpha, -2 * cos, 1 - alpha), b


class AllpassBiquad(_CentreFilter):
    """Allpass filter: all frequencies pass, those around ``central_freq`` with a delay.

    Args:
        central_freq (float): the centre frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.AllpassBiquad(8, 2.0, 1.0)(np.array([0.9, 0.0, 0.0])), 3).tolist()
        [0.3, -0.0, 0.8]
    """

    def compute_coefficients(self) -> Coefficients:
        cos, alpha = compute_angle(self.sample_rate, self.central_freq, self.Q)
        return self._make_coefficients(1 - alpha, -2 * cos, 1 + alpha)


class BandrejectBiquad(_CentreFilter):
    """Band-reject filter: frequencies around ``central_freq`` are removed.

    Args:
        central_freq (float): the centre frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.BandrejectBiquad(8, 2.0, 0.5)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.5, -0.0, 0.5]
    """

    def compute_coefficients(self) -> Coefficients:
        cos, _ = compute_angle(self.sample_rate, self.central_freq, self.Q)
        return self._make_coefficients(1.0, -2 * cos, 1.0)


class BandpassBiquad(_CentreFilter):
    """Bandpass filter: frequencies around ``central_freq`` pass.

    Args:
        central_freq (float): the centre frequency, in Hz.
        const_skirt_gain (bool): whether the peak gain is ``Q``; else it is 1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.BandpassBiquad(8, 2.0, 0.5)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.5, 0.0, -0.5]
    """

    const_skirt_gain: bool = False

    rules = make_biquad_rules("central_freq", "const_skirt_gain")

    def compute_coefficients(self) -> Coefficients:
        _, alpha = compute_angle(self.sample_rate, self.central_freq, self.Q)
        b = alpha * self.Q if self.const_skirt_gain else alpha
        return self._make_coefficients(b, 0.0, -b)


class BandBiquad(_CentreFilter):
    """Band filter: frequencies around ``central_freq`` pass, others are attenuated with distance.

    Args:
        central_freq (float): the centre frequency, in Hz.
        noise (bool): whether the sound is noise-like, rather than pitched.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.BandBiquad(8, 2.0)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.892, 0.0, -0.097]
    """

    noise: bool = False

    rules = make_biquad_rules("central_freq", "noise")

    def compute_coefficients(self) -> Coefficients:
        """Return the coefficients of a resonance; ``noise`` chooses the gain for noise."""
        width = self.central_freq / self.Q
        a2 = math.exp(-2 * math.pi * width / self.sample_rate)
        cos, _ = compute_angle(self.sample_rate, self.central_freq, self.Q)
        a1 = -4 * a2 / (1 + a2) * cos
        if self.noise:
            b = math.sqrt(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2))
        else:
            b = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        return (1.0, a1, a2), (b, 0.0, 0.0)
