"""Gamma's and Beta's distributions."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import FLOATS, log, positive


def _no_scalar(owner: str, kinds: Any, **given: Any) -> None:
    for name, value in given.items():
        if isinstance(value, kinds):
            hint = f"Write [{value}]."
            raise TypeError(
                checks.format_error(owner, name, "be a list or a tensor", repr(value), hint)
            )


class Gamma(Distribution):
    """f(x) = rate^a x^(a - 1) exp(-rate x) / Gamma(a), where a is the concentration.

    Args:
        concentration: the shape of the curve, positive, and no single number; None if every call
            gives it.
        rate: 1 / scale, positive, and no single number; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, a float type.
        name: of the distribution.

    Raises:
        ValueError: a parameter is not positive.
        TypeError: a parameter is a number; ``dtype`` is no float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> gamma = msd.Gamma([3.0], [4.0])
    >>> print(gamma.mean(), gamma.cdf(ms.Tensor([1.0])).asnumpy().round(4))
    [0.75] [0.7619]
    """

    def __init__(
        self,
        concentration: Any = None,
        rate: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Gamma",
    ) -> None:
        _no_scalar("Gamma", int | float, concentration=concentration, rate=rate)
        self._begin(FLOATS, seed, dtype, name, concentration=concentration, rate=rate)
        positive("Gamma", "concentration", self.concentration)
        positive("Gamma", "rate", self.rate)

    @property
    def concentration(self) -> Tensor:
        """The shape of the curve."""
        return self._concentration_value

    @property
    def rate(self) -> Tensor:
        """1 / scale."""
        return self._rate_value

    def _mean(self, concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return a / rate

    def _var(self, concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return a / ops.square(rate)

    def _sd(self, concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return ops.sqrt(a) / rate

    def _mode(self, concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return ops.select(a > 1.0, (a - 1.0) / rate, ops.full_like(a, math.nan))

    def _entropy(self, concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return a - log(rate) + ops.lgamma(a) + (1.0 - a) * ops.digamma(a)

    def _cross_entropy(
        self,
        dist: str,
        concentration_b: Any,
        rate_b: Any,
        concentration_a: Any = None,
        rate_a: Any = None,
    ) -> Tensor:
        divergence = self._kl_loss(dist, concentration_b, rate_b, concentration_a, rate_a)
        return self._entropy(concentration_a, rate_a) + divergence

    def _log_prob(self, value: Any, concentration: Any = None, rate: Any = None) -> Tensor:
        x, a, rate = self._at(value, concentration, rate)
        return (a - 1.0) * log(x) - rate * x - (ops.lgamma(a) - a * log(rate))

    def _cdf(self, value: Any, concentration: Any = None, rate: Any = None) -> Tensor:
        x, a, rate = self._at(value, concentration, rate)
        return ops.igamma(a, rate * x)

    def _kl_loss(
        self,
        dist: str,
        concentration_b: Any,
        rate_b: Any,
        concentration_a: Any = None,
        rate_a: Any = None,
    ) -> Tensor:
        b, rate_b = self._other(dist, concentration_b=concentration_b, rate_b=rate_b)
        a, rate = self._check_param_type(concentration_a, rate_a)
        shapes = (a - b) * ops.digamma(a) + ops.lgamma(b) - ops.lgamma(a)
        return shapes + b * log(rate) - b * log(rate_b) + a * (rate_b / rate - 1.0)

    def _sample(self, shape: Any = (), concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return ops.cast(ops.gamma(self._shape_of(shape, a), a, rate, self._seed), self._dtype)


class Beta(Distribution):
    """f(x) = x^(a - 1) (1 - x)^(b - 1) / B(a, b) on [0, 1].

    Args:
        concentration1: a, positive, and no single float; None if every call gives it.
        concentration0: b, positive, and no single float; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, a float type.
        name: of the distribution.

    Raises:
        ValueError: a parameter is not positive.
        TypeError: a parameter is a float; ``dtype`` is no float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> beta = msd.Beta([3.0], [1.0])
    >>> print(beta.mean(), beta.prob(ms.Tensor([0.5])).asnumpy().round(4))
    [0.75] [0.75]
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Beta",
    ) -> None:
        given = {"concentration1": concentration1, "concentration0": concentration0}
        _no_scalar("Beta", float, **given)
        self._begin(FLOATS, seed, dtype, name, **given)
        positive("Beta", "concentration1", self.concentration1)
        positive("Beta", "concentration0", self.concentration0)

    @property
    def concentration1(self) -> Tensor:
        """a."""
        return self._concentration1_value

    @property
    def concentration0(self) -> Tensor:
        """b."""
        return self._concentration0_value

    def _mean(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        return a / (a + b)

    def _var(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        return a * b / (ops.square(a + b) * (a + b + 1.0))

    def _mode(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        top = (a - 1.0) / (a + b - 2.0)
        is_inside = ops.logical_and(a > 1.0, b > 1.0)
        return ops.select(is_inside, top, ops.full_like(top, math.nan))

    def _entropy(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        whole = (a + b - 2.0) * ops.digamma(a + b)
        parts = (a - 1.0) * ops.digamma(a), (b - 1.0) * ops.digamma(b)
        return _log_beta(a, b) - parts[0] - parts[1] + whole

    def _cross_entropy(
        self,
        dist: str,
        concentration1_b: Any,
        concentration0_b: Any,
        concentration1_a: Any = None,
        concentration0_a: Any = None,
    ) -> Tensor:
        own = concentration1_a, concentration0_a
        divergence = self._kl_loss(dist, concentration1_b, concentration0_b, *own)
        return self._entropy(*own) + divergence

    def _log_prob(
        self, value: Any, concentration1: Any = None, concentration0: Any = None
    ) -> Tensor:
        x, a, b = self._at(value, concentration1, concentration0)
        return (a - 1.0) * log(x) + (b - 1.0) * ops.log1p(-x) - _log_beta(a, b)

    def _kl_loss(
        self,
        dist: str,
        concentration1_b: Any,
        concentration0_b: Any,
        concentration1_a: Any = None,
        concentration0_a: Any = None,
    ) -> Tensor:
        other = {"concentration1_b": concentration1_b, "concentration0_b": concentration0_b}
        c, d = self._other(dist, **other)
        a, b = self._check_param_type(concentration1_a, concentration0_a)
        parts = ops.digamma(a) * (c - a), ops.digamma(b) * (d - b)
        whole = ops.digamma(a + b) * (c + d - (a + b))
        return _log_beta(c, d) - _log_beta(a, b) - parts[0] - parts[1] + whole

    def _sample(
        self, shape: Any = (), concentration1: Any = None, concentration0: Any = None
    ) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        ones, shape = ops.ones_like(a), self._shape_of(shape, a)
        drawn = ops.gamma(shape, a, ones, self._seed)
        return ops.cast(drawn / (drawn + ops.gamma(shape, b, ones, self._seed)), self._dtype)


def _log_beta(a: Tensor, b: Tensor) -> Tensor:
    """ln B(a, b)."""
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


__all__ = ["Beta", "Gamma"]
