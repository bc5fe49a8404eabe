"""Initialisers: what a weight holds before training, drawn from the one global stream
(``core.random``).

Each has ``make(shape, dtype) -> ndarray``, which :class:`~minispore.core.tensor.Tensor` calls at
once.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core import random
from minispore.core.filling import (
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
    fill_normal,
    fill_truncated,
    fill_uniform,
)
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean


class Initializer:
    """Base of all initialisers. A subclass fills an array in ``_initialize(arr)``.

    >>> class Half(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[...] = 0.5
    >>> print(initializer(Half(), (2,)))
    [0.5 0.5]
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs

    def _initialize(self, arr: np.ndarray) -> None:
        raise TypeError(
            f"{type(self).__name__}: must define _initialize(self, arr) that fills arr."
        )

    def __call__(self, arr: np.ndarray) -> None:
        """Fill ``arr``."""
        self._initialize(arr)

    def make(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """A new filled array."""
        arr = np.empty(shape, dtype)
        self._initialize(arr)
        return arr

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


_INITIALIZER_ALIAS: dict[str, type[Initializer]] = {}  # name in lower case -> class


def _register(*names: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Make a class known to ``initializer("name", ...)`` by its own name and ``names``."""

    def register(cls: type[Initializer]) -> type[Initializer]:
        for name in (cls.__name__.lower(), *names):
            _INITIALIZER_ALIAS[name] = cls
        return cls

    return register


@_register("zeros")
class Zero(Initializer):
    """Zeros."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(0)


@_register("ones")
class One(Initializer):
    """Ones."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(1)


class Constant(Initializer):
    """One value everywhere.

    >>> print(initializer(Constant(3), (2,)))
    [3. 3.]
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = self.value


@_register()
class Uniform(Initializer):
    """Uniform over [-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: np.ndarray) -> None:
        fill_uniform(arr, -self.scale, self.scale)


@_register()
class Normal(Initializer):
    """Normal with standard deviation ``sigma`` around ``mean``.

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
    """Normal with standard deviation ``sigma`` around ``mean``, of values in [a, b] only.

    The bounds are absolute, as in MindSpore 2: with sigma = 0.02 they cut nothing. MindSpore 1 cut
    at 2 sigma: ``TruncatedNormal(0.02, 0, -0.04, 0.04)`` draws what it drew.
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
    """Uniform over +-gain * sqrt(6 / (fan_in + fan_out)).

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
    """Normal with sigma = gain * sqrt(2 / (fan_in + fan_out)).

    Source: Glorot & Bengio 2010.
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        fill_normal(
            arr, 0.0, self.gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        )


class _He(Initializer):
    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _sigma(self, arr: np.ndarray) -> float:
        fan = _calculate_correct_fan(arr.shape, self.mode)
        return _calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)


@_register("he_uniform")
class HeUniform(_He):
    """Uniform over +-gain * sqrt(3 / fan).

    Source: He et al. 2015.
    """

    def _initialize(self, arr: np.ndarray) -> None:
        bound = math.sqrt(3.0) * self._sigma(arr)
        fill_uniform(arr, -bound, bound)


@_register("he_normal")
class HeNormal(_He):
    """Normal with sigma = gain / sqrt(fan).

    Source: He et al. 2015.
    """

    def _initialize(self, arr: np.ndarray) -> None:
        fill_normal(arr, 0.0, self._sigma(arr))


@_register()
class Identity(Initializer):
    """The identity matrix.

    Raises:
        ValueError: the shape does not have 2 axes.
    """

    def _initialize(self, arr: np.ndarray) -> None:
        _check_ndim("Identity", arr, (2,))
        arr[...] = np.eye(*arr.shape)


@_register()
class Sparse(Initializer):
    """Normal values, of which ceil(sparsity * rows) in each column are zero.

    Raises:
        ValueError: the shape does not have 2 axes.
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        _check_ndim("Sparse", arr, (2,))
        rows, cols = arr.shape
        fill_normal(arr, 0.0, self.sigma)
        zeros = math.ceil(self.sparsity * rows)
        for col in range(cols):
            arr[random.generator().permutation(rows)[:zeros], col] = 0


@_register()
class Dirac(Initializer):
    """A kernel that passes its input on: 1 at the centre, from each input channel to the output
    channel of its number.

    Args:
        groups: groups of the convolution; each one gets its own identity.

    Raises:
        ValueError: the shape does not have 3, 4 or 5 axes, or ``groups`` does not divide its first.
    """

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: np.ndarray) -> None:
        _check_ndim("Dirac", arr, (3, 4, 5))
        if arr.shape[0] % self.groups:
            raise ValueError(
                f"Dirac: groups must divide the first axis of {arr.shape}, got {self.groups}."
            )
        arr.fill(0)
        per_group = arr.shape[0] // self.groups
        centre = tuple(k // 2 for k in arr.shape[2:])
        for group in range(self.groups):
            for channel in range(min(per_group, arr.shape[1])):
                arr[(group * per_group + channel, channel, *centre)] = 1


@_register()
class Orthogonal(Initializer):
    """gain * Q with orthonormal rows or columns; axes after the first are one.

    Source: Saxe et al. 2014.

    Raises:
        ValueError: the shape has fewer than 2 axes.
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim < 2:
            raise ValueError(f"Orthogonal: the shape must have at least 2 axes, got {arr.shape}.")
        rows, cols = arr.shape[0], math.prod(arr.shape[1:])
        drawn = random.generator().standard_normal((max(rows, cols), min(rows, cols)))
        q, r = np.linalg.qr(drawn)
        q *= np.sign(np.diag(r))  # makes Q unique, hence uniformly distributed
        arr[...] = (self.gain * (q if rows >= cols else q.T)).reshape(arr.shape)


@_register()
class VarianceScaling(Initializer):
    """Values of variance scale / fan.

    Args:
        scale: the factor, above 0.
        mode: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"uniform"``, ``"untruncated_normal"`` or ``"truncated_normal"``, which draws
            uniform values as MindSpore's does.

    Raises:
        ValueError: an argument is none of these.
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal"
    ) -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if scale <= 0:
            raise ValueError(f"VarianceScaling: scale must be above 0, got {scale}.")
        for name, value, known in (
            ("mode", mode, ("fan_in", "fan_out", "fan_avg")),
            ("distribution", distribution, ("uniform", "truncated_normal", "untruncated_normal")),
        ):
            if value not in known:
                raise ValueError(
                    f"VarianceScaling: {name} must be one of {known}, got "
                    f"{value!r}.{did_you_mean(str(value), known)}"
                )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr: np.ndarray) -> None:
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "untruncated_normal":
            fill_normal(arr, 0.0, math.sqrt(variance))
        else:
            bound = math.sqrt(3.0 * variance)
            fill_uniform(arr, -bound, bound)


def _check_ndim(name: str, arr: np.ndarray, allowed: tuple[int, ...]) -> None:
    if arr.ndim not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(f"{name}: the shape must have {counts} axes, got {arr.shape}.")


def initializer(init: Any, shape: Any = None, dtype: Any = mstype.float32) -> Tensor:
    """A new tensor filled by ``init``.

    Args:
        init: an Initializer, its name (``"normal"``, ``"zeros"``, ``"he_uniform"``, ...), a
            number, or a Tensor
            (returned as it is).
        shape: an int, a tuple or a list; for a Tensor, what its shape must be.
        dtype: the data type.

    Raises:
        TypeError: ``init`` is none of these.
        ValueError: an unknown name, a shape with an axis below 1, or a Tensor of another shape.

    >>> print(initializer("ones", (1, 2)))
    [[1. 1.]]
    """
    if not isinstance(init, Tensor | numbers.Number | str | Initializer):
        raise TypeError(
            "initializer: init must be a Tensor, number, name or Initializer, "
            f"got {init!r} ({type(init).__name__})."
        )
    if isinstance(shape, numbers.Number):
        shape = (shape,)
    elif shape is not None:
        shape = tuple(shape)
    if isinstance(init, Tensor):
        if shape is not None and init.shape != shape:
            raise ValueError(
                f"initializer: init must have the shape {shape}, got a tensor of shape "
                f"{init.shape}."
            )
        return init
    if shape is None:
        raise ValueError("initializer: shape must be given unless init is a Tensor, got None.")
    for axis in shape:
        if isinstance(axis, bool) or not isinstance(axis, int | np.integer) or axis <= 0:
            raise ValueError(f"initializer: shape must consist of positive ints, got {shape}.")
    return Tensor(shape=shape, dtype=dtype, init=_as_initializer(init))


def _as_initializer(init: Any) -> Initializer:
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        found = _INITIALIZER_ALIAS.get(init.lower())
        if found is None:
            raise ValueError(
                "initializer: init must name an initializer, got "
                f"{init!r}.{did_you_mean(init, _INITIALIZER_ALIAS)}"
            )
        return found()
    return Constant(init)


__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "initializer",
]
