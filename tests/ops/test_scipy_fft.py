"""Cosine transforms by SciPy's names: by their definition, backwards, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import minispore as ms
from minispore import Tensor
from minispore.scipy.fft import dct, dctn, idct, idctn

FLOATS = arrays(np.float64, array_shapes(max_dims=3, max_side=7), elements=st.floats(-9, 9))


def basis(n: int) -> np.ndarray:
    """The matrix of the transform: cos(pi k (2 m + 1) / 2 n), its rows of length 1."""
    k, m = np.arange(n)[:, None], np.arange(n)
    output = np.cos(np.pi * k * (2 * m + 1) / (2 * n))
    return output / np.linalg.norm(output, axis=1, keepdims=True)


@given(FLOATS, st.data())
def test_a_transform_is_the_product_with_its_basis(x: np.ndarray, data: Any) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = data.draw(st.none() | st.integers(1, 9))
    fit = np.moveaxis(x, axis, -1)
    if n is not None:
        fit = np.concatenate([fit, np.zeros((*fit.shape[:-1], 9))], -1)[..., :n]
    m = basis(fit.shape[-1])
    output = dct(Tensor(x), n=n, axis=axis).asnumpy()
    np.testing.assert_allclose(np.moveaxis(output, axis, -1), fit @ m.T, atol=1e-10)
    output = idct(Tensor(x), n=n, axis=axis, norm="ortho").asnumpy()
    np.testing.assert_allclose(np.moveaxis(output, axis, -1), fit @ m, atol=1e-10)


@given(FLOATS, st.data())
def test_several_axes_are_transformed_one_after_the_other(x: np.ndarray, data: Any) -> None:
    axes = tuple(data.draw(st.permutations(range(x.ndim)))[: data.draw(st.integers(1, x.ndim))])
    tensor = Tensor(x)
    for axis in axes:
        tensor = dct(tensor, axis=axis)
    got = dctn(Tensor(x), axes=axes)
    np.testing.assert_allclose(got.asnumpy(), tensor.asnumpy(), atol=1e-10)
    np.testing.assert_allclose(idctn(got, axes=axes).asnumpy(), x, atol=1e-10)


def test_lengths_without_axes_apply_to_the_last_axes() -> None:
    x = Tensor(np.arange(12.0).reshape(2, 2, 3))
    np.testing.assert_array_equal(
        dctn(x, s=(4, 2)).asnumpy(), dctn(x, s=(4, 2), axes=(1, 2)).asnumpy()
    )
    assert dctn(x).shape == (2, 2, 3) and idctn(x, s=(5,)).shape == (2, 2, 5)


@pytest.mark.parametrize(
    ("dtype", "result"),
    [("int16", "float32"), ("int32", "float32"), ("int64", "float32"), ("float16", "float32"),
     ("float32", "float32"), ("float64", "float64"), ("complex64", "complex64"),
     ("complex128", "complex128")],
)  # fmt: skip
def test_the_dtype_of_a_transform_is_mindspores(dtype: str, result: str) -> None:
    x = np.arange(6).reshape(2, 3)
    for f in (dct, idct, dctn, idctn):
        output = f(Tensor(x.astype(dtype))).asnumpy()
        assert output.dtype == result
        np.testing.assert_allclose(output, f(Tensor(x.astype("float64"))).asnumpy(), rtol=1e-6,
                                   atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("n", [None, 2, 5])
@pytest.mark.parametrize(("f", "matrix"), [(dct, basis), (idct, lambda n: basis(n).T)])
def test_the_derivative_is_the_basis_turned(f: Any, matrix: Any, n: int | None, mode: int) -> None:
    ms.set_context(mode=mode)
    x, weights = np.arange(6.0).reshape(2, 3), np.arange(10.0).reshape(2, 5)[:, : n or 3]
    got = ms.grad(lambda t: (f(t, n=n) * Tensor(weights)).sum())(Tensor(x))
    expected = np.zeros((2, 5))
    expected[:, : n or 3] = weights @ matrix(n or 3)
    np.testing.assert_allclose(got.asnumpy(), expected[:, :3], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: dct(x, 1), ValueError, "type must be 2, got 1"),
        (lambda x: dct(x, "2"), TypeError, "type must be an int"),
        (lambda x: dct(x, norm="forward"), ValueError, "norm must be 'ortho' or None"),
        (lambda x: dct(x, norm=3), TypeError, "norm must be a str"),
        (lambda x: dct(x, n=0), ValueError, "n must be >= 1, got 0"),
        (lambda x: idct(x, n=1.5), TypeError, "n must be an int, got 1.5"),
        (lambda x: idct(x, axis=2), ValueError, "axis must be in"),
        (lambda x: dct(x, axis=(0, 1)), TypeError, "axis must be an int"),
        (lambda x: dct([1, 2]), TypeError, "x must be a Tensor"),
        (lambda x: dct(x.astype(ms.int8)), TypeError, "got Int8. Cast it"),
        (lambda x: dctn(x, s=2), TypeError, "s must be a tuple of ints, got 2"),
        (lambda x: dctn(x, axes=1), TypeError, "axes must be a tuple of ints"),
        (lambda x: dctn(x, s=(2,), axes=(0, 1)), ValueError, "s and axes must be of one length"),
        (lambda x: dctn(x, axes=(0, -2)), ValueError, "axes must not hold an axis twice"),
        (lambda x: idctn(x, s=(0, 2)), ValueError, "s must be >= 1"),
    ],
)
def test_arguments_that_do_not_fit_are_named(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call(Tensor(np.ones((2, 3), np.float32)))
