"""Random initializers; each has its own seed (``execution.random.draw_initializer_seed``)."""

from __future__ import annotations

import math

import numpy as np

from minispore.core.initializer.base import Initializer, _check_ndim, _register
from minispore.core.initializer.filling import (
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
    fill_normal,
    fill_truncated,
    fill_uniform,
)
from minispore.errors import did_you_mean


@_register()
class Uniform(Initializer):
    """Initializer that draws uniform numbers from [-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: np.ndarray) -> None:
        fill_uniform(arr, -self.scale, self.scale)


class NumPyUniform(Initializer):
    """Initializer of recurrent layers: uniform numbers from [-scale, scale), drawn by NumPy."""

    def __init__(self, scale: float) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill ``arr`` from NumPy's global state; the numbers are rounded to float32."""
        samples = np.random.uniform(-self.scale, self.scale, arr.shape)  # noqa: NPY002
        arr[...] = samples.astype(np.float32)


@_register()
class Normal(Initializer):
    """Initializer that draws normal numbers of mean ``mean`` and standard deviation ``sigma``.

    Raises:
        ValueError: ``sigma`` is negative (when drawn).
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr: np.ndarray) -> None:
        fill_normal(arr, self.mean, self.sigma)


@_register()
class TruncatedNormal(Initializer):
    """Initializer that draws normal numbers of mean ``mean`` and standard deviation ``sigma``,
    truncated to [a, b].

    The bounds are absolute, as in MindSpore 2: with sigma = 0.02 they cut off nothing. MindSpore 1
    cut off at 2 sigma: ``TruncatedNormal(0.02, 0, -0.04, 0.04)`` draws the same numbers.
    """

    def __init__(
        self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0
    ) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr: np.ndarray) -> None:
        fill_truncated(arr, self.mean, self.sigma, self.a, self.b)


@_register("xavier_uniform")
class XavierUniform(Initializer):
    """Initializer that draws uniform numbers within +-gain * sqrt(6 / (fan_in + fan_out)).

    Source: Glorot & Bengio 2010.
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        bound = self.gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        fill_uniform(arr, -bound, bound)


@_register("xavier_normal")
class XavierNormal(Initializer):
    """Initializer that draws normal numbers with sigma = gain * sqrt(2 / (fan_in + fan_out)).

    Source: Glorot & Bengio 2010.
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        fill_normal(
            arr, 0.0, self.gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        )


class _HeInitializer(Initializer):
    """Base of the He initializers, which share the standard deviation gain / sqrt(fan)."""

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _compute_sigma(self, arr: np.ndarray) -> float:
        """Return the standard deviation for a weight of the shape of ``arr``."""
        fan = _calculate_correct_fan(arr.shape, self.mode)
        return _calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)


@_register("he_uniform")
class HeUniform(_HeInitializer):
    """Initializer that draws uniform numbers within +-gain * sqrt(3 / fan).

    Source: He et al. 2015.
    """

    def _initialize(self, arr: np.ndarray) -> None:
        bound = math.sqrt(3.0) * self._compute_sigma(arr)
        fill_uniform(arr, -bound, bound)


@_register("he_normal")
class HeNormal(_HeInitializer):
    """Initializer that draws normal numbers with sigma = gain / sqrt(fan).

    Source: He et al. 2015.
    """

    def _initialize(self, arr: np.ndarray) -> None:
        fill_normal(arr, 0.0, self._compute_sigma(arr))


@_register()
class Sparse(Initializer):
    """Initializer that draws normal numbers, and sets ceil(sparsity * rows) elements of each column
    to 0.

    Raises:
        ValueError: the shape does not have 2 axes.
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill ``arr`` with normal numbers, then set elements of each column to 0.

        These are chosen with NumPy's global random state, the normal numbers with minispore's seed.
        """
        _check_ndim("Sparse", arr, (2,))
        rows, cols = arr.shape
        fill_normal(arr, 0.0, self.sigma)
        zeros = math.ceil(self.sparsity * rows)
        for col in range(cols):
            arr[np.random.permutation(rows)[:zeros], col] = 0  # noqa: NPY002


@_register()
class Orthogonal(Initializer):
    """Initializer that fills an array with gain * Q, where Q has orthonormal rows or columns.

    The axes after the first are flattened.

    Source: Saxe et al. 2014.

    Raises:
        ValueError: the shape has fewer than 2 axes.
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill ``arr`` by a QR decomposition of normal numbers.

        Raises:
            ValueError: there are fewer than 2 axes.
        """
        if arr.ndim < 2:
            raise ValueError(f"Orthogonal: the shape must have at least 2 axes, got {arr.shape}.")
        rows = arr.shape[0]
        samples = np.empty((rows, arr.size // rows), np.float32)
        fill_normal(samples, 0, 1)
        is_wide = rows < samples.shape[1]
        q, r = np.linalg.qr(samples.T if is_wide else samples)
        q *= np.sign(np.diag(r))  # makes Q unique, hence uniformly distributed
        arr[...] = ((q.T if is_wide else q) * self.gain).reshape(arr.shape)


@_register()
class VarianceScaling(Initializer):
    """Initializer that draws numbers of variance scale / fan.

    Args:
        scale: the factor, above 0.
        mode: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"uniform"``, ``"untruncated_normal"`` or ``"truncated_normal"``. The last
            draws uniform values, as in MindSpore.

    Raises:
        ValueError: an argument has none of these values.
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal"
    ) -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if scale <= 0:
            raise ValueError(f"VarianceScaling: scale must be above 0, got {scale}.")
        for name, value, allowed in (
            ("mode", mode, ("fan_in", "fan_out", "fan_avg")),
            ("distribution", distribution, ("uniform", "truncated_normal", "untruncated_normal")),
        ):
            if value not in allowed:
                raise ValueError(
                    f"VarianceScaling: {name} must be one of {allowed}, got "
                    f"{value!r}.{did_you_mean(str(value), allowed)}"
                )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill ``arr`` with numbers of variance scale / max(1, fan): normal ones for
        "untruncated_normal", else uniform ones.
        """
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "untruncated_normal":
            fill_normal(arr, 0.0, math.sqrt(variance))
        else:
            bound = math.sqrt(3.0 * variance)
            fill_uniform(arr, -bound, bound)
