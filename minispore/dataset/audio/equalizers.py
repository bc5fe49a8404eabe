"""Second-order filters that raise or lower the level of a range of frequencies.

Source: R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients; SoX.
"""

from __future__ import annotations

import math
from typing import Any

from minispore.dataset.audio.biquads import Coefficients, compute_angle, make_biquad_rules
from minispore.dataset.audio.filters import Filter
from minispore.dataset.transforms import arguments

__all__ = ["BassBiquad", "DeemphBiquad", "EqualizerBiquad", "RiaaBiquad", "TrebleBiquad"]


def _make_shelf(gain: float, cos: float, alpha: float, side: int) -> Coefficients:
    """Return coefficients a and b that raise one side of the corner frequency by ``gain`` decibels.

    The side is above (``side`` 1) or below (-1) the corner; ``cos`` and ``alpha`` are as
    ``compute_angle`` returns them.
    """
    amp = 10 ** (gain / 40)
    slope = 2 * math.sqrt(amp) * alpha
    low, high = (amp - 1) * cos * side, (amp + 1) * cos * side
    b = (
        amp * (amp + 1 + low + slope),
        -2 * side * amp * (amp - 1 + high),
        amp * (amp + 1 + low - slope),
    )
    a = (amp + 1 - low + slope, 2 * side * (amp - 1 - high), amp + 1 - low - slope)
    return a, b


class EqualizerBiquad(Filter):
    """Peaking equalizer: raises frequencies around ``center_freq`` by ``gain`` decibels.

    Args:
        center_freq (float): the centre frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.EqualizerBiquad(8, 2.0, -6.0)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.751, -0.0, 0.249]
    """

    sample_rate: int
    center_freq: float
    gain: float
    Q: float = 0.707

    rules = make_biquad_rules("center_freq", "gain")

    def compute_coefficients(self) -> Coefficients:
        cos, alpha = compute_angle(self.sample_rate, self.center_freq, self.Q)
        amp = 10 ** (self.gain / 40)
        b = (1 + alpha * amp, -2 * cos, 1 - alpha * amp)
        return (1 + alpha / amp, -2 * cos, 1 - alpha / amp), b


class BassBiquad(Filter):
    """Bass shelf: raises frequencies below ``central_freq`` by ``gain`` decibels.

    Args:
        central_freq (float): the centre frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.BassBiquad(8, -6.0, 2.0)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.708, -0.285, 0.058]
    """

    sample_rate: int
    gain: float
    central_freq: float = 100.0
    Q: float = 0.707

    rules = make_biquad_rules("central_freq", "gain")

    def compute_coefficients(self) -> Coefficients:
        return _make_shelf(
            self.gain, *compute_angle(self.sample_rate, self.central_freq, self.Q), -1
        )


class TrebleBiquad(Filter):
    """Treble shelf: raises frequencies above ``central_freq`` by ``gain`` decibels.

    Args:
        central_freq (float): the centre frequency, in Hz.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sample_rate`` is 0, or ``Q`` not in (0, 1].
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.TrebleBiquad(8, -6.0, 2.0)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.708, 0.285, 0.058]
    """

    sample_rate: int
    gain: float
    central_freq: float = 3000
    Q: float = 0.707

    rules = make_biquad_rules("central_freq", "gain")

    def compute_coefficients(self) -> Coefficients:
        return _make_shelf(
            self.gain, *compute_angle(self.sample_rate, self.central_freq, self.Q), 1
        )


class DeemphBiquad(Filter):
    """De-emphasis: undo the pre-emphasis of compact discs (a treble shelf, IEC 60908).

    Args:
        sample_rate (int): 44100 or 48000.

    Raises:
        TypeError: ``sample_rate`` is not an int.
        ValueError: ``sample_rate`` is not supported.
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.DeemphBiquad(44100)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.46, 0.201, 0.124]
    """

    sample_rate: int

    def check(self) -> None:
        _check_sample_rate(self, _DEEMPHASIS)

    def compute_coefficients(self) -> Coefficients:
        centre, slope, gain = _DEEMPHASIS[self.sample_rate]
        cos, half = compute_angle(self.sample_rate, centre, 1.0)
        amp = 10 ** (gain / 40)
        return _make_shelf(gain, cos, half * math.sqrt((amp + 1 / amp) * (1 / slope - 1) + 2), 1)


# By sample rate: the centre, the slope, and the gain of the shelf (SoX).
_DEEMPHASIS = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}


class RiaaBiquad(Filter):
    """RIAA equalization: undo the pre-emphasis of vinyl records.

    Args:
        sample_rate (int): 44100, 48000, 88200 or 96000.

    Raises:
        TypeError: ``sample_rate`` is not an int.
        ValueError: ``sample_rate`` is not supported.
        RuntimeError: the row does not hold floats.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> np.round(audio.RiaaBiquad(44100)(np.array([1.0, 0.0, 0.0])), 3).tolist()
        [0.238, 0.233, 0.185]
    """

    sample_rate: int

    def check(self) -> None:
        _check_sample_rate(self, _RIAA)

    def compute_coefficients(self) -> Coefficients:
        """Return the coefficients of the tabulated zeros and poles, with gain 1 at 1 kHz."""
        zeros, poles = _RIAA[self.sample_rate]
        b, a = ((1.0, -(p + q), p * q) for p, q in (zeros, poles))
        w = 2 * math.pi * 1000 / self.sample_rate  # the gain at 1 kHz is 1
        turn = complex(math.cos(w), -math.sin(w))
        gain = abs(a[0] + a[1] * turn + a[2] * turn**2) / abs(b[0] + b[1] * turn + b[2] * turn**2)
        return a, tuple(gain * v for v in b)


# By sample rate: the zeros and the poles (SoX).
_RIAA = {
    44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
    48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
    88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
    96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
}


def _check_sample_rate(transform: Any, supported: dict[int, Any]) -> None:
    """Raise TypeError or ValueError unless ``transform.sample_rate`` is an int and in
    ``supported``.
    """
    rate = transform.sample_rate
    if isinstance(rate, bool) or not isinstance(rate, int):
        raise arguments.wrong_type(transform, "sample_rate", "be an int", rate, int)
    if rate not in supported:
        choices = " or ".join(map(str, supported))
        detail = f"Argument sample_rate should be {choices}."
        raise ValueError(
            arguments.format_error(transform, "sample_rate", f"be {choices}", rate, detail)
        )
