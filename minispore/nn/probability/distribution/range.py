"""Distributions with bounded support: uniform, and exponential on [0, inf)."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import FLOATS, check_positive, exp, log, read_values


class Uniform(Distribution):
    """The uniform distribution: f(x) = 1 / (high - low) if low <= x <= high, else 0.

    Args:
        low: the lower bound; None if it is passed in each call.
        high: the upper bound, greater than ``low``; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``high`` is not greater than ``low``.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> uniform = msd.Uniform(0.0, 4.0)
    >>> print(uniform.prob(ms.Tensor([1.0, 5.0])), uniform.mean())
    [0.25 0.  ] 2.0
    """

    def __init__(
        self,
        low: Any = None,
        high: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Uniform",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, low=low, high=high)
        bounds = read_values(self.low), read_values(self.high)
        if bounds[0] is not None and bounds[1] is not None and not (bounds[0] < bounds[1]).all():
            bounds_text = " and ".join(
                checks.format_short(b.tolist()) for b in bounds if b is not None
            )
            raise ValueError(
                checks.format_error("Uniform", "low", "be less than high", bounds_text)
            )

    @property
    def low(self) -> Tensor:
        """The lower bound."""
        return self._low_value

    @property
    def high(self) -> Tensor:
        """The upper bound."""
        return self._high_value

    def _compute_width(self, low: Any = None, high: Any = None) -> Tensor:
        """Return high - low."""
        low, high = self._check_param_type(low, high)
        return high - low

    def _mean(self, low: Any = None, high: Any = None) -> Tensor:
        low, high = self._check_param_type(low, high)
        return (low + high) / 2.0

    def _var(self, low: Any = None, high: Any = None) -> Tensor:
        return ops.square(self._compute_width(low, high)) / 12.0

    def _entropy(self, low: Any = None, high: Any = None) -> Tensor:
        return log(self._compute_width(low, high))

    def _cross_entropy(
        self, dist: str, low_b: Any, high_b: Any, low: Any = None, high: Any = None
    ) -> Tensor:
        return self._entropy(low, high) + self._kl_loss(dist, low_b, high_b, low, high)

    def _prob(self, value: Any, low: Any = None, high: Any = None) -> Tensor:
        x, low, high = self._cast_value(value, low, high)
        density = exp(-ops.ones_like(x) * log(high - low))
        inside = ops.logical_and(x >= low, x <= high)
        return ops.select(inside, density, ops.zeros_like(density))

    def _cdf(self, value: Any, low: Any = None, high: Any = None) -> Tensor:
        x, low, high = self._cast_value(value, low, high)
        fraction = (x - low) / (high - low)
        clipped = ops.select(x < low, ops.zeros_like(fraction), fraction)
        return ops.select(x < high, clipped, ops.ones_like(fraction))

    def _kl_loss(
        self, dist: str, low_b: Any, high_b: Any, low: Any = None, high: Any = None
    ) -> Tensor:
        """Return the KL divergence to another uniform distribution; inf unless that covers this."""
        low_b, high_b = self._check_other(dist, low_b=low_b, high_b=high_b)
        low, high = self._check_param_type(low, high)
        divergence = log(high_b - low_b) - log(high - low)
        inside = ops.logical_and(low_b <= low, high <= high_b)
        return ops.select(inside, divergence, ops.full_like(divergence, math.inf))

    def _sample(self, shape: Any = (), low: Any = None, high: Any = None) -> Tensor:
        low, high = self._check_param_type(low, high)
        uniform = ops.rand(self._make_sample_shape(shape, low), seed=self._seed)
        return ops.cast((high - low) * uniform + low, self._dtype)


class Exponential(Distribution):
    """The exponential distribution: f(x) = rate exp(-rate x) if x >= 0, else 0.

    Args:
        rate: 1 / mean, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``rate`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.Exponential(2.0).prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4))
    [0.     2.     0.2707]
    """

    def __init__(
        self,
        rate: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Exponential",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, rate=rate)
        check_positive("Exponential", "rate", self.rate)

    @property
    def rate(self) -> Tensor:
        """The rate, 1 / mean."""
        return self._rate_value

    def _mean(self, rate: Any = None) -> Tensor:
        return 1.0 / self._check_param_type(rate)

    _sd = _mean

    def _mode(self, rate: Any = None) -> Tensor:
        return ops.cast(ops.zeros_like(self._check_param_type(rate)), self._dtype)

    def _entropy(self, rate: Any = None) -> Tensor:
        return 1.0 - log(self._check_param_type(rate))

    def _cross_entropy(self, dist: str, rate_b: Any, rate: Any = None) -> Tensor:
        return self._entropy(rate) + self._kl_loss(dist, rate_b, rate)

    def _log_prob(self, value: Any, rate: Any = None) -> Tensor:
        x, rate = self._cast_value(value, rate)
        density = log(rate) - rate * x
        return ops.select(x < ops.zeros_like(density), ops.full_like(density, -math.inf), density)

    def _cdf(self, value: Any, rate: Any = None) -> Tensor:
        x, rate = self._cast_value(value, rate)
        below = 1.0 - exp(-1.0 * rate * x)
        return ops.select(x < ops.zeros_like(below), ops.zeros_like(below), below)

    def _log_survival(self, value: Any, rate: Any = None) -> Tensor:
        x, rate = self._cast_value(value, rate)
        above = -1.0 * rate * x
        return ops.select(x < ops.zeros_like(above), ops.zeros_like(above), above)

    def _kl_loss(self, dist: str, rate_b: Any, rate: Any = None) -> Tensor:
        (rate_b,) = self._check_other(dist, rate_b=rate_b)
        rate = self._check_param_type(rate)
        return log(rate) - log(rate_b) + rate_b / rate - 1.0

    def _sample(self, shape: Any = (), rate: Any = None) -> Tensor:
        rate = self._check_param_type(rate)
        uniform = self._draw_uniform(self._make_sample_shape(shape, rate))
        return ops.cast(-log(uniform) / rate, self._dtype)


__all__ = ["Exponential", "Uniform"]
