"""The short-time Fourier transform."""

from __future__ import annotations

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.complex_numbers import Real, view_as_real
from minispore.ops.index.gather import Gather
from minispore.ops.linalg.fourier import fft, rfft
from minispore.ops.linalg.solving import transpose_matrices
from minispore.ops.shape.cast_fill import Ones, Zeros
from minispore.ops.shape.join import Concat
from minispore.ops.support.arguments import check_tensors
from minispore.ops.support.derive import _Composite


class STFT(_Composite):
    """Fourier transforms of overlapping frames of a signal.

    Args:
        n_fft: the length of a frame.
        hop_length: the distance between frames.
        win_length: the length of the window, which is centred in a frame.
        normalized: divide by the square root of n_fft.
        onesided: for a real signal, return only the half of the spectrum that determines the rest.
        return_complex: return complex numbers, else real and imaginary parts along a new last axis.

    Shape: x: (L,) or (B, L); window: (win_length,); output: (..., frequencies, frames).

    >>> x, window = Tensor(np.ones(8, np.float32)), Tensor(np.ones(4, np.float32))
    >>> print(STFT(4, 4, 4, False, True, True)(x, window))
    [[4.+0.j 4.+0.j]
     [0.+0.j 0.+0.j]
     [0.+0.j 0.+0.j]]
    """

    n_fft: int
    hop_length: int
    win_length: int
    normalized: bool
    onesided: bool
    return_complex: bool

    def check(self) -> None:
        """Check the lengths and flags, and that the window is not longer than a frame."""
        for name in ("n_fft", "hop_length", "win_length"):
            checks.integer(self.name, name, getattr(self, name), 1)
        for name in ("normalized", "onesided", "return_complex"):
            checks.boolean(self.name, name, getattr(self, name))
        if self.win_length > self.n_fft:
            raise ValueError(
                f"{self.name}: win_length must be <= n_fft {self.n_fft}, got {self.win_length}."
            )

    def __call__(self, x: Tensor, window: Tensor) -> Tensor:
        """Extract frames of n_fft samples, multiply them by the centred window and transform them.

        Returns (..., frequencies, frames).
        """
        if x.ndim not in (1, 2) or x.shape[-1] < self.n_fft:
            raise ValueError(
                f"{self.name}: x must have the axes (L,) or (B, L) with L >= n_fft {self.n_fft}, "
                f"got shape {x.shape}."
            )
        if window.shape != (self.win_length,):
            raise ValueError(
                f"{self.name}: window must have the shape ({self.win_length},), got {window.shape}."
            )
        left = (self.n_fft - self.win_length) // 2
        right = self.n_fft - self.win_length - left
        if left or right:
            ends = [Zeros()((n,), window.dtype) for n in (left, right)]
            window = Concat(0)((ends[0], window, ends[1]))
        starts = np.arange(0, x.shape[-1] - self.n_fft + 1, self.hop_length)
        sample_indices = Tensor(starts[:, None] + np.arange(self.n_fft))
        frames = Gather()(x, sample_indices, x.ndim - 1) * window
        spectrum = (rfft if self.onesided else fft)(frames)
        if self.normalized:
            spectrum = spectrum / self.n_fft**0.5
        spectrum = transpose_matrices(spectrum)
        return spectrum if self.return_complex else view_as_real(spectrum)


def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """Apply :class:`STFT` to ``x``.

    Args:
        x: the signal, (L,) or (B, L).
        n_fft: the length of a frame.
        hop_length: the distance between frames, by default n_fft // 4.
        win_length: the length of the window, by default n_fft.
        window: the weights of the window, by default 1.
        center: mirror the signal at its ends, so that frames are centred on their positions.
        pad_mode: "REFLECT".
        normalized: divide by the square root of n_fft.
        onesided: by default True for a real signal.
        return_complex: by default True for a complex signal.

    >>> stft(Tensor(np.ones(16, np.float32)), 8).shape
    (5, 9, 2)
    """
    check_tensors("stft", x=x)
    checks.integer("stft", "n_fft", n_fft, 1)
    if pad_mode.upper() != "REFLECT":
        raise ValueError(f"stft: pad_mode must be 'REFLECT', got {pad_mode!r}.")
    is_complex = x.dtype.kind == "c"
    if onesided and is_complex:
        raise ValueError("stft: onesided must be False for a complex signal.")
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if window is None:
        window = Ones()((length,), Real()(x).dtype if is_complex else x.dtype)
    if center:
        pad, size = n_fft // 2, x.shape[-1]
        if pad >= size:
            raise ValueError(f"stft: x must be longer than n_fft // 2 = {pad}, got {x.shape}.")
        mirrored = np.pad(np.arange(size), pad, mode="reflect")
        x = Gather()(x, Tensor(mirrored), x.ndim - 1)
    onesided = not is_complex if onesided is None else onesided
    return_complex = is_complex if return_complex is None else return_complex
    return STFT(n_fft, hop, length, normalized, onesided, return_complex)(x, window)


__all__ = ["STFT", "stft"]
