"""Fourier transforms under NumPy's names, as in ``mindspore.numpy.fft``.

They call those of ``ops``: float32 and narrower become complex64, and float64 becomes complex128.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.ops.linalg import fourier
from minispore.ops.linalg.fourier import fftfreq, rfftfreq


def fft(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Return the complex Fourier transform along ``axis``, which is cropped or zero-padded to ``n``
    elements.

    ``norm`` divides the transform by n ("forward") or sqrt(n) ("ortho"); by default ("backward")
    only the inverse is divided, by n.
    """
    return fourier.fft(a, n, axis, norm)


def ifft(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`fft`, with the same arguments; it is complex."""
    return fourier.ifft(a, n, axis, norm)


def rfft(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Return the non-redundant half of :func:`fft` of a real tensor: n // 2 + 1 complex elements
    along ``axis``.
    """
    return fourier.rfft(a, n, axis, norm)


def irfft(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`rfft`: ``n`` real elements, by default 2 (m - 1) for m
    inputs.
    """
    return fourier.irfft(a, n, axis, norm)


def hfft(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Return the real transform of a half Hermitian signal: ``n`` elements, by default 2 (m - 1)
    for m inputs.
    """
    return fourier.hfft(a, n, axis, norm)


def ihfft(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`hfft`: n // 2 + 1 complex elements along ``axis``."""
    return fourier.ihfft(a, n, axis, norm)


def fft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the Fourier transform along two axes, each cropped or zero-padded to its length in
    ``s``.
    """
    return fourier.fft2(a, s, axes, norm)


def ifft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse Fourier transform along two axes."""
    return fourier.ifft2(a, s, axes, norm)


def rfft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the non-redundant half of the Fourier transform of a real tensor along two axes."""
    return fourier.rfft2(a, s, axes, norm)


def irfft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the real inverse of :func:`rfft2`."""
    return fourier.irfft2(a, s, axes, norm)


def hfft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the real transform of a half Hermitian signal along two axes."""
    return fourier.hfft2(a, s, axes, norm)


def ihfft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`hfft2`."""
    return fourier.ihfft2(a, s, axes, norm)


def fftn(a: Tensor, s: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    """Return the Fourier transform along all ``axes``, each cropped or zero-padded to its length in
    ``s``.
    """
    return fourier.fftn(a, s, axes, norm)


def ifftn(a: Tensor, s: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    """Return the inverse Fourier transform along all ``axes``."""
    return fourier.ifftn(a, s, axes, norm)


def rfftn(a: Tensor, s: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    """Return the non-redundant half of the Fourier transform of a real tensor along all
    ``axes``.
    """
    return fourier.rfftn(a, s, axes, norm)


def irfftn(a: Tensor, s: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    """Return the real inverse of :func:`rfftn`."""
    return fourier.irfftn(a, s, axes, norm)


def hfftn(a: Tensor, s: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    """Return the real transform of a half Hermitian signal along all ``axes``."""
    return fourier.hfftn(a, s, axes, norm)


def ihfftn(a: Tensor, s: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`hfftn`."""
    return fourier.ihfftn(a, s, axes, norm)


def fftshift(x: Tensor, axes: Any = None) -> Tensor:
    """Return ``x`` with frequency 0 moved to the middle of ``axes``, by default of all axes."""
    return fourier.fftshift(x, axes)


def ifftshift(x: Tensor, axes: Any = None) -> Tensor:
    """Return the inverse of :func:`fftshift`."""
    return fourier.ifftshift(x, axes)


__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
