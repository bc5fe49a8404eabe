"""Filter banks and the cosine transform, as matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    linspace,
    natural,
    natural_real,
    one_of,
    positive,
    positive_real,
)
from minispore.dataset.audio.enums import MelType, NormMode, NormType
from minispore.dataset.transforms import arguments

__all__ = ["create_dct", "linear_fbanks", "melscale_fbanks"]

# Slaney's scale is linear up to 1000 Hz, which is 15 mel; above, 27 mel correspond to a factor 6.4.
_LINEAR_HZ, _LINEAR_MEL, _LOG_STEP = 1000.0, 15.0, math.log(6.4) / 27


def create_dct(n_mfcc: int, n_mels: int, norm: NormMode = NormMode.NONE) -> np.ndarray:
    """2 cos(pi (i + 1/2) j / n_mels), the matrix (n_mels, n_mfcc) of a cosine transform.

    Args:
        n_mfcc (int): the number of coefficients.
        n_mels (int): the number of input values.
        norm (NormMode): ORTHO scales the columns to norm 1.

    Returns:
        A float32 array (n_mels, n_mfcc).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is not positive.

    Example:
        >>> from minispore.dataset import audio
        >>> audio.create_dct(2, 2, audio.NormMode.ORTHO).round(3).tolist()
        [[0.7070000171661377, 0.7070000171661377], [0.7070000171661377, -0.7070000171661377]]
    """
    for name, value in (("n_mfcc", n_mfcc), ("n_mels", n_mels)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise arguments.wrong_type("create_dct", name, "be an int", value, int)
    one_of(NormMode)("create_dct", "norm", norm)
    for name, value in (("n_mfcc", n_mfcc), ("n_mels", n_mels)):
        positive("create_dct", name, value)
    return make_dct(n_mfcc, n_mels, norm)


def make_dct(n_mfcc: int, n_mels: int, norm: NormMode) -> np.ndarray:
    """Return the matrix of :func:`create_dct`, without its checks; ``n_mfcc`` may be 0."""
    angle = math.pi / n_mels * np.outer(np.arange(n_mels) + 0.5, np.arange(n_mfcc))
    out = np.cos(angle) * (math.sqrt(2 / n_mels) if norm is NormMode.ORTHO else 2)
    if norm is NormMode.ORTHO:
        out[:, :1] *= math.sqrt(0.5)
    return out.astype(np.float32)


def linear_fbanks(
    n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int
) -> np.ndarray:
    """Triangular filters of equal width, evenly spaced from ``f_min`` to ``f_max``.

    Args:
        n_freqs (int): the number of frequencies from 0 to half the sample rate.
        f_min (float): the start of the first triangle, in Hz.
        f_max (float): the end of the last triangle, in Hz.
        n_filter (int): the number of triangles.
        sample_rate (int): samples per second.

    Returns:
        A float32 array (n_freqs, n_filter).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``f_min`` is more than ``f_max``.

    Example:
        >>> from minispore.dataset import audio
        >>> audio.linear_fbanks(5, 0.0, 4.0, 3, 8).tolist()[2]
        [0.0, 1.0, 0.0]
    """
    _check_bank_arguments(
        "linear_fbanks", n_freqs, f_min, f_max, ("n_filter", n_filter), sample_rate
    )
    return _make_triangles(n_freqs, linspace(f_min, f_max, n_filter + 2, np.float32), sample_rate)


def melscale_fbanks(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
) -> np.ndarray:
    """Triangular filters from ``f_min`` to ``f_max``, evenly spaced on the mel scale.

    Args:
        n_freqs (int): the number of frequencies from 0 to half the sample rate.
        f_min (float): the start of the first triangle, in Hz.
        f_max (float): the end of the last triangle, in Hz.
        n_mels (int): the number of triangles.
        sample_rate (int): samples per second.
        norm (NormType): ``SLANEY`` divides each triangle by its width.
        mel_type (MelType): the formula of the mel scale.

    Returns:
        A float32 array (n_freqs, n_mels).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``f_min`` is more than ``f_max``.

    Example:
        >>> from minispore.dataset import audio
        >>> audio.melscale_fbanks(9, 0.0, 4000.0, 2, 8000).argmax(0).tolist()
        [1, 4]
    """
    api_name = "melscale_fbanks"
    _check_bank_arguments(api_name, n_freqs, f_min, f_max, ("n_mels", n_mels), sample_rate)
    one_of(NormType)(api_name, "norm", norm)
    one_of(MelType)(api_name, "mel_type", mel_type)
    return make_mel_filters(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type, np.float32)


def _check_bank_arguments(
    api_name: str,
    n_freqs: int,
    f_min: float,
    f_max: float,
    count: tuple[str, int],
    sample_rate: int,
) -> None:
    """Check the arguments of a filter bank.

    ``count`` is the name and value of its number of filters.

    Raises:
        TypeError, ValueError: an argument has a wrong type or is out of range.
    """
    natural(api_name, "n_freqs", n_freqs)
    natural_real(api_name, "f_min", f_min)
    positive_real(api_name, "f_max", f_max)
    check_frequency_order(api_name, f_min, f_max)
    positive(api_name, *count)
    positive(api_name, "sample_rate", sample_rate)


def check_frequency_order(transform: object, f_min: float, f_max: float) -> None:
    """Raise ValueError if ``f_min`` exceeds ``f_max``."""
    if f_min > f_max:
        detail = f"Input f_min should be no more than f_max: f_max should be greater than {f_min}."
        raise ValueError(
            arguments.format_error(transform, "f_min", f"be at most f_max={f_max}", f_min, detail)
        )


def make_mel_filters(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType,
    mel_type: MelType,
    dtype: Any,
) -> np.ndarray:
    """Return the triangular filters (n_freqs, n_mels) of a mel scale, computed in ``dtype``.

    The arguments are as in :func:`melscale_fbanks`, but are not checked.
    """
    low, high = (_to_mel(f, mel_type) for f in (f_min, f_max))
    points = _to_hz(linspace(low, high, n_mels + 2, dtype), mel_type).astype(dtype)
    out = _make_triangles(n_freqs, points, sample_rate)
    return out * (2 / (points[2:] - points[:-2])) if norm is NormType.SLANEY else out


def _to_mel(f: float, mel_type: MelType) -> float:
    """Return the mel of a frequency in Hz."""
    if mel_type is MelType.HTK:
        return 2595 * math.log10(1 + f / 700)
    if f < _LINEAR_HZ:
        return f * _LINEAR_MEL / _LINEAR_HZ
    return _LINEAR_MEL + math.log(f / _LINEAR_HZ) / _LOG_STEP


def _to_hz(mel: np.ndarray, mel_type: MelType) -> np.ndarray:
    """Return the frequencies in Hz of an array of mels, in float64."""
    mel = mel.astype(np.float64)
    if mel_type is MelType.HTK:
        return 700 * (10 ** (mel / 2595) - 1)
    above = _LINEAR_HZ * np.exp(_LOG_STEP * (mel - _LINEAR_MEL))
    return np.where(mel < _LINEAR_MEL, mel * _LINEAR_HZ / _LINEAR_MEL, above)


def _make_triangles(n_freqs: int, points: np.ndarray, sample_rate: int) -> np.ndarray:
    """Return the filters (n_freqs, len(points) - 2), with peak 1 and never negative.

    A filter rises from one of ``points``, in Hz, to the next, and falls to the third. Frequencies
    go from 0 to half the sample rate.
    """
    freqs = linspace(0, sample_rate / 2, n_freqs, points.dtype)[:, None]
    widths = np.diff(points)
    with np.errstate(divide="ignore", invalid="ignore"):  # two points may be equal
        up, down = (freqs - points[:-2]) / widths[:-1], (points[2:] - freqs) / widths[1:]
    return np.maximum(np.minimum(up, down), 0)
