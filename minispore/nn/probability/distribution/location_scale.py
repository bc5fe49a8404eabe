"""Distributions with a location and a scale: Cauchy, logistic, Laplace, Student's t."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import FLOATS, check_positive, log, make_float32, softplus


class _LocationScale(Distribution):
    """Base of distributions with the location ``loc`` and the width ``scale``."""

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, loc=loc, scale=scale)
        check_positive(type(self).__name__, "scale", self._scale_value)

    @property
    def loc(self) -> Tensor:
        """The location."""
        return self._loc_value

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale_value

    def _mode(self, loc: Any = None, scale: Any = None) -> Tensor:
        return self._check_param_type(loc, scale)[0]

    def _standardize(self, value: Any, loc: Any, scale: Any) -> tuple[Tensor, Tensor]:
        """Return (value - loc) / scale, and the scale."""
        x, loc, scale = self._cast_value(value, loc, scale)
        return (x - loc) / scale, scale

    def extend_repr(self) -> str:
        return super().extend_repr().replace("loc =", "location =")


class Cauchy(_LocationScale):
    """The Cauchy distribution: f(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2)); no mean or
    variance.

    Args:
        loc: the median; None if it is passed in each call.
        scale: the half width at half maximum, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``scale`` is not positive; ``mean``, ``sd`` or ``var`` is called.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> cauchy = msd.Cauchy(3.0, 4.0)
    >>> print(cauchy.cdf(ms.Tensor([3.0, 7.0])))
    [0.5  0.75]
    """

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Cauchy",
    ) -> None:
        super().__init__(loc, scale, seed, dtype, name)

    def _raise_undefined(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise ValueError: the distribution has no mean, standard deviation and variance."""
        raise ValueError(f"{self._name}: mean, sd and var are not defined. Ask for the mode.")

    _mean = _sd = _var = _raise_undefined

    def _entropy(self, loc: Any = None, scale: Any = None) -> Tensor:
        _, scale = self._check_param_type(loc, scale)
        return log(scale) + math.log(4 * math.pi)

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, scale = self._standardize(value, loc, scale)
        return -log(ops.square(z) + 1.0) - log(math.pi * scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, _ = self._standardize(value, loc, scale)
        return ops.atan(z) / math.pi + 0.5

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, _ = self._standardize(value, loc, scale)
        return log(2.0 * ops.atan(z) / math.pi + 1.0) - make_float32(math.log(2))

    def _kl_loss(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        """Return the KL divergence from this Cauchy distribution to another."""
        loc_b, scale_b = self._check_other(dist, loc_b=loc_b, scale_b=scale_b)
        loc, scale = self._check_param_type(loc_a, scale_a)
        log_distance = log(ops.square(scale + scale_b) + ops.square(loc - loc_b))
        return log_distance - make_float32(math.log(4)) - log(scale) - log(scale_b)

    def _cross_entropy(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        return self._entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Tensor:
        loc, scale = self._check_param_type(loc, scale)
        uniform = self._draw_uniform(self._make_sample_shape(shape, loc))
        return ops.cast(loc + scale * ops.tan(math.pi * (uniform - 0.5)), self._dtype)


class Logistic(_LocationScale):
    """The logistic distribution: F(x) = 1 / (1 + exp(-(x - loc) / scale)).

    Args:
        loc: the median; None if it is passed in each call.
        scale: the width, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``scale`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.Logistic(0.0, 1.0).log_cdf(ms.Tensor([0.0, 2.0])).asnumpy().round(4))
    [-0.6931 -0.1269]
    """

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Logistic",
    ) -> None:
        super().__init__(loc, scale, seed, dtype, name)

    _mean = _LocationScale._mode

    def _sd(self, loc: Any = None, scale: Any = None) -> Tensor:
        return self._check_param_type(loc, scale)[1] * (math.pi / math.sqrt(3))

    def _entropy(self, loc: Any = None, scale: Any = None) -> Tensor:
        return log(self._check_param_type(loc, scale)[1]) + 2.0

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, scale = self._standardize(value, loc, scale)
        return -z - 2.0 * softplus(-z) - log(scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return ops.sigmoid(self._standardize(value, loc, scale)[0])

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return -softplus(-self._standardize(value, loc, scale)[0])

    def _survival_function(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return ops.sigmoid(-self._standardize(value, loc, scale)[0])

    def _log_survival(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return -softplus(self._standardize(value, loc, scale)[0])

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Tensor:
        loc, scale = self._check_param_type(loc, scale)
        uniform = self._draw_uniform(self._make_sample_shape(shape, loc))
        return ops.cast((log(uniform) - ops.log1p(-uniform)) * scale + loc, self._dtype)


class Laplace(Distribution):
    """The Laplace distribution: f(x) = exp(-|x - mean| / sd) / (2 sd).

    Args:
        mean: the location; None if it is passed in each call.
        sd: the width, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``sd`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.Laplace(0.0, 1.0).log_prob(ms.Tensor([0.0, 3.0])).asnumpy().round(4))
    [-0.6931 -3.6931]
    """

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "Laplace",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, mean=mean, sd=sd)
        check_positive("Laplace", "sd", self._sd_value)

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Tensor:
        x, mean, sd = self._cast_value(value, mean, sd)
        return -ops.abs((x - mean) / sd) - log(2.0 * sd)


class StudentT(Distribution):
    """Student's t-distribution: f(x) ~ (1 + ((x - mean) / sd)^2 / df)^(-(df + 1) / 2).

    Args:
        df: degrees of freedom, positive; None if they are passed in each call.
        mean: the location; None if it is passed in each call.
        sd: the width, positive; None if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, a float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``df`` or ``sd`` is not positive.
        TypeError: ``dtype`` is not a float type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> print(msd.StudentT(1.0, 0.0, 1.0).prob(ms.Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.3183 0.1592]
    """

    def __init__(
        self,
        df: Any = None,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "StudentT",
    ) -> None:
        self._init_distribution(FLOATS, seed, dtype, name, df=df, mean=mean, sd=sd)
        check_positive("StudentT", "sd", self._sd_value)
        check_positive("StudentT", "df", self._df_value)

    def _log_prob(self, value: Any, df: Any = None, mean: Any = None, sd: Any = None) -> Tensor:
        x, df, mean, sd = self._cast_value(value, df, mean, sd)
        shape_term = -0.5 * (df + 1.0) * ops.log1p(((x - mean) / sd) ** 2.0 / df)
        scale_term = log(ops.abs(sd)) + 0.5 * log(df) + 0.5 * math.log(math.pi)
        return shape_term - (scale_term + ops.lgamma(0.5 * df) - ops.lgamma(0.5 * (df + 1.0)))


__all__ = ["Cauchy", "Laplace", "Logistic", "StudentT"]
