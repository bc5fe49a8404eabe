"""The categorical distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.probability.distribution.distribution import Distribution
from minispore.nn.probability.parameters import NUMBERS, check_probability, log, read_values


class Categorical(Distribution):
    """The categorical distribution: P(k) = probs[..., k].

    Args:
        probs: the probability of each class along the last axis, between 0 and 1, with sum 1; None
            if it is passed in each call.
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples, an int or float type.
        name: the name of the distribution.

    Raises:
        ValueError: ``probs`` is 0-d, is not in (0, 1), or does not sum to 1.
        TypeError: ``dtype`` is not a numeric type.

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
        self._init_distribution(NUMBERS, seed, dtype, name, probs=probs)
        if self.probs is None:
            return
        if self.probs.ndim == 0:
            raise ValueError(
                checks.format_error("Categorical", "probs", "have an axis", f"{self.probs}")
            )
        check_probability("Categorical", "probs", self.probs)
        _check_sums_to_one(self.probs if isinstance(probs, list) else probs)
        self._broadcast_shape = tuple(self.probs.shape[:-1])
        self._is_scalar_batch = self._is_scalar_batch or self._broadcast_shape == ()

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self._probs_value

    def _mean(self, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        return _sum_classes(_make_class_numbers(p) * p)

    def _mode(self, probs: Any = None) -> Tensor:
        return ops.cast(ops.argmax(self._check_param_type(probs), -1), self._dtype)

    def _var(self, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        k = _make_class_numbers(p)
        return _sum_classes(ops.square(k) * p) - ops.square(_sum_classes(k * p))

    def _entropy(self, probs: Any = None) -> Tensor:
        p = self._check_param_type(probs)
        return ops.squeeze(-_sum_classes(log(p) * p))

    def _kl_loss(self, dist: str, probs_b: Any, probs: Any = None) -> Tensor:
        (q,) = self._check_other(dist, probs_b=probs_b)
        log_p, log_q = log(self._check_param_type(probs)), log(q)
        log_ratio = ops.log_softmax(log_p, -1) - ops.log_softmax(log_q, -1)
        return ops.squeeze(_sum_classes(ops.softmax(log_p, -1) * log_ratio))

    def _cross_entropy(self, dist: str, probs_b: Any, probs: Any = None) -> Tensor:
        return self._entropy(probs) + self._kl_loss(dist, probs_b, probs)

    def _look_up(self, value: Any, table: Tensor) -> tuple[Tensor, Tensor]:
        """Return the entry of ``table`` for the class of each value, and the rounded values.

        A value below or above all classes gets the entry of the first or last class.
        """
        k = ops.expand_dims(ops.cast(self._check_value(value, "value"), table.dtype), -1)
        # values between -1 and 1 are rounded towards 0, others down
        k = ops.select(ops.logical_and(k < 0, k > -1.0), ops.zeros_like(k), ops.floor(k))
        shape = np.broadcast_shapes(k.shape[:-1], table.shape[:-1])
        table = ops.broadcast_to(table, (*shape, table.shape[-1]))
        k = ops.broadcast_to(k, (*shape, 1))
        index = ops.cast(ops.clip_by_value(k, 0.0, table.shape[-1] - 1.0), mstype.int32)
        return ops.squeeze(ops.gather_elements(table, -1, index), -1), ops.squeeze(k, -1)

    def _log_prob(self, value: Any, probs: Any = None) -> Tensor:
        """Return ln(P) of the class of each rounded value; NaN, not -inf, if there is no such
        class.
        """
        p = self._check_param_type(probs)
        log_probs, k = self._look_up(value, log(p))
        outside = ops.logical_or(k < 0.0, k > p.shape[-1] - 1.0)
        return ops.select(outside, ops.full_like(log_probs, math.nan), log_probs)

    def _cdf(self, value: Any, probs: Any = None) -> Tensor:
        """Return the probability of the classes up to each rounded value; 0 below the first."""
        probabilities, k = self._look_up(value, ops.cumsum(self._check_param_type(probs), -1))
        return ops.select(k < 0.0, ops.zeros_like(probabilities), probabilities)

    def _sample(self, shape: Any = (), probs: Any = None) -> Tensor:
        """Draw class indices of shape ``shape`` + the batch shape; they have no gradient."""
        p = self._check_param_type(probs)
        checks.instance(self._name, "shape", shape, tuple)
        rows = ops.reshape(p, (-1, p.shape[-1]))
        samples = ops.multinomial(rows, math.prod(shape), seed=self._seed)
        samples = ops.reshape(ops.transpose(samples, (1, 0)), shape + tuple(p.shape[:-1]))
        return ops.stop_gradient(ops.cast(samples, self._dtype))


def _check_sums_to_one(probs: Any) -> None:
    """Check that the probabilities sum to 1 over the last axis, if their values already exist.

    Raises:
        ValueError: a sum is not 1.
    """
    numbers = probs if isinstance(probs, np.ndarray) else read_values(probs)
    if numbers is None:
        return
    sums = np.sum(numbers, -1)
    eps = np.finfo(sums.dtype).eps
    if not np.allclose(sums, 1, rtol=10 * eps, atol=eps):
        rule = "add up to 1 over the classes"
        raise ValueError(
            checks.format_error("Categorical", "probs", rule, checks.format_short(sums.tolist()))
        )


def _make_class_numbers(probs: Tensor) -> Tensor:
    """Return the class indices 0, 1, ... as a float32 Tensor."""
    return Tensor(np.arange(probs.shape[-1], dtype=np.float32))


def _sum_classes(x: Tensor) -> Tensor:
    """Return the sum over the last axis, which is kept."""
    return ops.ReduceSum(keep_dims=True)(x, -1)


__all__ = ["Categorical"]
