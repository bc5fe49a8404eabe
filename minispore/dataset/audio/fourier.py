"""Windows, frames of a signal, the short-time Fourier transform and its inverse."""

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
def make_window(kind: WindowType, length: int, size: int) -> np.ndarray:
    """Return a periodic window of ``length`` values, centred in ``size`` values of float32.

    The others are 0. The array is cached and read-only.
    """
    angle = np.arange(length) * (2 * math.pi / length)
    if length == 1:
        values = np.ones(1)
    elif kind is WindowType.BARTLETT:
        values = 1 - np.abs(angle / math.pi - 1)
    elif kind is WindowType.BLACKMAN:
        values = 0.42 - 0.5 * np.cos(angle) + 0.08 * np.cos(2 * angle)
    elif kind is WindowType.HAMMING:
        values = 0.54 - 0.46 * np.cos(angle)
    elif kind is WindowType.HANN:
        values = 0.5 - 0.5 * np.cos(angle)
    else:
        arc = np.sqrt(np.maximum(1 - (angle / math.pi - 1) ** 2, 0))
        values = np.i0(KAISER_BETA * arc) / np.i0(KAISER_BETA)
    left = (size - length) // 2
    out = np.pad(values, (left, size - length - left)).astype(np.float32)
    out.flags.writeable = False
    return out


def pad_signal(x: np.ndarray, left: int, right: int, mode: BorderType) -> np.ndarray:
    """Pad the last axis on both sides; return ``x`` itself if both lengths are 0.

    An empty array is padded with zeros in any mode.
    """
    pads = [(0, 0)] * (x.ndim - 1) + [(left, right)]
    if not left and not right:
        return x
    if not x.size:
        return np.zeros((*x.shape[:-1], x.shape[-1] + left + right), x.dtype)
    return np.pad(x, pads, mode=cast(Literal["constant"], _MODES[mode]))


def view_frames(x: np.ndarray, size: int, hop: int) -> np.ndarray:
    """Return a view of (..., time) as overlapping frames (..., frame, size).

    A frame begins every ``hop`` samples; the last may not reach the end.
    """
    return sliding_window_view(x, size, axis=-1)[..., ::hop, :]


def stft(x: np.ndarray, win: np.ndarray, hop: int) -> np.ndarray:
    """Return the short-time Fourier transform: (..., time) -> (..., freq, frame).

    It is complex128 for float64, else complex64. Each frame is multiplied by the window ``win``,
    and has len(win) // 2 + 1 frequencies.
    """
    spectrum = np.fft.rfft(view_frames(x, len(win), hop) * win, axis=-1)
    dtype = np.complex128 if x.dtype == np.float64 else np.complex64
    return spectrum.astype(dtype, copy=False).swapaxes(-1, -2)


def istft(spectrum: np.ndarray, win: np.ndarray, hop: int, center: bool, length: int) -> np.ndarray:
    """Invert :func:`stft`: (rows, freq, frame) -> (rows, time) in float64.

    With ``center``, half a window of padding is cut off at the beginning. The result has ``length``
    samples, zeros where frames are missing; with 0 it is the range covered by the frames, with
    ``center`` without half a window at each end.
    """
    size = len(win)
    if length:
        padded_length = length + size if center else length
        spectrum = spectrum[..., : max(1, math.ceil(padded_length / hop))]
    count = spectrum.shape[-1]
    frames = np.fft.irfft(spectrum.astype(np.complex128).swapaxes(-1, -2), size, axis=-1)
    y = _overlap_add(frames * win, hop)
    squares = np.broadcast_to(win.astype(np.float64) ** 2, (1, count, size))
    weight = _overlap_add(squares, hop)
    np.divide(y, weight, out=y, where=weight > np.finfo(np.float32).tiny)
    start = size // 2 if center else 0
    if not length and center:
        return y[:, start : y.shape[1] - start]
    y = y[:, start : start + length]
    return np.pad(y, ((0, 0), (0, length - y.shape[1])))


def _overlap_add(frames: np.ndarray, hop: int) -> np.ndarray:
    """Add overlapping frames: (rows, frame, size) -> (rows, time).

    Each frame begins ``hop`` samples after the previous one.
    """
    rows, count, size = frames.shape
    steps = -(-size // hop)
    out = np.zeros((rows, count + steps, hop))
    for step in range(steps):
        columns = frames[..., step * hop : (step + 1) * hop]
        out[:, step : step + count, : columns.shape[-1]] += columns
    return out.reshape(rows, (count + steps) * hop)[:, : size + hop * (count - 1)]


def compute_magnitudes(spectrum: np.ndarray, power: float) -> np.ndarray:
    """Return |z|^power, or the real and imaginary parts (..., 2) if ``power`` is 0.

    The dtype is that of the parts.
    """
    if power == 0:
        return np.stack([spectrum.real, spectrum.imag], axis=-1)
    if power == 1:
        return np.ascontiguousarray(np.abs(spectrum))
    squares = np.ascontiguousarray(spectrum.real**2 + spectrum.imag**2)
    return squares if power == 2 else squares ** squares.dtype.type(power / 2)


def view_as_complex(x: np.ndarray) -> np.ndarray:
    """Return real and imaginary parts (..., 2) as complex numbers, a view if ``x`` is contiguous.

    They are complex128 for float64, else complex64.
    """
    pairs = np.ascontiguousarray(x)
    dtype = np.complex128 if x.dtype == np.float64 else np.complex64
    return pairs.view(dtype)[..., 0]
