"""Distributions of whole numbers: heads or tails, failures before a success, events in a time."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import NUMBERS, exp, log, positive, probability


class _Trial(Distribution):
    """A distribution by the probability of success in one trial."""

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.int32,
        name: str = "",
    ) -> None:
        self._begin(NUMBERS, seed, dtype, name, probs=probs)
        probability(type(self).__name__, "probs", self.probs)

    @property
    def probs(self) -> Tensor:
        """The probability of success."""
        return self._probs_value

    @property
    def _value_type(self) -> Any:
        return self.parameter_type

    def _get_dist_args(self, probs1: Any = None) -> tuple[Any, ...]:
        return super()._get_dist_args(probs1)

    def _cross_entropy(self, dist: str, probs1_b: Any, probs1: Any = None) -> Tensor:
        return self._entropy(probs1) + self._kl_loss(dist, probs1_b, probs1)


class Bernoulli(_Trial):
    """P(1) = probs, P(0) = 1 - probs.

    Args:
        probs: the probability of 1, between 0 and 1; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, an int or float type.
        name: of the distribution.

    Raises:
        ValueError: ``probs`` is not in (0, 1).
        TypeError: ``dtype`` is no number type.

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
        k, p = self._at(value, probs1)
        least = ops.Eps()(p)
        p = ops.clip_by_value(p, least, 1 - least)
        return log(p) * k + log(1.0 - p) * (1.0 - k)

    def _cdf(self, value: Any, probs1: Any = None) -> Tensor:
        k, p = self._at(value, probs1)
        k, rest = ops.floor(k) + ops.zeros_like(p), (1.0 - p) + ops.zeros_like(k)
        below = ops.select(k < 0.0, ops.zeros_like(rest), rest)
        return ops.select(k < 1.0, below, ops.ones_like(rest))

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Tensor:
        (q,) = self._other(dist, probs1_b=probs1_b)
        p = self._check_param_type(probs1)
        return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))

    def _sample(self, shape: Any = (), probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        drawn = ops.rand(self._shape_of(shape, p), seed=self._seed)
        return ops.cast(drawn < p, self._dtype)


class Geometric(_Trial):
    """P(k) = (1 - probs)^k probs: k failures before the first success.

    Args:
        probs: the probability of success, between 0 and 1; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, an int or float type.
        name: of the distribution.

    Raises:
        ValueError: ``probs`` is not in (0, 1).
        TypeError: ``dtype`` is no number type.

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
        k, p = self._at(value, probs1)
        k = ops.floor(k)
        found = exp(log(1.0 - p) * k + log(p))
        return ops.select(k < ops.zeros_like(found), ops.zeros_like(found), found)

    def _cdf(self, value: Any, probs1: Any = None) -> Tensor:
        k, p = self._at(value, probs1)
        k = ops.floor(k)
        found = 1.0 - ops.pow(1.0 - p, k + 1.0)
        return ops.select(k < ops.zeros_like(found), ops.zeros_like(found), found)

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Tensor:
        (q,) = self._other(dist, probs1_b=probs1_b)
        p = self._check_param_type(probs1)
        return log(p / q) + ((1.0 - p) / p) * log((1.0 - p) / (1.0 - q))

    def _sample(self, shape: Any = (), probs1: Any = None) -> Tensor:
        p = self._check_param_type(probs1)
        drawn = self._uniform(self._shape_of(shape, p))
        return ops.cast(ops.floor(log(drawn) / log(1.0 - p)), self._dtype)


class Poisson(Distribution):
    """P(k) = rate^k exp(-rate) / k!.

    Args:
        rate: the mean, positive, and no single number; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, an int or float type.
        name: of the distribution.

    Raises:
        ValueError: ``rate`` is not positive.
        TypeError: ``rate`` is a number; ``dtype`` is no number type.

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
        self._begin(NUMBERS, seed, dtype, name, rate=rate)
        positive("Poisson", "rate", self.rate)

    @property
    def rate(self) -> Tensor:
        """The mean."""
        return self._rate_value

    def _mean(self, rate: Any = None) -> Tensor:
        return self._check_param_type(rate)

    _var = _mean

    def _mode(self, rate: Any = None) -> Tensor:
        return ops.floor(self._check_param_type(rate))

    def _counted(self, value: Any, rate: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Where values are negative, the values with 0 there, and the rate."""
        k, rate = self._at(value, rate)
        k = ops.cast(k, self.parameter_type)
        negative = k < ops.zeros_like(k)
        return negative, ops.select(negative, ops.zeros_like(k), k), rate

    def _log_prob(self, value: Any, rate: Any = None) -> Tensor:
        negative, k, rate = self._counted(value, rate)
        found = log(rate) * k - ops.lgamma(k + 1.0)
        found = ops.where(negative, ops.full_like(found, -math.inf), found)
        return found - exp(log(rate))

    def _cdf(self, value: Any, rate: Any = None) -> Tensor:
        negative, k, rate = self._counted(value, rate)
        found = 1.0 - ops.igamma(1.0 + k, rate)
        return ops.where(negative, ops.zeros_like(found), found)

    def _sample(self, shape: Any = (), rate: Any = None) -> Tensor:
        rate = ops.cast(self._check_param_type(rate), mstype.float32)
        return ops.cast(ops.poisson(self._shape_of(shape, rate), rate, self._seed), self._dtype)


__all__ = ["Bernoulli", "Geometric", "Poisson"]
