"""Fourier transforms of complex inputs, of real inputs and of half spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import NUMBER, check_dtype_kind
from minispore.ops.elementwise.complex_numbers import Complex, Imag, Real
from minispore.ops.index.gather import Gather
from minispore.ops.shape.cast_fill import Cast, Zeros
from minispore.ops.shape.join import Concat
from minispore.ops.support.arguments import check_axes, check_tensors, to_static
from minispore.ops.support.derive import _Composite

_NORMS = ("backward", "ortho", "forward")


class Fourier(Primitive):
    """The complex discrete Fourier transform along ``axes``, or its inverse.

    Args:
        axes: the axes, as non-negative ints.
        inverse: compute the inverse transform.
        norm: the direction that divides by the number n of elements: "backward" (the inverse),
            "forward", or "ortho" (both directions divide by the square root of n).

    >>> print(Fourier((0,))(Tensor([1.0, 0.0])))
    [1.+0.j 1.+0.j]
    """

    vjp_rule = VjpRule(hermitian=True)
    axes: tuple[int, ...]
    inverse: bool = False
    norm: str = "backward"

    def check(self) -> None:
        if self.norm not in _NORMS:
            raise ValueError(f"fft: norm must be one of {_NORMS}, got {self.norm!r}.")

    def infer(self, x: Spec) -> Spec:
        """Return the complex spec of the shape of x: complex128 for float64 and complex128, else
        complex64.
        """
        check_dtype_kind("fft", x, NUMBER, "input")
        is_double = x.dtype.itemsize == (16 if x.dtype.kind == "c" else 8) and x.dtype.kind in "fc"
        return Spec(x.shape, np.dtype(np.complex128 if is_double else np.complex64))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        transform = np.fft.ifftn if self.inverse else np.fft.fftn
        np.copyto(out, transform(x.astype(out.dtype, copy=False), axes=self.axes, norm=self.norm))  # type: ignore[arg-type]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function, which is real for a real x."""

        def compute_x_grad() -> Tensor:
            # The adjoint is the transform in the opposite direction with the same factor.
            swapped = {"backward": "forward", "forward": "backward", "ortho": "ortho"}[self.norm]
            grad = Fourier(self.axes, not self.inverse, swapped)(dout)
            return grad if x.dtype.kind == "c" else Cast()(Real()(grad), x.dtype)

        return (compute_x_grad,)


def resize_axis(x: Tensor, axis: int, n: int) -> Tensor:
    """Truncate x to ``n`` elements along ``axis``, or pad it with zeros at the end."""
    length = x.shape[axis]
    if length == n:
        return x
    if length > n:
        index = (slice(None),) * axis + (slice(0, n),)
        return x[index]
    missing = (*x.shape[:axis], n - length, *x.shape[axis + 1 :])
    return Concat(axis)((x, Zeros()(missing, x.dtype)))


def _normalize_transform(
    op: str, x: Tensor, s: Any, dim: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Check the arguments, and return the axes to transform and their lengths.

    A length of -1 is replaced by that of the input.
    """
    check_tensors(op, input=x)
    lengths, dim = to_static(s), to_static(dim)
    if not x.ndim:
        raise ValueError(f"{op}: input must have at least 1 axis, got none.")
    if dim is None:
        count = len(lengths) if lengths is not None else x.ndim
        dim = tuple(range(-count, 0))
    axes = check_axes(op, dim, x.ndim, "dim")
    if lengths is None:
        return axes, tuple(x.shape[a] for a in axes)
    lengths = lengths if isinstance(lengths, tuple) else (lengths,)
    if len(lengths) != len(axes):
        raise ValueError(f"{op}: there must be one length for each axis, got {lengths} and {axes}.")
    return axes, tuple(
        x.shape[a] if n == -1 else checks.integer(op, "n", n, 1)
        for a, n in zip(axes, lengths, strict=True)
    )


def _normalize_norm(norm: str | None) -> str:
    """Return ``norm``, with None as "backward"."""
    return "backward" if norm is None else norm


def _transform_complex(op: str, x: Any, s: Any, dim: Any, norm: Any, inverse: bool) -> Tensor:
    """Compute the complex transform along ``dim``, or its inverse, of the resized input."""
    axes, lengths = _normalize_transform(op, x, s, dim)
    for axis, n in zip(axes, lengths, strict=True):
        x = resize_axis(x, axis, n)
    return Fourier(axes, inverse, _normalize_norm(norm))(x)


def _transform_real(op: str, x: Any, s: Any, dim: Any, norm: Any, inverse: bool = False) -> Tensor:
    """Return the first half of a real input's spectrum along the last axis; the rest is its mirror
    image. With ``inverse``, the spectrum is that of the inverse transform.
    """
    check_tensors(op, input=x)
    if x.dtype.kind == "c":
        raise TypeError(f"{op}: input must be real, got {x.dtype}.")
    axes, lengths = _normalize_transform(op, x, s, dim)
    full_spectrum = _transform_complex(op, x, lengths, axes, norm, inverse)
    return resize_axis(full_spectrum, axes[-1], lengths[-1] // 2 + 1)


def _transform_half_spectrum(
    op: str, x: Any, s: Any, dim: Any, norm: Any, inverse: bool = True
) -> Tensor:
    """Return the real transform of a half spectrum, after completing it by its mirror image.

    Without lengths ``s``, the last axis of the result has 2 * (length of the input - 1) elements.
    """
    axes, lengths = _normalize_transform(op, x, s, dim)
    if s is None or to_static(s) == -1:
        lengths = (*lengths[:-1], 2 * (lengths[-1] - 1))
    last_axis, n = axes[-1], lengths[-1]
    if n < 1:
        raise ValueError(
            f"{op}: the result must have at least one element, got {n}: without n, the last "
            "dimension of the input cannot be 1. Give n."
        )
    for axis, length in zip(axes[:-1], lengths[:-1], strict=True):
        x = resize_axis(x, axis, length)
    if x.dtype.kind != "c":
        x = Cast()(x, mstype.complex128 if x.dtype is mstype.float64 else mstype.complex64)
    if len(axes) > 1:  # after transforming the other axes, only the last axis has to be mirrored
        x = Fourier(axes[:-1], inverse, _normalize_norm(norm))(x)
    half = resize_axis(x, last_axis, n // 2 + 1)
    sources = [min(k, n - k) for k in range(n)]
    full_spectrum = Gather()(half, Tensor(sources), last_axis)
    # The mirrored half is conjugated; elements that are their own mirror image are real.
    sign = np.sign(n - 2.0 * np.arange(n))
    sign[0] = 0.0
    sign_shape = tuple(-1 if i == last_axis else 1 for i in range(half.ndim))
    real, imag = Real()(full_spectrum), Imag()(full_spectrum)
    mirrored = Complex()(real, imag * Tensor(sign.reshape(sign_shape), imag.dtype))
    return Real()(Fourier((last_axis,), inverse, _normalize_norm(norm))(mirrored))


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the Fourier transform along ``dim``.

    Args:
        input: real or complex.
        n: the number of elements to transform; the input is cut or zero-padded.
        dim: the axis.
        norm: "backward" (the inverse divides by n), "forward" or "ortho".

    >>> print(fft(Tensor([1.0, 1.0])))
    [2.+0.j 0.+0.j]
    """
    return _transform_complex("fft", input, n, dim, norm, inverse=False)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`fft`."""
    return _transform_complex("ifft", input, n, dim, norm, inverse=True)


def fft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the Fourier transform along two axes."""
    return _transform_complex("fft2", input, s, dim, norm, inverse=False)


def ifft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`fft2`."""
    return _transform_complex("ifft2", input, s, dim, norm, inverse=True)


def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Return the Fourier transform along several axes, all by default."""
    return _transform_complex("fftn", input, s, dim, norm, inverse=False)


def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`fftn`."""
    return _transform_complex("ifftn", input, s, dim, norm, inverse=True)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the first half (n // 2 + 1 elements) of the Fourier transform of a real input.

    >>> print(rfft(Tensor([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    return _transform_real("rfft", input, n, dim, norm)


def rfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the transform of a real input along two axes; of the last, only the first half."""
    return _transform_real("rfft2", input, s, dim, norm)


def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Return the transform of a real input along several axes, all by default; of the last, only
    the first half.
    """
    return _transform_real("rfftn", input, s, dim, norm)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the real inverse of :func:`rfft`, of length n.

    By default, n is 2 * (length of the input - 1).

    >>> print(irfft(rfft(Tensor([1.0, 2.0, 3.0, 4.0]))).asnumpy().round(4))
    [1. 2. 3. 4.]
    """
    return _transform_half_spectrum("irfft", input, n, dim, norm)


def irfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the real inverse of :func:`rfft2`."""
    return _transform_half_spectrum("irfft2", input, s, dim, norm)


def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Return the real inverse of :func:`rfftn`."""
    return _transform_half_spectrum("irfftn", input, s, dim, norm)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the real transform of a signal given by its first half, of which the rest is the
    mirror image.

    >>> print(hfft(Tensor([1.0, 2.0])).asnumpy().round(4))
    [ 3. -1.]
    """
    return _transform_half_spectrum("hfft", input, n, dim, norm, inverse=False)


def hfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Apply :func:`hfft` along two axes."""
    return _transform_half_spectrum("hfft2", input, s, dim, norm, inverse=False)


def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Apply :func:`hfft` along several axes."""
    return _transform_half_spectrum("hfftn", input, s, dim, norm, inverse=False)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`hfft`: the first half of the inverse transform of a real
    input.
    """
    return _transform_real("ihfft", input, n, dim, norm, inverse=True)


def ihfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`hfft2`."""
    return _transform_real("ihfft2", input, s, dim, norm, inverse=True)


def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Return the inverse of :func:`hfftn`."""
    return _transform_real("ihfftn", input, s, dim, norm, inverse=True)


def _roll_axes(op: str, x: Tensor, dim: Any, compute_shift: Any) -> Tensor:
    """Roll x along the axes ``dim``, each by ``compute_shift(length)``."""
    check_tensors(op, input=x)
    axes = tuple(range(x.ndim)) if dim is None else check_axes(op, to_static(dim), x.ndim, "dim")
    for axis in axes:
        n = x.shape[axis]
        order = np.roll(np.arange(n), compute_shift(n))
        x = Gather()(x, Tensor(order), axis)
    return x


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Return ``input`` with the zero frequency moved to the middle of the axes ``dim``.

    >>> print(fftshift(Tensor([0, 1, 2, -2, -1])))
    [-2 -1  0  1  2]
    """
    return _roll_axes("fftshift", input, dim, lambda n: n // 2)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Return the inverse of :func:`fftshift`."""
    return _roll_axes("ifftshift", input, dim, lambda n: -(n // 2))


def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """Return the frequencies of :func:`fft` for n samples with a spacing of d, float32 by default.

    >>> print(fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    return Tensor(np.fft.fftfreq(checks.integer("fftfreq", "n", n, 1), d), dtype or mstype.float32)


def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """Return the frequencies of :func:`rfft` for n samples with a spacing of d, float32 by default.

    >>> print(rfftfreq(4))
    [0.   0.25 0.5 ]
    """
    return Tensor(
        np.fft.rfftfreq(checks.integer("rfftfreq", "n", n, 1), d), dtype or mstype.float32
    )


class FFTWithSize(_Composite):
    """Fourier transforms of the last ``signal_ndim`` axes.

    Args:
        signal_ndim: 1, 2 or 3.
        inverse: compute the inverse transform.
        real: transform real numbers, or with ``inverse`` to real numbers.
        norm: "backward", "forward" or "ortho".
        onesided: for a real transform, use only the half of the spectrum that determines the rest.
        signal_sizes: the lengths of a real result.

    >>> print(FFTWithSize(1, False, True)(Tensor([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j]
    """

    signal_ndim: int
    inverse: bool
    real: bool
    norm: str = "backward"
    onesided: bool = True
    signal_sizes: Any = ()

    def check(self) -> None:
        if checks.integer(self.name, "signal_ndim", self.signal_ndim, 1) > 3:
            raise ValueError(f"{self.name}: signal_ndim must be 1, 2 or 3, got {self.signal_ndim}.")
        for flag in ("inverse", "real", "onesided"):
            checks.boolean(self.name, flag, getattr(self, flag))
        if self.norm not in _NORMS:
            raise ValueError(f"{self.name}: norm must be one of {_NORMS}, got {self.norm!r}.")

    def __call__(self, x: Tensor) -> Tensor:
        """Compute the complex, real or half-spectrum transform that the flags select."""
        if x.ndim < self.signal_ndim:
            raise ValueError(
                f"{self.name}: x must have at least {self.signal_ndim} axes, got {x.shape}."
            )
        axes = tuple(range(x.ndim - self.signal_ndim, x.ndim))
        sizes = self.signal_sizes or None
        if not self.real:
            return _transform_complex(self.name, x, None, axes, self.norm, self.inverse)
        if not self.inverse:
            if self.onesided:
                return _transform_real(self.name, x, None, axes, self.norm)
            return _transform_complex(self.name, x, None, axes, self.norm, inverse=False)
        if self.onesided:
            return _transform_half_spectrum(self.name, x, sizes, axes, self.norm)
        return Real()(_transform_complex(self.name, x, sizes, axes, self.norm, inverse=True))


__all__ = [
    "FFTWithSize",
    "Fourier",
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
