"""The enumerations that transforms of sound take."""

from __future__ import annotations

from enum import Enum


class BorderType(str, Enum):  # noqa: UP042 - str() of a member is "BorderType.EDGE", as in MindSpore
    """What a signal is continued with beyond its ends."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"  # without the last value itself
    SYMMETRIC = "symmetric"  # with the last value itself


class DensityFunction(str, Enum):  # noqa: UP042 - as above, and so for all that follow
    """How the noise of a dither is distributed."""

    TPDF = "TPDF"  # a triangle
    RPDF = "RPDF"  # a rectangle
    GPDF = "GPDF"  # a bell


class FadeShape(str, Enum):  # noqa: UP042
    """The curve along which a sound comes and goes."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):  # noqa: UP042
    """What a gain is a factor of."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"  # decibels, which are added


class Interpolation(str, Enum):  # noqa: UP042
    """How to read between two samples."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):  # noqa: UP042
    """Whose scale of pitches."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):  # noqa: UP042
    """The wave by which a delay goes up and down."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):  # noqa: UP042
    """Whether the rows of a cosine transform have length one."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):  # noqa: UP042
    """Whether filters are divided by their widths."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):  # noqa: UP042
    """The window around the sinc of a resampling."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):  # noqa: UP042
    """What decibels are told of."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):  # noqa: UP042
    """The window that a piece of sound is multiplied by before its Fourier transform."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
