"""Windows, pieces of a signal, their Fourier transforms, and the way back."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, cast

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from minispore.dataset.audio.enums import BorderType, WindowType

KAISER_BETA = 12.0
_MODES = {BorderType.CONSTANT: "constant", BorderType.EDGE: "edge"}
_MODES |= {BorderType.REFLECT: "reflect", BorderType.SYMMETRIC: "symmetric"}


@lru_cache(maxsize=32)
def window(kind: WindowType, length: int, size: int) -> np.ndarray:
    """A periodic window in the middle of ``size`` zeros; not to be written into."""
    turn = np.arange(length) * (2 * math.pi / length)
    if length == 1:
        values = np.ones(1)
    elif kind is WindowType.BARTLETT:
        values = 1 - np.abs(turn / math.pi - 1)
    elif kind is WindowType.BLACKMAN:
        values = 0.42 - 0.5 * np.cos(turn) + 0.08 * np.cos(2 * turn)
    elif kind is WindowType.HAMMING:
        values = 0.54 - 0.46 * np.cos(turn)
    elif kind is WindowType.HANN:
        values = 0.5 - 0.5 * np.cos(turn)
    else:
        arc = np.sqrt(np.maximum(1 - (turn / math.pi - 1) ** 2, 0))
        values = np.i0(KAISER_BETA * arc) / np.i0(KAISER_BETA)
    left = (size - length) // 2
    out = np.pad(values, (left, size - length - left)).astype(np.float32)
    out.flags.writeable = False
    return out


def padded(x: np.ndarray, left: int, right: int, mode: BorderType) -> np.ndarray:
    """The last axis continued on both sides."""
    around = [(0, 0)] * (x.ndim - 1) + [(left, right)]
    if not left and not right:
        return x
    if not x.size:
        return np.zeros((*x.shape[:-1], x.shape[-1] + left + right), x.dtype)
    return np.pad(x, around, mode=cast(Literal["constant"], _MODES[mode]))


def pieces(x: np.ndarray, size: int, hop: int) -> np.ndarray:
    """(..., time) -> (..., piece, size), one each ``hop`` samples; a view."""
    return sliding_window_view(x, size, axis=-1)[..., ::hop, :]


def stft(x: np.ndarray, win: np.ndarray, hop: int) -> np.ndarray:
    """(..., time) -> (..., freq, piece), the lower half of the frequencies."""
    spectrum = np.fft.rfft(pieces(x, len(win), hop) * win, axis=-1)
    kind = np.complex128 if x.dtype == np.float64 else np.complex64
    return spectrum.astype(kind, copy=False).swapaxes(-1, -2)


def istft(spectrum: np.ndarray, win: np.ndarray, hop: int, center: bool, length: int) -> np.ndarray:
    """(rows, freq, piece) -> (rows, time) in float64, what :func:`stft` was made of.

    ``length`` 0 takes what the pieces cover, without the padding of the first and the last.
    """
    size = len(win)
    if length:
        whole = length + size if center else length
        spectrum = spectrum[..., : max(1, math.ceil(whole / hop))]
    count = spectrum.shape[-1]
    parts = np.fft.irfft(spectrum.astype(np.complex128).swapaxes(-1, -2), size, axis=-1)
    y = _added(parts * win, hop)
    squares = np.broadcast_to(win.astype(np.float64) ** 2, (1, count, size))
    weight = _added(squares, hop)
    np.divide(y, weight, out=y, where=weight > np.finfo(np.float32).tiny)
    start = size // 2 if center else 0
    if not length and center:
        return y[:, start : y.shape[1] - start]
    y = y[:, start : start + length]
    return np.pad(y, ((0, 0), (0, length - y.shape[1])))


def _added(parts: np.ndarray, hop: int) -> np.ndarray:
    """(rows, piece, size) -> (rows, time): each begins ``hop`` samples after the one before."""
    rows, count, size = parts.shape
    steps = -(-size // hop)
    out = np.zeros((rows, count + steps, hop))
    for step in range(steps):
        part = parts[..., step * hop : (step + 1) * hop]
        out[:, step : step + count, : part.shape[-1]] += part
    return out.reshape(rows, (count + steps) * hop)[:, : size + hop * (count - 1)]


def magnitudes(spectrum: np.ndarray, power: float) -> np.ndarray:
    """|z|^power; (..., 2) of real and imaginary parts if ``power`` is 0."""
    if power == 0:
        return np.stack([spectrum.real, spectrum.imag], axis=-1)
    if power == 1:
        return np.ascontiguousarray(np.abs(spectrum))
    squares = np.ascontiguousarray(spectrum.real**2 + spectrum.imag**2)
    return squares if power == 2 else squares ** squares.dtype.type(power / 2)


def as_complex(x: np.ndarray) -> np.ndarray:
    """(..., 2) of real and imaginary parts as complex numbers."""
    pairs = np.ascontiguousarray(x)
    kind = np.complex128 if x.dtype == np.float64 else np.complex64
    return pairs.view(kind)[..., 0]
