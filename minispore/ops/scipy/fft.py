"""Cosine transforms under the names of ``scipy.fft``."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.linalg.fourier import resize_axis
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import check_axes, to_static

_SUPPORTED_DTYPES = (
    *(mstype.int16, mstype.int32, mstype.int64, mstype.float16, mstype.float32, mstype.float64),
    *(mstype.complex64, mstype.complex128),
)


class CosineTransform(Primitive):
    """The orthonormal cosine transform of type II along ``axes``, or its inverse, type III.

    Args:
        axes: the axes, counted from the front.
        inverse: compute the inverse transform.

    >>> print(CosineTransform((0,))(Tensor([1.0, 1.0])).asnumpy().round(4))
    [1.4142 0.    ]

    Source: Makhoul, https://doi.org/10.1109/TASSP.1980.1163351
    """

    vjp_rule = VjpRule(hermitian=True)
    axes: tuple[int, ...]
    inverse: bool = False

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise TypeError unless it is float or complex."""
        return check_dtype_kind("dct", x, "fc", "x")

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Transform one axis after the other in double precision, and round the result to the dtype
        of ``out``.
        """
        transform = _compute_idct if self.inverse else _compute_dct
        result = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
        for axis in self.axes:
            result = np.moveaxis(transform(np.moveaxis(result, axis, -1)), -1, axis)
        np.copyto(out, result, casting="same_kind")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x: the inverse transform, since the transform is
        orthonormal.
        """
        return (lambda: CosineTransform(self.axes, not self.inverse)(dout),)


def _compute_dct(x: np.ndarray) -> np.ndarray:
    """Return the orthonormal DCT of type II along the last axis, of real and imaginary parts
    separately.

    It is computed from the FFT of the even elements followed by the reversed odd elements.
    """
    if x.dtype.kind == "c":
        return np.asarray(_compute_dct(x.real) + 1j * _compute_dct(x.imag))
    rotations, norm = _compute_factors(x.shape[-1])
    folded = np.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], -1)
    return np.asarray((np.fft.fft(folded) * rotations).real * norm)


def _compute_idct(x: np.ndarray) -> np.ndarray:
    """Return the inverse of the orthonormal DCT along the last axis, of real and imaginary parts
    separately.
    """
    if x.dtype.kind == "c":
        return np.asarray(_compute_idct(x.real) + 1j * _compute_idct(x.imag))
    n = x.shape[-1]
    rotations, norm = _compute_factors(n)
    real = x / norm
    imag = np.concatenate([np.zeros_like(real[..., :1]), -real[..., :0:-1]], -1)
    folded = np.fft.ifft((real + 1j * imag) / rotations).real
    output = np.empty_like(x)
    output[..., ::2] = folded[..., : (n + 1) // 2]
    output[..., 1::2] = folded[..., (n + 1) // 2 :][..., ::-1]
    return output


def _compute_factors(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotation exp(-i pi k / 2n) of each element k below n, and the orthonormal scale of
    each.
    """
    k = np.arange(n)
    return np.exp(-0.5j * np.pi * k / n), np.sqrt(np.where(k, 2, 1) / n)


def _check_arguments(api_name: str, x: Any, type: Any, norm: Any) -> Tensor:
    """Return ``x``, cast to float32 unless the transform supports its dtype.

    Raises:
        TypeError: ``x`` is not a Tensor or has an unsupported dtype; ``type`` is not an int.
        ValueError: ``type`` is not 2, or ``norm`` is not "ortho" or None.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{api_name}: x must be a Tensor, got {x!r}.")
    if x.dtype not in _SUPPORTED_DTYPES:
        raise TypeError(
            f"{api_name}: x must be one of {list(_SUPPORTED_DTYPES)}, got {x.dtype}. Cast it."
        )
    if checks.integer(api_name, "type", type) != 2:
        raise ValueError(f"{api_name}: type must be 2, got {type}.")
    if norm is not None and checks.string(api_name, "norm", norm) != "ortho":
        raise ValueError(f"{api_name}: norm must be 'ortho' or None, got {norm!r}.")
    transform_dtypes = (mstype.float32, mstype.float64, mstype.complex64, mstype.complex128)
    return x if x.dtype in transform_dtypes else Cast()(x, mstype.float32)


def _transform_axes(
    api_name: str, x: Any, type: Any, lengths: Any, axes: Any, norm: Any, inverse: bool
) -> Tensor:
    """Transform ``x`` along several axes, cropped or zero-padded to ``lengths``.

    ``axes`` None means all axes, or the last ``len(lengths)``; ``lengths`` None keeps all lengths.

    Raises:
        TypeError, ValueError: an argument is invalid.
    """
    x = _check_arguments(api_name, x, type, norm)
    requested_axes, lengths = to_static(axes), to_static(lengths)
    for argument, value in (("axes", requested_axes), ("s", lengths)):
        if value is not None and not isinstance(value, tuple | list):
            raise TypeError(f"{api_name}: {argument} must be a tuple of ints, got {value!r}.")
    if lengths is not None and requested_axes is not None and len(lengths) != len(requested_axes):
        raise ValueError(
            f"{api_name}: s and axes must be of one length, got {tuple(lengths)} and "
            f"{tuple(requested_axes)}."
        )
    if requested_axes is None:
        requested_axes = range(-(x.ndim if lengths is None else len(lengths)), 0)
    checked_axes = check_axes(api_name, tuple(requested_axes), x.ndim, "axes")
    for axis, n in zip(checked_axes, lengths or (), strict=False):
        x = resize_axis(x, axis, checks.integer(api_name, "s", n, 1))
    return CosineTransform(checked_axes, inverse)(x)


def _transform_one_axis(
    api_name: str, x: Any, type: Any, n: Any, axis: Any, norm: Any, inverse: bool
) -> Tensor:
    """Return the cosine transform of ``x``, or with ``inverse`` its inverse, along ``axis``,
    resized to ``n`` unless that is None.

    Raises:
        TypeError, ValueError: an argument is invalid.
    """
    x = _check_arguments(api_name, x, type, norm)
    axes = check_axes(api_name, (checks.integer(api_name, "axis", axis),), x.ndim, "axis")
    if n is not None:
        x = resize_axis(x, axes[0], checks.integer(api_name, "n", n, 1))
    return CosineTransform(axes, inverse)(x)


def dct(
    x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Tensor:
    """Return the orthonormal cosine transform of type II along ``axis``.

    Args:
        x: floats, complex numbers, int16, int32 or int64.
        type: 2.
        n: number of elements to transform; x is cropped or zero-padded.
        axis: from -x.ndim to x.ndim - 1.
        norm: "ortho" or None, which is the same.

    Returns:
        float32, or float64, complex64, complex128 like x.

    Raises:
        TypeError: x is not a Tensor or has another dtype; ``n`` or ``axis`` is not an int.
        ValueError: another ``type`` or ``norm``, an axis out of range, n < 1.

    >>> print(dct(Tensor([1.0, 1.0, 4.0])).asnumpy().round(4))
    [ 3.4641 -2.1213  1.2247]
    """
    return _transform_one_axis("dct", x, type, n, axis, norm, inverse=False)


def idct(
    x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Tensor:
    """Return the inverse of :func:`dct`, with its arguments.

    >>> print(idct(dct(Tensor([1.0, 1.0, 4.0]))).asnumpy().round(4))
    [1. 1. 4.]
    """
    return _transform_one_axis("idct", x, type, n, axis, norm, inverse=True)


def dctn(x: Tensor, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Tensor:
    """Apply :func:`dct` along several axes.

    Args:
        x: as for :func:`dct`.
        type: 2.
        s: number of elements of each axis to transform.
        axes: by default all axes, or with ``s`` the last ``len(s)``.
        norm: "ortho" or None, which is the same.

    Raises:
        TypeError: as for :func:`dct`; ``s`` or ``axes`` is not a tuple of ints.
        ValueError: as for :func:`dct`; axes repeat, or their number differs from ``len(s)``.

    >>> print(dctn(Tensor([[1.0, 1.0], [1.0, 1.0]])).asnumpy().round(4))
    [[2. 0.]
     [0. 0.]]
    """
    return _transform_axes("dctn", x, type, s, axes, norm, inverse=False)


def idctn(x: Tensor, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Tensor:
    """Return the inverse of :func:`dctn`, with its arguments.

    >>> print(idctn(Tensor([[2.0, 0.0], [0.0, 0.0]])).asnumpy().round(4))
    [[1. 1.]
     [1. 1.]]
    """
    return _transform_axes("idctn", x, type, s, axes, norm, inverse=True)


__all__ = ["dct", "dctn", "idct", "idctn"]
