"""The gamma and beta distributions."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import FLOATS, check_positive, log


def _check_no_scalar(api_name: str, scalar_types: Any, **params: Any) -> None:
    """Check that no parameter is a Python scalar, which MindSpore rejects; raises TypeError."""
    for name, value in params.items():
        if isinstance(value, scalar_types):
            hint = f"Write [{value}]."
            raise TypeError(
                checks.format_error(api_name, name, "be a list or a tensor", repr(value), hint)
            )


class Gamma(Distribution):
    """The gamma distribution: f(x) = rate^a x^(a-1) exp(-rate x) / Gamma(a), a = concentration.

    Args:
        concentration: the shape parameter a, positive, not a Python scalar; None if it is passed in
            each call.
        rate: 1 / scale, positive, not a Python scalar; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: a parameter is not positive.
        TypeError: a parameter is a Python scalar; ``dtype`` is not a float type.

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
        _check_no_scalar("Gamma", int | float, concentration=concentration, rate=rate)
        self._init_distribution(FLOATS, seed, dtype, name, concentration=concentration, rate=rate)
        check_positive("Gamma", "concentration", self.concentration)
        check_positive("Gamma", "rate", self.rate)

    @property
    def concentration(self) -> Tensor:
        """The shape parameter a."""
        return self._concentration_value

    @property
    def rate(self) -> Tensor:
        """The rate, 1 / scale."""
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
        """Return (concentration - 1) / rate; NaN unless the concentration is above 1."""
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
        """Return the entropy plus the KL divergence to another gamma distribution."""
        divergence = self._kl_loss(dist, concentration_b, rate_b, concentration_a, rate_a)
        return self._entropy(concentration_a, rate_a) + divergence

    def _log_prob(self, value: Any, concentration: Any = None, rate: Any = None) -> Tensor:
        x, a, rate = self._cast_value(value, concentration, rate)
        return (a - 1.0) * log(x) - rate * x - (ops.lgamma(a) - a * log(rate))

    def _cdf(self, value: Any, concentration: Any = None, rate: Any = None) -> Tensor:
        x, a, rate = self._cast_value(value, concentration, rate)
        return ops.igamma(a, rate * x)

    def _kl_loss(
        self,
        dist: str,
        concentration_b: Any,
        rate_b: Any,
        concentration_a: Any = None,
        rate_a: Any = None,
    ) -> Tensor:
        """Return the KL divergence from this gamma distribution to another."""
        b, rate_b = self._check_other(dist, concentration_b=concentration_b, rate_b=rate_b)
        a, rate = self._check_param_type(concentration_a, rate_a)
        shape_term = (a - b) * ops.digamma(a) + ops.lgamma(b) - ops.lgamma(a)
        return shape_term + b * log(rate) - b * log(rate_b) + a * (rate_b / rate - 1.0)

    def _sample(self, shape: Any = (), concentration: Any = None, rate: Any = None) -> Tensor:
        a, rate = self._check_param_type(concentration, rate)
        return ops.cast(
            ops.gamma(self._make_sample_shape(shape, a), a, rate, self._seed), self._dtype
        )


class Beta(Distribution):
    """The beta distribution: f(x) = x^(a - 1) (1 - x)^(b - 1) / B(a, b) on [0, 1].

    Args:
        concentration1: a, positive, not a Python float; None if it is passed in each call.
        concentration0: b, positive, not a Python float; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: a parameter is not positive.
        TypeError: a parameter is a Python float; ``dtype`` is not a float type.

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
        params = {"concentration1": concentration1, "concentration0": concentration0}
        _check_no_scalar("Beta", float, **params)
        self._init_distribution(FLOATS, seed, dtype, name, **params)
        check_positive("Beta", "concentration1", self.concentration1)
        check_positive("Beta", "concentration0", self.concentration0)

    @property
    def concentration1(self) -> Tensor:
        """The shape parameter a."""
        return self._concentration1_value

    @property
    def concentration0(self) -> Tensor:
        """The shape parameter b."""
        return self._concentration0_value

    def _mean(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        return a / (a + b)

    def _var(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        return a * b / (ops.square(a + b) * (a + b + 1.0))

    def _mode(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        """Return (a - 1) / (a + b - 2); NaN unless both parameters are above 1."""
        a, b = self._check_param_type(concentration1, concentration0)
        mode = (a - 1.0) / (a + b - 2.0)
        is_inside = ops.logical_and(a > 1.0, b > 1.0)
        return ops.select(is_inside, mode, ops.full_like(mode, math.nan))

    def _entropy(self, concentration1: Any = None, concentration0: Any = None) -> Tensor:
        a, b = self._check_param_type(concentration1, concentration0)
        sum_term = (a + b - 2.0) * ops.digamma(a + b)
        terms = (a - 1.0) * ops.digamma(a), (b - 1.0) * ops.digamma(b)
        return _log_beta(a, b) - terms[0] - terms[1] + sum_term

    def _cross_entropy(
        self,
        dist: str,
        concentration1_b: Any,
        concentration0_b: Any,
        concentration1_a: Any = None,
        concentration0_a: Any = None,
    ) -> Tensor:
        """Return the entropy plus the KL divergence to another beta distribution."""
        params_a = concentration1_a, concentration0_a
        divergence = self._kl_loss(dist, concentration1_b, concentration0_b, *params_a)
        return self._entropy(*params_a) + divergence

    def _log_prob(
        self, value: Any, concentration1: Any = None, concentration0: Any = None
    ) -> Tensor:
        x, a, b = self._cast_value(value, concentration1, concentration0)
        return (a - 1.0) * log(x) + (b - 1.0) * ops.log1p(-x) - _log_beta(a, b)

    def _kl_loss(
        self,
        dist: str,
        concentration1_b: Any,
        concentration0_b: Any,
        concentration1_a: Any = None,
        concentration0_a: Any = None,
    ) -> Tensor:
        """Return the KL divergence from this beta distribution to another."""
        params_b = {"concentration1_b": concentration1_b, "concentration0_b": concentration0_b}
        c, d = self._check_other(dist, **params_b)
        a, b = self._check_param_type(concentration1_a, concentration0_a)
        terms = ops.digamma(a) * (c - a), ops.digamma(b) * (d - b)
        sum_term = ops.digamma(a + b) * (c + d - (a + b))
        return _log_beta(c, d) - _log_beta(a, b) - terms[0] - terms[1] + sum_term

    def _sample(
        self, shape: Any = (), concentration1: Any = None, concentration0: Any = None
    ) -> Tensor:
        """Return a / (a + b) for gamma-distributed a and b."""
        a, b = self._check_param_type(concentration1, concentration0)
        ones, shape = ops.ones_like(a), self._make_sample_shape(shape, a)
        gamma_a = ops.gamma(shape, a, ones, self._seed)
        return ops.cast(gamma_a / (gamma_a + ops.gamma(shape, b, ones, self._seed)), self._dtype)


def _log_beta(a: Tensor, b: Tensor) -> Tensor:
    """Return ln B(a, b)."""
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


__all__ = ["Beta", "Gamma"]
