"""One of several classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import NUMBERS, held, log, probability


class Categorical(Distribution):
    """P(k) = probs[..., k].

    Args:
        probs: the probability of each class along the last axis, between 0 and 1, 1 in all; None
            if every call gives it.
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples, an int or float type.
        name: of the distribution.

    Raises:
        ValueError: ``probs`` has no axis, is not in (0, 1), or does not add up to 1.
        TypeError: ``dtype`` is no number type.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> die = msd.Categorical([0.5, 0.25, 0.25])
    >>> print(die.cdf(ms.Tensor([0, 1, 2])), die.mode(), die.mean())
    [0.5  0.75 1.  ] 0 [0.75]
    >>> die.sample((3,)).shape
    (3,)
    """

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: Any = mstype.int32,
        name: str = "Categorical",
    ) -> None:
        self._begin(NUMBERS, seed, dtype, name, probs=probs)
        if self.probs is None:
            return
        if self.probs.ndim == 0:
            raise ValueError(
                checks.format_error("Categorical", "probs", "have an axis", f"{self.probs}")
            )
        probability("Categorical", "probs", self.probs)
        _whole(self.probs if isinstance(probs, list) else probs)
        self._broadcast_shape = tuple(self.probs.shape[:-1])
        self._is_scalar_batch = self._is_scalar_batch or self._broadcast_shape == ()

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self._probs_value

    def _mean(self, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        return _sum(_classes(p) * p)

    def _mode(self, probs: Any = None) -> Tensor:
        return ops.cast(ops.argmax(self._check_param_type(probs), -1), self._dtype)

    def _var(self, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        k = _classes(p)
        return _sum(ops.square(k) * p) - ops.square(_sum(k * p))

    def _entropy(self, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        return ops.squeeze(-_sum(log(p) * p))

    def _kl_loss(self, dist: str, probs_b: Any, probs: Any = None) -> Tensor:
        (q,) = self._other(dist, probs_b=probs_b)
        own, other = log(self._check_param_type(probs)), log(q)
        apart = ops.log_softmax(own, -1) - ops.log_softmax(other, -1)
        return ops.squeeze(_sum(ops.softmax(own, -1) * apart))

    def _cross_entropy(self, dist: str, probs_b: Any, probs: Any = None) -> Tensor:
        return self._entropy(probs) + self._kl_loss(dist, probs_b, probs)

    def _picked(self, value: Any, table: Tensor) -> tuple[Tensor, Tensor]:
        """The entry of the table for each value's class, and the values."""
        k = ops.expand_dims(ops.cast(self._check_value(value, "value"), table.dtype), -1)
        # rounded towards 0 between -1 and 1, downwards elsewhere
        k = ops.select(ops.logical_and(k < 0, k > -1.0), ops.zeros_like(k), ops.floor(k))
        shape = np.broadcast_shapes(k.shape[:-1], table.shape[:-1])
        table = ops.broadcast_to(table, (*shape, table.shape[-1]))
        k = ops.broadcast_to(k, (*shape, 1))
        index = ops.cast(ops.clip_by_value(k, 0.0, table.shape[-1] - 1.0), mstype.int32)
        return ops.squeeze(ops.gather_elements(table, -1, index), -1), ops.squeeze(k, -1)

    def _log_prob(self, value: Any, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        found, k = self._picked(value, log(p))
        outside = ops.logical_or(k < 0.0, k > p.shape[-1] - 1.0)
        return ops.select(outside, ops.full_like(found, math.nan), found)

    def _cdf(self, value: Any, probs: Any = None) -> Tensor:
        found, k = self._picked(value, ops.cumsum(self._check_param_type(probs), -1))
        return ops.select(k < 0.0, ops.zeros_like(found), found)

    def _sample(self, shape: Any = (), probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        checks.instance(self._name, "shape", shape, tuple)
        rows = ops.reshape(p, (-1, p.shape[-1]))
        drawn = ops.multinomial(rows, math.prod(shape), seed=self._seed)
        drawn = ops.reshape(ops.transpose(drawn, (1, 0)), shape + tuple(p.shape[:-1]))
        return ops.stop_gradient(ops.cast(drawn, self._dtype))


def _whole(probs: Any) -> None:
    numbers = probs if isinstance(probs, np.ndarray) else held(probs)
    if numbers is None:
        return
    sums = np.sum(numbers, -1)
    eps = np.finfo(sums.dtype).eps
    if not np.allclose(sums, 1, rtol=10 * eps, atol=eps):
        rule = "add up to 1 over the classes"
        raise ValueError(
            checks.format_error("Categorical", "probs", rule, checks.format_short(sums.tolist()))
        )


def _classes(probs: Tensor) -> Tensor:
    return Tensor(np.arange(probs.shape[-1], dtype=np.float32))


def _sum(x: Tensor) -> Tensor:
    return ops.ReduceSum(keep_dims=True)(x, -1)


__all__ = ["Categorical"]
