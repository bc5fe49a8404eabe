"""numpy.fft is NumPy's, in the precision of what it is given."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor
from minispore import numpy as mnp

X = np.random.default_rng(0).standard_normal((3, 4, 5))
LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
PLANES = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("value", [{}, {"n": 6, "axis": 1}, {"n": 3, "norm": "ortho"}])
def test_one_axis_is_numpys(name: str, value: dict) -> None:
    output = getattr(mnp.fft, name)(a=Tensor(X), **value).asnumpy()
    assert np.allclose(output, getattr(np.fft, name)(X, **value), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("value", [{}, {"s": (2, 6), "axes": (0, 2)}, {"norm": "forward"}])
def test_several_axes_are_numpys(name: str, value: dict) -> None:
    output = getattr(mnp.fft, name)(a=Tensor(X), **value).asnumpy()
    assert np.allclose(output, getattr(np.fft, name)(X, **value), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["hfft2", "hfftn"])
def test_half_spectra_in_time_are_undone(name: str) -> None:
    real = getattr(mnp.fft, name)(Tensor(X), s=(4, 8), axes=(1, 2))
    output = getattr(mnp.fft, f"i{name}")(real, axes=(1, 2)).asnumpy()
    assert real.dtype == ms.float64 and output.shape == (3, 4, 5)
    assert np.allclose(output[..., 1:4], X[..., 1:4], rtol=0, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
def test_what_is_no_double_becomes_complex64(dtype: type) -> None:
    assert mnp.fft.fft(Tensor(X.astype(dtype))).dtype == ms.complex64
    assert mnp.fft.hfft(Tensor(X.astype(dtype))).dtype == ms.float32


def test_frequencies_and_their_places() -> None:
    assert mnp.fft.fftfreq(5).asnumpy().tolist() == pytest.approx([0, 0.2, 0.4, -0.4, -0.2])
    assert mnp.fft.rfftfreq(5, d=0.5).asnumpy().tolist() == pytest.approx([0, 0.4, 0.8])
    line = mnp.fft.fftshift(x=Tensor([0, 1, 2, 3, 4]))
    assert line.asnumpy().tolist() == [3, 4, 0, 1, 2]
    assert mnp.fft.ifftshift(line, axes=0).asnumpy().tolist() == [0, 1, 2, 3, 4]


def test_numpy_fft_is_importable_by_its_path() -> None:
    assert ms.numpy.fft is mnp.fft and mnp.fft.fft.__module__.startswith("minispore")
