"""Samples of Fourier transforms and windows."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.linalg.fourier import Fourier
from minispore.ops.scipy.fft import CosineTransform
from tests.ops.samples import bad, floats, ints, sample

z = (floats(3, 4) + 1j * floats(3, 4, seed=1)).astype(np.complex64)
COMPLEX = "the result is complex"
for norm in ("backward", "ortho", "forward"):
    for inverse in (False, True):
        sample(Fourier((1,), inverse, norm), z, tolerance=1e-5)
        sample(
            Fourier((0, 1), inverse, norm), floats(3, 4), wrt=(), why_not=COMPLEX, tolerance=1e-5
        )
sample(Fourier((0,)), ints(4))
for inverse in (False, True):
    for onesided in (False, True):
        real = P.FFTWithSize(1, inverse, True, "ortho", onesided)
        sample(real, z if inverse else floats(3, 4), wrt=(), why_not=COMPLEX)
    sample(P.FFTWithSize(2, inverse, False), z)
sample(P.FFTWithSize(1, True, True), floats(3, 4))
sample(P.FFTWithSize(2, True, True, "ortho", True, (3, 5)), floats(3, 4))
bad(P.FFTWithSize(3, False, False), z, match="x must have at least 3 axes")
bad(P.FFTWithSize(1, True, True), floats(3, 1), match="last dimension of the input cannot be 1")
bad(lambda: P.FFTWithSize(4, False, False), match="must be 1, 2 or 3", name="FFTWithSize")

for op in (P.BartlettWindow, P.BlackmanWindow, P.HammingWindow):
    sample(op(), 5)
    sample(op(False), 6)
    bad(op(), -1, match="window_length must be >= 0")

signal, window = floats(2, 12), floats(4, low=0.5, high=1.5)
sample(P.STFT(6, 2, 4, True, True, False), signal, window)
sample(P.STFT(6, 3, 4, False, False, True), signal, window, wrt=(), why_not=COMPLEX)
bad(P.STFT(6, 2, 3, True, True, False), signal, window, match="window must have the shape (3,)")
bad(P.STFT(16, 2, 4, True, True, False), signal, window, match="with L >= n_fft 16")
bad(lambda: P.STFT(2, 1, 4, True, True, False), match="win_length must be <= n_fft", name="STFT")

for inverse in (False, True):
    sample(CosineTransform((1,), inverse), floats(3, 4), tolerance=1e-5)
    sample(CosineTransform((0, 2), inverse), floats(3, 2, 5), tolerance=1e-5)
sample(CosineTransform((1,)), z, tolerance=1e-5)
bad(CosineTransform((0,)), ints(4), match="x must be of a dtype of kind", error=TypeError)
