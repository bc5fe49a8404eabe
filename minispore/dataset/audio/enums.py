"""Enumerations that are arguments of audio transforms."""

from __future__ import annotations

from enum import Enum


class BorderType(str, Enum):  # noqa: UP042 - str() of a member is "BorderType.EDGE", as in MindSpore
    """Padding values beyond the ends of a signal."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"  # without the last value itself
    SYMMETRIC = "symmetric"  # with the last value itself


class DensityFunction(str, Enum):  # noqa: UP042 - as above, and so for all that follow
    """Distribution of the noise of a dither."""

    TPDF = "TPDF"  # a triangle
    RPDF = "RPDF"  # a rectangle
    GPDF = "GPDF"  # a bell


class FadeShape(str, Enum):  # noqa: UP042
    """Curve of a fade-in or fade-out."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):  # noqa: UP042
    """Quantity that a gain multiplies."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"  # in decibels, which add up


class Interpolation(str, Enum):  # noqa: UP042
    """Interpolation between two samples."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):  # noqa: UP042
    """Variant of the mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):  # noqa: UP042
    """Waveform of a delay's modulation."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):  # noqa: UP042
    """Normalisation of the rows of a cosine transform."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):  # noqa: UP042
    """Normalisation of filters by their widths."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):  # noqa: UP042
    """Window around the sinc of a resampling."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):  # noqa: UP042
    """Quantity that decibels are computed from."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):  # noqa: UP042
    """Window that a frame is multiplied by before its Fourier transform."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
