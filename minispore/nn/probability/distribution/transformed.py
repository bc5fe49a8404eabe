"""Transformed distributions: log-normal and Gumbel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.nn.probability import parameters
from minispore.nn.probability.bijector.bijector import Invert
from minispore.nn.probability.bijector.power_transform import Exp
from minispore.nn.probability.bijector.scalar import GumbelCDF
from minispore.nn.probability.distribution.distribution import TransformedDistribution
from minispore.nn.probability.distribution.normal import Normal
from minispore.nn.probability.distribution.range import Uniform
from minispore.nn.probability.parameters import exp, log, make_float32


class LogNormal(TransformedDistribution):
    """The log-normal distribution, of e^x where x is normally distributed.

    Args:
        loc: the mean of x; None if it is passed in each call.
        scale: the standard deviation of x, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``scale`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> wealth = msd.LogNormal(0.0, 1.0)
    >>> print(wealth.cdf(ms.Tensor([-1.0, 1.0])), wealth.mean().asnumpy().round(4))
    [0.  0.5] 1.6487
    """

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = 0,
        dtype: Any = mstype.float32,
        name: str = "LogNormal",
    ) -> None:
        super().__init__(Exp(), Normal(loc, scale, seed, dtype), seed, name)
        self._add_parameters(loc=loc, scale=scale)

    @property
    def loc(self) -> Tensor:
        """The mean of x."""
        return self._loc_value

    @property
    def scale(self) -> Tensor:
        """The standard deviation of x."""
        return self._scale_value

    def _get_dist_type(self) -> str:
        return "LogNormal"

    def _get_mean_and_variance(self, loc: Any, scale: Any) -> tuple[Tensor, Tensor]:
        """Return the mean and the variance of x = ln(value)."""
        mean, sd = self._check_param_type(loc, scale)
        return mean, ops.square(sd)

    def _mean(self, loc: Any = None, scale: Any = None) -> Tensor:
        mean, var = self._get_mean_and_variance(loc, scale)
        return exp(mean + 0.5 * var)

    def _mode(self, loc: Any = None, scale: Any = None) -> Tensor:
        mean, var = self._get_mean_and_variance(loc, scale)
        return exp(mean - var)

    def _var(self, loc: Any = None, scale: Any = None) -> Tensor:
        mean, var = self._get_mean_and_variance(loc, scale)
        return ops.expm1(var) * exp(2.0 * mean + var)

    def _entropy(self, loc: Any = None, scale: Any = None) -> Tensor:
        mean, sd = self._check_param_type(loc, scale)
        return mean + 0.5 + log(sd) + 0.5 * math.log(2 * math.pi)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        """Return the normal CDF of ln(value); 0 where the value is not positive."""
        mean, sd = self._check_param_type(loc, scale)
        probabilities = self.distribution.cdf(self.bijector.inverse(value), mean, sd)
        return ops.select(
            value > ops.zeros_like(probabilities), probabilities, ops.zeros_like(probabilities)
        )

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        mean, sd = self._check_param_type(loc, scale)
        log_prob = self.distribution.log_prob(self.bijector.inverse(value), mean, sd)
        return log_prob + self.bijector.inverse_log_jacobian(value)

    def _kl_loss(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        self._check_other(dist, loc_b=loc_b, scale_b=scale_b)
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc_a, scale_a)

    def _cross_entropy(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        return self._entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Tensor:
        mean, sd = self._check_param_type(loc, scale)
        return self.bijector.forward(self.distribution.sample(shape, mean, sd))

    def extend_repr(self) -> str:
        return super(TransformedDistribution, self).extend_repr()


class Gumbel(TransformedDistribution):
    """The Gumbel distribution: F(x) = exp(-exp(-(x - loc) / scale)).

    Args:
        loc: the mode, where the density is highest.
        scale: the width, positive.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``scale`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.Gumbel(0.0, 1.0).cdf(ms.Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.3679 0.6922]
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        seed: int | None = 0,
        dtype: Any = mstype.float32,
        name: str = "Gumbel",
    ) -> None:
        parameters.check_dtype("Gumbel", dtype, parameters.FLOATS)
        cdf = GumbelCDF(loc, scale)
        super().__init__(Invert(cdf), Uniform(0.0, 1.0, seed, dtype), seed, name)
        self._add_parameters(loc=loc, scale=scale)
        self._by_cdf = cdf

    @property
    def loc(self) -> Tensor:
        """The mode of the distribution."""
        return self._loc_value

    @property
    def scale(self) -> Tensor:
        """The scale of the distribution."""
        return self._scale_value

    def _get_dist_type(self) -> str:
        return "Gumbel"

    def _mean(self) -> Tensor:
        return self.loc + self.scale * float(np.euler_gamma)

    def _mode(self) -> Tensor:
        return self.loc * ops.ones_like(self.scale)

    def _broadcast_scale(self) -> Tensor:
        """Return the scale, broadcast to the shape of all parameters."""
        return self.scale * ops.ones(self.broadcast_shape, self.parameter_type)

    def _sd(self) -> Tensor:
        return self._broadcast_scale() * math.pi / make_float32(math.sqrt(6))

    def _entropy(self) -> Tensor:
        return 1.0 + log(self._broadcast_scale()) + float(np.euler_gamma)

    def _log_prob(self, value: Any) -> Tensor:
        z = (ops.cast(self._check_value(value, "value"), self._dtype) - self.loc) / self.scale
        return -(z + exp(-z)) - log(self.scale)

    def _cdf(self, value: Any) -> Tensor:
        return self._by_cdf.forward(ops.cast(self._check_value(value, "value"), self._dtype))

    def _cross_entropy(self, dist: str, loc_b: Any, scale_b: Any) -> Tensor:
        return self._entropy() + self._kl_loss(dist, loc_b, scale_b)

    def _kl_loss(self, dist: str, loc_b: Any, scale_b: Any) -> Tensor:
        loc_b, scale_b = self._check_other(dist, loc_b=loc_b, scale_b=scale_b)
        ratio, distance = self.scale / scale_b, (self.loc - loc_b) / scale_b
        linear = log(scale_b / self.scale) + float(np.euler_gamma) * (ratio - 1.0) + distance
        return linear + ops.expm1(ops.lgamma(ratio + 1.0) - distance)

    def _sample(self, shape: Any = ()) -> Tensor:
        uniform = self._draw_uniform(self._make_sample_shape(shape, self._broadcast_scale()))
        return self.bijector.forward(ops.cast(uniform, self._dtype))

    def extend_repr(self) -> str:
        return super(TransformedDistribution, self).extend_repr()


__all__ = ["Gumbel", "LogNormal"]
