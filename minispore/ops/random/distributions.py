"""Draws from further distributions: truncated normal, gamma, Poisson, log-normal, Cauchy,
uniform.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import FLOAT32, REAL, broadcast, check_dtype_kind
from minispore.ops.elementwise.error_function import erfc64, erfinv64
from minispore.ops.random.draws import INT32, _Draw, _Seeded, to_primitive_seed
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, check_dtype, check_shape, to_static


class TruncatedNormal(_Draw):
    """Draws from the standard normal distribution truncated to [-2, 2], in a shape of at least 2
    axes.

    >>> bool((abs(TruncatedNormal()(Tensor([5, 9])).asnumpy()) <= 2).all())
    True
    """

    dtype: Any = mstype.float32
    seed: int = 0  # type: ignore[misc]
    seed2: int = 0  # type: ignore[misc]

    def __call__(self, shape: Any) -> Tensor:
        return super().__call__(to_static(shape))

    def infer(self, shape: Any) -> Spec:
        """Return the spec of ``shape`` in ``dtype``; raise ValueError for fewer than 2 axes."""
        if len(check_shape(self.name, shape)) < 2:
            raise ValueError(f"{self.name}: shape must have at least 2 axes, got {shape}.")
        return Spec(shape, mstype.to_numpy(self.dtype))

    def kernel(self, shape: Any, *, out: np.ndarray) -> None:
        out[...] = convert_to_truncated_normal(self.stream.random(out.shape), -2.0, 2.0)


class ParameterizedTruncatedNormal(_Seeded):
    """Draws from truncated normal distributions whose mean, deviation and bounds are set per row.

    Shape: shape: (N, ...); mean, stdevs, min, max: (N,) or (1,).

    >>> one = Tensor([1.0])
    >>> draw = ParameterizedTruncatedNormal()
    >>> bool((draw(Tensor([2, 9]), one, one, one, one * 2).asnumpy() >= 1).all())
    True
    """

    def __call__(self, shape: Any, mean: Any, stdevs: Any, min: Any, max: Any) -> Tensor:
        return super().__call__(to_static(shape), mean, stdevs, min, max)

    def infer(self, shape: Any, mean: Spec, stdevs: Spec, min: Spec, max: Spec) -> Spec:
        """Return a spec of ``shape`` in the dtype of ``mean``.

        Raises:
            TypeError: a parameter is not a float tensor.
            ValueError: ``shape`` has fewer than 2 axes, or a parameter has neither one number nor
                one per row.
        """
        shape = check_shape(self.name, shape)
        if len(shape) < 2:
            raise ValueError(f"{self.name}: shape must have at least 2 axes, got {shape}.")
        for name, v in (("mean", mean), ("stdevs", stdevs), ("min", min), ("max", max)):
            if check_dtype_kind(self.name, v, FLOAT_KINDS, name).shape not in ((), (1,), shape[:1]):
                raise ValueError(
                    f"{self.name}: {name} must have the shape (1,) or ({shape[0]},), got {v}."
                )
        return Spec(shape, mean.dtype)

    def kernel(
        self, shape: Any, mean: Any, stdevs: Any, min: Any, max: Any, *, out: np.ndarray
    ) -> None:
        """Draw uniform numbers, and convert each row by its mean, deviation and bounds."""
        row_shape = (-1,) + (1,) * (out.ndim - 1)
        mean, stdevs, low, high = (v.reshape(row_shape) for v in (mean, stdevs, min, max))
        draws = self.stream.random(out.shape)
        out[...] = mean + stdevs * convert_to_truncated_normal(
            draws, (low - mean) / stdevs, (high - mean) / stdevs
        )


def convert_to_truncated_normal(uniforms: np.ndarray, low: Any, high: Any) -> np.ndarray:
    """Convert uniform draws from [0, 1) to truncated standard normal draws by the inverse CDF.

    ``low`` and ``high``, the bounds in standard deviations, broadcast with ``uniforms``. The result
    is float64.
    """
    low_cdf, high_cdf = (erfc64(-np.asarray(v, np.float64) / math.sqrt(2)) / 2 for v in (low, high))
    normals = math.sqrt(2) * erfinv64(2 * (low_cdf + (high_cdf - low_cdf) * uniforms) - 1)
    return np.clip(normals, low, high)


class Gamma(_Seeded):
    """Gamma draws (float32) with shape ``alpha`` and rate ``beta``, which broadcast with ``shape``.

    >>> Gamma()((3, 2), Tensor([1.0, 2.0]), Tensor([1.0])).shape
    (3, 2)
    """

    def __call__(self, shape: Any, alpha: Any, beta: Any) -> Tensor:
        return super().__call__(to_static(shape), alpha, beta)

    def infer(self, shape: Any, alpha: Spec, beta: Spec) -> Spec:
        """Return the float32 spec of the broadcast shape; raise unless alpha and beta are float
        tensors.
        """
        check_dtype_kind(self.name, alpha, FLOAT_KINDS, "alpha")
        check_dtype_kind(self.name, beta, FLOAT_KINDS, "beta")
        requested = Spec(check_shape(self.name, shape), FLOAT32)
        return Spec(broadcast(self.name, requested, alpha, beta), FLOAT32)

    def kernel(self, shape: Any, alpha: Any, beta: Any, *, out: np.ndarray) -> None:
        """Draw the numbers; NumPy raises a ValueError if an alpha is negative."""
        out[...] = self.stream.gamma(alpha, 1 / beta, out.shape)


class RandomGamma(_Seeded):
    """Gamma draws with shape ``alpha`` and rate 1, in the shape ``(*shape, *alpha.shape)``.

    >>> RandomGamma()(Tensor([3]), Tensor([1.0, 2.0])).shape
    (3, 2)
    """

    def __call__(self, shape: Any, alpha: Any) -> Tensor:
        return super().__call__(to_static(shape), alpha)

    def infer(self, shape: Any, alpha: Spec) -> Spec:
        check_dtype_kind(self.name, alpha, FLOAT_KINDS, "alpha")
        return Spec((*check_shape(self.name, shape), *alpha.shape), alpha.dtype)

    def kernel(self, shape: Any, alpha: Any, *, out: np.ndarray) -> None:
        """Draw the numbers; NumPy raises a ValueError if an alpha is negative."""
        out[...] = self.stream.standard_gamma(alpha, out.shape)


class Poisson(_Seeded):
    """Poisson draws (int32) with the means ``mean``; ``shape`` and the shape of ``mean`` broadcast.

    >>> print(Poisson()((2,), Tensor([0.0])))
    [0 0]
    """

    def __call__(self, shape: Any, mean: Any) -> Tensor:
        return super().__call__(to_static(shape), mean)

    def infer(self, shape: Any, mean: Spec) -> Spec:
        """Return the int32 spec of the broadcast shape; raise unless mean is a float tensor."""
        check_dtype_kind(self.name, mean, FLOAT_KINDS, "mean")
        requested = Spec(check_shape(self.name, shape), INT32)
        return Spec(broadcast(self.name, requested, mean), INT32)

    def kernel(self, shape: Any, mean: Any, *, out: np.ndarray) -> None:
        """Draw the numbers; NumPy raises a ValueError if a mean is negative or NaN."""
        out[...] = self.stream.poisson(mean, out.shape)


class RandomPoisson(_Seeded):
    """Poisson draws in ``dtype`` with the means ``rate``, in the shape ``(*shape, *rate.shape)``.

    >>> print(RandomPoisson()(Tensor([2]), Tensor([0.0])))
    [[0]
     [0]]
    """

    dtype: Any = mstype.int64

    def __call__(self, shape: Any, rate: Any) -> Tensor:
        return super().__call__(to_static(shape), rate)

    def infer(self, shape: Any, rate: Spec) -> Spec:
        check_dtype_kind(self.name, rate, REAL, "rate")
        return Spec((*check_shape(self.name, shape), *rate.shape), mstype.to_numpy(self.dtype))

    def kernel(self, shape: Any, rate: Any, *, out: np.ndarray) -> None:
        """Draw the numbers; NumPy raises a ValueError if a rate is negative or NaN."""
        out[...] = self.stream.poisson(rate, out.shape)


class LogNormalReverse(_Draw):
    """Log-normal draws in the shape and dtype of x, whose values are not used.

    ``mean`` and ``std`` are those of the normal distribution of the logarithm.

    >>> LogNormalReverse()(Tensor([[1.0, 2.0]])).shape
    (1, 2)
    """

    mean: float = 1.0
    std: float = 2.0
    seed = seed2 = 0

    def infer(self, x: Spec) -> Spec:
        return check_dtype_kind(self.name, x, FLOAT_KINDS)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = self.stream.lognormal(self.mean, self.std, out.shape)


class Cauchy(_Draw):
    """Cauchy draws (float32) in the shape ``size`` with the location ``median`` and the scale
    ``sigma``.

    >>> Cauchy([2, 3])().shape
    (2, 3)
    """

    size: tuple[int, ...]
    median: float = 0.0
    sigma: float = 1.0
    seed = seed2 = 0

    def infer(self) -> Spec:
        return Spec(check_shape(self.name, self.size, "size"), FLOAT32)

    def kernel(self, *, out: np.ndarray) -> None:
        out[...] = self.median + self.sigma * self.stream.standard_cauchy(out.shape)


class NonDeterministicInts(_Draw):
    """Integers drawn uniformly from the whole range of ``dtype`` (int32 or int64).

    >>> NonDeterministicInts()(Tensor([2, 2])).shape
    (2, 2)
    """

    dtype: Any = mstype.int64
    seed = seed2 = 0

    def check(self) -> None:
        """Check the seeds; raise TypeError unless ``dtype`` is int32 or int64."""
        super().check()
        if self.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(f"{self.name}: dtype must be int32 or int64, got {self.dtype!r}.")

    def __call__(self, shape: Any) -> Tensor:
        return super().__call__(to_static(shape))

    def infer(self, shape: Any) -> Spec:
        return Spec(check_shape(self.name, shape), mstype.to_numpy(self.dtype))

    def kernel(self, shape: Any, *, out: np.ndarray) -> None:
        info = np.iinfo(out.dtype)
        out[...] = self.stream.integers(info.min, info.max, out.shape, out.dtype, endpoint=True)


class Uniform(_Draw):
    """Uniform draws from [minval, maxval), in the shape and dtype of ``x``.

    Args:
        minval: a float.
        maxval: a float, at least ``minval``.
        seed: seed of a private stream, unless this and ``offset`` are 0.
        offset: the second half of the seed.

    >>> Uniform(1.0, 2.0)(Tensor([0.0, 0.0])).shape
    (2,)
    """

    minval: float = 0.0
    maxval: float = 1.0
    seed: int = 0  # type: ignore[misc]
    offset: int = 0

    def check(self) -> None:
        """Check that the seeds are non-negative ints, and the bounds floats in ascending order.

        Raises:
            TypeError: a seed is not an int, or a bound is not a float.
            ValueError: a seed is negative, or ``minval`` exceeds ``maxval``.
        """
        checks.integer(self.name, "seed", self.seed, 0)
        checks.integer(self.name, "offset", self.offset, 0)
        for name in ("minval", "maxval"):
            if not isinstance(getattr(self, name), float):
                raise TypeError(
                    f"{self.name}: {name} must be a float, got {getattr(self, name)!r}."
                )
        if self.minval > self.maxval:
            raise ValueError(
                f"{self.name}: minval must be <= maxval={self.maxval}, got {self.minval}."
            )

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed and the offset of the op."""
        return self.seed, self.offset

    def infer(self, x: Spec) -> Spec:
        return check_dtype(self.name, x, "x", "float16", "float32", "float64")

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = self.stream.uniform(self.minval, self.maxval, out.shape)


# -- functions -------------------------------------------------------------------------------------


def gamma(shape: Any, alpha: Tensor, beta: Tensor, seed: int | None = None) -> Tensor:
    """Return gamma draws (float32) with shape ``alpha`` and rate ``beta``, which broadcast with
    ``shape``.
    """
    return Gamma(to_primitive_seed("gamma", seed))(shape, alpha, beta)


def random_gamma(shape: Any, alpha: Tensor, seed: int | None = None) -> Tensor:
    """Return gamma draws with shape ``alpha`` and rate 1, in the shape ``(*shape,
    *alpha.shape)``.
    """
    return RandomGamma(to_primitive_seed("random_gamma", seed))(shape, alpha)


def poisson(shape: Any, mean: Tensor, seed: int | None = None) -> Tensor:
    """Return Poisson draws (int32) with the means ``mean``, whose shape broadcasts with
    ``shape``.
    """
    return Poisson(to_primitive_seed("poisson", seed))(shape, mean)


def random_poisson(
    shape: Any, rate: Tensor, seed: int | None = None, dtype: Any = mstype.float32
) -> Tensor:
    """Return Poisson draws in ``dtype`` with the means ``rate``, in the shape ``(*shape,
    *rate.shape)``.
    """
    return RandomPoisson(to_primitive_seed("random_poisson", seed), 0, dtype)(shape, rate)


@method("log_normal")
def _log_normal_method(self: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Return log-normal draws in the shape and dtype of the tensor, whose values do not change.

    ``mean`` and ``std`` are those of the normal distribution of the logarithm.
    """
    return LogNormalReverse(mean, std)(self)


@method("cauchy")
def _cauchy_method(self: Tensor, median: float = 0.0, sigma: float = 1.0) -> Tensor:
    """Return Cauchy draws in the shape and dtype of the tensor, whose values do not change."""
    return Cast()(Cauchy(self.shape, median, sigma)(), self.dtype)


__all__ = [
    "Cauchy",
    "Gamma",
    "LogNormalReverse",
    "NonDeterministicInts",
    "ParameterizedTruncatedNormal",
    "Poisson",
    "RandomGamma",
    "RandomPoisson",
    "TruncatedNormal",
    "gamma",
    "poisson",
    "random_gamma",
    "random_poisson",
]
