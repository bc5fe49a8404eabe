"""The normal and half-normal distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import FLOATS, check_positive, exp, log, make_float32


class Normal(Distribution):
    """The normal distribution: f(x) = exp(-((x - mean) / sd)^2 / 2) / (sd sqrt(2 pi)).

    Args:
        mean: the mean; None if it is passed in each call.
        sd: the standard deviation, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``sd`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> normal = msd.Normal(0.0, 1.0)
    >>> print(normal.log_prob(ms.Tensor([0.0, 1.0])).asnumpy().round(4))
    [-0.9189 -1.4189]
    >>> print(normal.kl_loss("Normal", ms.Tensor(1.0), ms.Tensor(1.0)))
    0.5
    >>> normal.sample((2, 3)).shape
    (2, 3)
    """

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Normal",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, mean=mean, sd=sd)
        check_positive("Normal", "sd", self._sd_value)

    def extend_repr(self) -> str:
        return super().extend_repr().replace("sd =", "standard deviation =")

    def _mean(self, mean: Any = None, sd: Any = None) -> Tensor:
        return self._check_param_type(mean, sd)[0]

    _mode = _mean

    def _sd(self, mean: Any = None, sd: Any = None) -> Tensor:
        return self._check_param_type(mean, sd)[1]

    def _entropy(self, mean: Any = None, sd: Any = None) -> Tensor:
        _, sd = self._check_param_type(mean, sd)
        return make_float32(0.5 * math.log(2 * math.pi * math.e)) + log(sd)

    def _cross_entropy(
        self, dist: str, mean_b: Any, sd_b: Any, mean: Any = None, sd: Any = None
    ) -> Tensor:
        return self._entropy(mean, sd) + self._kl_loss(dist, mean_b, sd_b, mean, sd)

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Tensor:
        x, mean, sd = self._cast_value(value, mean, sd)
        normalization = Tensor(-0.5 * np.log(2 * np.pi), dtype=self._dtype) - log(sd)
        return -0.5 * ops.square((x - mean) / sd) + normalization

    def _cdf(self, value: Any, mean: Any = None, sd: Any = None) -> Tensor:
        x, mean, sd = self._cast_value(value, mean, sd)
        return 0.5 * (1.0 + ops.erf((x - mean) / (sd * math.sqrt(2))))

    def _kl_loss(
        self, dist: str, mean_b: Any, sd_b: Any, mean: Any = None, sd: Any = None
    ) -> Tensor:
        """Return the KL divergence from this normal distribution to another."""
        mean_b, sd_b = self._check_other(dist, mean_b=mean_b, sd_b=sd_b)
        mean, sd = self._check_param_type(mean, sd)
        log_ratio = log(sd) - log(sd_b)
        squared_distance = ops.square(mean / sd_b - mean_b / sd_b)
        return 0.5 * squared_distance + 0.5 * ops.expm1(2 * log_ratio) - log_ratio

    def _sample(self, shape: Any = (), mean: Any = None, sd: Any = None) -> Tensor:
        mean, sd = self._check_param_type(mean, sd)
        samples = ops.normal(self._make_sample_shape(shape, mean), mean, sd, self._seed)
        return ops.cast(samples, self._dtype)


class HalfNormal(Distribution):
    """f(x) = sqrt(2 / pi) exp(-((x - mean) / sd)^2 / 2) / sd if x >= 0, else 0.

    Args:
        mean: the mode, where the density is highest; None if it is passed in each call.
        sd: the standard deviation of the full normal, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``sd`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.HalfNormal(0.0, 1.0).prob(ms.Tensor([-1.0, 0.0])).asnumpy().round(4))
    [0.     0.7979]
    """

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "HalfNormal",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, mean=mean, sd=sd)
        check_positive("HalfNormal", "sd", self._sd_value)

    def _prob(self, value: Any, mean: Any = None, sd: Any = None) -> Tensor:
        x, mean, sd = self._cast_value(value, mean, sd)
        density = math.sqrt(2 / math.pi) / sd * exp(-0.5 * ops.square((x - mean) / sd))
        return density * ops.cast(x >= 0, self._dtype)


__all__ = ["HalfNormal", "Normal"]
