"""Distributions of any number, by where they lie and how wide they are."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import FLOATS, constant, log, positive, softplus


class _LocScale(Distribution):
    """A distribution around ``loc``, of the width ``scale``."""

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.float32,
        name: str = "",
    ) -> None:
        self._begin(FLOATS, seed, dtype, name, loc=loc, scale=scale)
        positive(type(self).__name__, "scale", self._scale_value)

    @property
    def loc(self) -> Tensor:
        """The middle."""
        return self._loc_value

    @property
    def scale(self) -> Tensor:
        """The width."""
        return self._scale_value

    def _mode(self, loc: Any = None, scale: Any = None) -> Tensor:
        return self._check_param_type(loc, scale)[0]

    def _standard(self, value: Any, loc: Any, scale: Any) -> tuple[Tensor, Tensor]:
        """(value - loc) / scale, and the scale."""
        x, loc, scale = self._at(value, loc, scale)
        return (x - loc) / scale, scale

    def extend_repr(self) -> str:
        return super().extend_repr().replace("loc =", "location =")


class Cauchy(_LocScale):
    """f(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2)), which has no mean and no variance.

    Args:
        loc: the middle; None if every call gives it.
        scale: half of the width at half of the height, positive; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, a float type.
        name: of the distribution.

    Raises:
        ValueError: ``scale`` is not positive; ``mean``, ``sd`` or ``var`` is asked for.
        TypeError: ``dtype`` is no float type.

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

    def _undefined(self, *args: Any, **kwargs: Any) -> Tensor:
        raise ValueError(f"{self._name}: mean, sd and var are not defined. Ask for the mode.")

    _mean = _sd = _var = _undefined

    def _entropy(self, loc: Any = None, scale: Any = None) -> Tensor:
        _, scale = self._check_param_type(loc, scale)
        return log(scale) + math.log(4 * math.pi)

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, scale = self._standard(value, loc, scale)
        return -log(ops.square(z) + 1.0) - log(math.pi * scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, _ = self._standard(value, loc, scale)
        return ops.atan(z) / math.pi + 0.5

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, _ = self._standard(value, loc, scale)
        return log(2.0 * ops.atan(z) / math.pi + 1.0) - constant(math.log(2))

    def _kl_loss(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        loc_b, scale_b = self._other(dist, loc_b=loc_b, scale_b=scale_b)
        loc, scale = self._check_param_type(loc_a, scale_a)
        spread = log(ops.square(scale + scale_b) + ops.square(loc - loc_b))
        return spread - constant(math.log(4)) - log(scale) - log(scale_b)

    def _cross_entropy(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        return self._entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Tensor:
        loc, scale = self._check_param_type(loc, scale)
        drawn = self._uniform(self._shape_of(shape, loc))
        return ops.cast(loc + scale * ops.tan(math.pi * (drawn - 0.5)), self._dtype)


class Logistic(_LocScale):
    """F(x) = 1 / (1 + exp(-(x - loc) / scale)).

    Args:
        loc: the middle; None if every call gives it.
        scale: the width, positive; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, a float type.
        name: of the distribution.

    Raises:
        ValueError: ``scale`` is not positive.
        TypeError: ``dtype`` is no float type.

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

    _mean = _LocScale._mode

    def _sd(self, loc: Any = None, scale: Any = None) -> Tensor:
        return self._check_param_type(loc, scale)[1] * (math.pi / math.sqrt(3))

    def _entropy(self, loc: Any = None, scale: Any = None) -> Tensor:
        return log(self._check_param_type(loc, scale)[1]) + 2.0

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        z, scale = self._standard(value, loc, scale)
        return -z - 2.0 * softplus(-z) - log(scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return ops.sigmoid(self._standard(value, loc, scale)[0])

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return -softplus(-self._standard(value, loc, scale)[0])

    def _survival_function(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return ops.sigmoid(-self._standard(value, loc, scale)[0])

    def _log_survival(self, value: Any, loc: Any = None, scale: Any = None) -> Tensor:
        return -softplus(self._standard(value, loc, scale)[0])

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Tensor:
        loc, scale = self._check_param_type(loc, scale)
        drawn = self._uniform(self._shape_of(shape, loc))
        return ops.cast((log(drawn) - ops.log1p(-drawn)) * scale + loc, self._dtype)


class Laplace(Distribution):
    """f(x) = exp(-|x - mean| / sd) / (2 sd).

    Args:
        mean: the middle; None if every call gives it.
        sd: the width, positive; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, a float type.
        name: of the distribution.

    Raises:
        ValueError: ``sd`` is not positive.
        TypeError: ``dtype`` is no float type.

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
        self._begin(FLOATS, seed, dtype, name, mean=mean, sd=sd)
        positive("Laplace", "sd", self._sd_value)

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Tensor:
        x, mean, sd = self._at(value, mean, sd)
        return -ops.abs((x - mean) / sd) - log(2.0 * sd)


class StudentT(Distribution):
    """f(x) ~ (1 + ((x - mean) / sd)^2 / df)^(-(df + 1) / 2).

    Args:
        df: degrees of freedom, positive; None if every call gives them.
        mean: the middle; None if every call gives it.
        sd: the width, positive; None if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, a float type.
        name: of the distribution.

    Raises:
        ValueError: ``df`` or ``sd`` is not positive.
        TypeError: ``dtype`` is no float type.

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
        self._begin(FLOATS, seed, dtype, name, df=df, mean=mean, sd=sd)
        positive("StudentT", "sd", self._sd_value)
        positive("StudentT", "df", self._df_value)

    def _log_prob(self, value: Any, df: Any = None, mean: Any = None, sd: Any = None) -> Tensor:
        x, df, mean, sd = self._at(value, df, mean, sd)
        shape = -0.5 * (df + 1.0) * ops.log1p(((x - mean) / sd) ** 2.0 / df)
        width = log(ops.abs(sd)) + 0.5 * log(df) + 0.5 * math.log(math.pi)
        return shape - (width + ops.lgamma(0.5 * df) - ops.lgamma(0.5 * (df + 1.0)))


__all__ = ["Cauchy", "Laplace", "Logistic", "StudentT"]
