"""The statistics of a batch keep float32's accuracy where the mean is far from 0."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Tensor, ops


def normalised(x: np.ndarray, data_format: str = "NCHW") -> list[np.ndarray]:
    """The output, and the mean and the variance of the batch."""
    channels = x.shape[1 if data_format == "NCHW" else -1]
    one, zero = Tensor(np.ones(channels, np.float32)), Tensor(np.zeros(channels, np.float32))
    norm = ops.BatchNorm(is_training=True, data_format=data_format)
    return [t.asnumpy() for t in norm(Tensor(x), one, zero, Tensor(zero), Tensor(one))[:3]]


def exact(x: np.ndarray, axes: tuple[int, ...]) -> list[np.ndarray]:
    wide = x.astype(np.float64)
    mean, var = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    return [(wide - mean) / np.sqrt(var + 1e-5), mean.ravel(), var.ravel()]


@pytest.mark.parametrize("mean", [0, 10, 1000, -3000])
@pytest.mark.parametrize("shape", [(128, 8), (32, 6, 14, 14), (4, 3, 5, 6), (5, 2, 1, 1)])
def test_a_mean_much_larger_than_the_deviation_loses_no_digits(shape, mean: float) -> None:
    x = np.random.default_rng(0).normal(mean, 1, shape).astype(np.float32)
    y, actual, var = normalised(x)
    expected, means, variances = exact(x, (0, *range(2, len(shape))))
    np.testing.assert_allclose(y, expected, atol=3e-6)
    np.testing.assert_allclose(actual, means, rtol=2e-7, atol=1e-7)
    np.testing.assert_allclose(var, variances, rtol=2e-6)


def test_rows_unlike_all_others_do_not_mislead() -> None:
    x = np.random.default_rng(1).normal(1000, 1, (8, 4, 16, 9)).astype(np.float32)
    x[:, :, ::8] = 0
    y, actual, var = normalised(x)
    expected, means, variances = exact(x, (0, 2, 3))
    np.testing.assert_allclose(y, expected, atol=1e-5)
    np.testing.assert_allclose(actual, means, rtol=1e-6)
    np.testing.assert_allclose(var, variances, rtol=1e-5)


def test_channels_of_one_number_have_no_variance() -> None:
    x = np.broadcast_to(np.float32([1e6, -3, 0.1])[:, None, None], (4, 3, 8, 8)).copy()
    y, actual, var = normalised(x)
    assert not y.any() and not var.any()
    assert actual.tolist() == x[0, :, 0, 0].tolist()


def test_channels_at_the_end_have_the_same_statistics() -> None:
    x = np.random.default_rng(2).normal(100, 1, (6, 5, 9, 10)).astype(np.float32)
    first, last = normalised(x), normalised(np.ascontiguousarray(x.transpose(0, 2, 3, 1)), "NHWC")
    np.testing.assert_allclose(last[0].transpose(0, 3, 1, 2), first[0], atol=3e-6)
    for a, b in zip(first[1:], last[1:], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
