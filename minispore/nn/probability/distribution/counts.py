"""Distributions of integers: Bernoulli, geometric and Poisson."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import NUMBERS, check_positive, check_probability, exp, log


class _TrialDistribution(Distribution):
    """Base of distributions whose parameter is the probability of success in one trial."""

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.int32,
        name: str = "",
    ) -> None:
        self._init_distribution(NUMBERS, seed, dtype, name, probs=probs)
        check_probability(type(self).__name__, "probs", self.probs)

    @property
    def probs(self) -> Tensor:
        """The probability of success."""
        return self._probs_value

    @property
    def _value_type(self) -> Any:
        """The dtype in which values are computed: that of the parameters, not of the samples."""
        return self.parameter_type

    def _get_dist_args(self, probs1: Any = None) -> tuple[Any, ...]:
        """Return (probability,): that of the call, by default the distribution's."""
        return super()._get_dist_args(probs1)

    def _cross_entropy(self, dist: str, probs1_b: Any, probs1: Any = None) -> Tensor:
        return self._entropy(probs1) + self._kl_loss(dist, probs1_b, probs1)


class Bernoulli(_TrialDistribution):
    """The Bernoulli distribution: P(1) = probs, P(0) = 1 - probs.

    Args:
        probs: the probability of 1, between 0 and 1; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, an int or float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``probs`` is not in (0, 1).
        TypeError: ``dtype`` is not a numeric type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> coin = msd.Bernoulli(0.25)
    >>> print(coin.cdf(ms.Tensor([0, 1])), coin.mean(), coin.mode())
    [0.75 1.  ] 0.25 0
    """

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.int32,
        name: str = "Bernoulli",
    ) -> None:
        super().__init__(probs, seed, dtype, name)

    def _mean(self, probs1: Any = None) -> Tensor:
        return self._check_param_type(probs1)

    def _mode(self, probs1: Any = None) -> Tensor:
        return ops.cast(self._check_param_type(probs1) > 0.5, self._dtype)

    def _var(self, probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        return exp(log(1.0 - p) + log(p))

    def _entropy(self, probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        return -((1.0 - p) * log(1.0 - p)) - p * log(p)

    def _log_prob(self, value: Any, probs1: Any = None) -> Tensor:
        """Return k ln(p) + (1 - k) ln(1 - p), also for values k other than 0 and 1.

        p is clipped away from 0 and 1 to keep the logarithms finite.
        """
        k, p = self._cast_value(value, probs1)
        eps = ops.Eps()(p)
        p = ops.clip_by_value(p, eps, 1 - eps)
        return log(p) * k + log(1.0 - p) * (1.0 - k)

    def _cdf(self, value: Any, probs1: Any = None) -> Tensor:
        k, p = self._cast_value(value, probs1)
        k, failure = ops.floor(k) + ops.zeros_like(p), (1.0 - p) + ops.zeros_like(k)
        below_one = ops.select(k < 0.0, ops.zeros_like(failure), failure)
        return ops.select(k < 1.0, below_one, ops.ones_like(failure))

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Tensor:
        (q,) = self._check_other(dist, probs1_b=probs1_b)
        p = self._check_param_type(probs1)
        return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))

    def _sample(self, shape: Any = (), probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        uniform = ops.rand(self._make_sample_shape(shape, p), seed=self._seed)
        return ops.cast(uniform < p, self._dtype)


class Geometric(_TrialDistribution):
    """The geometric distribution: P(k) = (1 - probs)^k probs for k failures before the first
    success.

    Args:
        probs: the probability of success, between 0 and 1; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, an int or float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``probs`` is not in (0, 1).
        TypeError: ``dtype`` is not a numeric type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> waiting = msd.Geometric(0.5)
    >>> print(waiting.cdf(ms.Tensor([-1, 0, 1])), waiting.mean())
    [0.   0.5  0.75] 1.0
    """

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.int32,
        name: str = "Geometric",
    ) -> None:
        super().__init__(probs, seed, dtype, name)

    def _mean(self, probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        return (1.0 - p) / p

    def _mode(self, probs1: Any = None) -> Tensor:
        return ops.cast(ops.zeros_like(self._check_param_type(probs1)), self._dtype)

    def _var(self, probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        return (1.0 - p) / ops.square(p)

    def _entropy(self, probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        return (-(1.0 - p) * log(1.0 - p) - p * log(p)) / p

    def _prob(self, value: Any, probs1: Any = None) -> Tensor:
        """Return (1 - p)^k p; 0 where k is negative."""
        k, p = self._cast_value(value, probs1)
        k = ops.floor(k)
        probabilities = exp(log(1.0 - p) * k + log(p))
        return ops.select(
            k < ops.zeros_like(probabilities), ops.zeros_like(probabilities), probabilities
        )

    def _cdf(self, value: Any, probs1: Any = None) -> Tensor:
        """Return 1 - (1 - p)^(k + 1); 0 where k is negative."""
        k, p = self._cast_value(value, probs1)
        k = ops.floor(k)
        probabilities = 1.0 - ops.pow(1.0 - p, k + 1.0)
        return ops.select(
            k < ops.zeros_like(probabilities), ops.zeros_like(probabilities), probabilities
        )

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Tensor:
        (q,) = self._check_other(dist, probs1_b=probs1_b)
        p = self._check_param_type(probs1)
        return log(p / q) + ((1.0 - p) / p) * log((1.0 - p) / (1.0 - q))

    def _sample(self, shape: Any = (), probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        uniform = self._draw_uniform(self._make_sample_shape(shape, p))
        return ops.cast(ops.floor(log(uniform) / log(1.0 - p)), self._dtype)


class Poisson(Distribution):
    """The Poisson distribution: P(k) = rate^k exp(-rate) / k!.

    Args:
        rate: the mean, positive, not a Python scalar; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, an int or float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``rate`` is not positive.
        TypeError: ``rate`` is a Python scalar; ``dtype`` is not a numeric type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.Poisson([2.0]).prob(ms.Tensor([0.0, 1.0, 2.0])).asnumpy().round(4))
    [0.1353 0.2707 0.2707]
    """

    def __init__(
        self,
        rate: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Poisson",
    ) -> None:
        if isinstance(rate, int | float):
            hint = f"Write [{rate}]."
            raise TypeError(
                checks.format_error("Poisson", "rate", "be a list or a tensor", repr(rate), hint)
            )
        self._init_distribution(NUMBERS, seed, dtype, name, rate=rate)
        check_positive("Poisson", "rate", self.rate)

    @property
    def rate(self) -> Tensor:
        """The rate, which is the mean and the variance."""
        return self._rate_value

    def _mean(self, rate: Any = None) -> Tensor:
        return self._check_param_type(rate)

    _var = _mean

    def _mode(self, rate: Any = None) -> Tensor:
        return ops.floor(self._check_param_type(rate))

    def _mask_negative(self, value: Any, rate: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Return the mask of negative values, the values with 0 in their place, and the rate."""
        k, rate = self._cast_value(value, rate)
        k = ops.cast(k, self.parameter_type)
        negative = k < ops.zeros_like(k)
        return negative, ops.select(negative, ops.zeros_like(k), k), rate

    def _log_prob(self, value: Any, rate: Any = None) -> Tensor:
        negative, k, rate = self._mask_negative(value, rate)
        log_probs = log(rate) * k - ops.lgamma(k + 1.0)
        log_probs = ops.where(negative, ops.full_like(log_probs, -math.inf), log_probs)
        return log_probs - exp(log(rate))

    def _cdf(self, value: Any, rate: Any = None) -> Tensor:
        negative, k, rate = self._mask_negative(value, rate)
        probabilities = 1.0 - ops.igamma(1.0 + k, rate)
        return ops.where(negative, ops.zeros_like(probabilities), probabilities)

    def _sample(self, shape: Any = (), rate: Any = None) -> Tensor:
        rate = ops.cast(self._check_param_type(rate), mstype.float32)
        return ops.cast(
            ops.poisson(self._make_sample_shape(shape, rate), rate, self._seed), self._dtype
        )


__all__ = ["Bernoulli", "Geometric", "Poisson"]
