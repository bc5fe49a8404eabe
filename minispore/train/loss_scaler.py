"""Loss scalers for training loops of one's own: multiply the loss, divide the gradients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import checks, ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors, tensors_in


def all_finite(inputs: Iterable[Tensor]) -> Tensor:
    """Whether no element of any tensor is NaN or infinite, as a bool Tensor.

    >>> print(all_finite((Tensor([1.0, 2.0]), Tensor([float("inf")]))))
    False
    """
    found = tensors_in(tuple(inputs))
    answer = Tensor(np.array(True))
    for t in found:
        answer = ops.logical_and(answer, ops.isfinite(t).all())
    return answer


def is_finite(inputs: Any) -> Tensor:
    """Whether one tensor, or all of nested ones, hold finite numbers only.

    Args:
        inputs: a tensor, or tuples, lists and dicts of them.

    >>> print(is_finite((Tensor([1.0]), Tensor([2.0]))))
    True
    """
    return all_finite(tensors_in(inputs))


class LossScaler(ABC):
    """Base of the scalers."""

    scale_value: Parameter

    @abstractmethod
    def adjust(self, grads_finite: Tensor) -> Any:
        """Change the factor after a step whose gradients were finite or not."""

    def scale(self, inputs: Any) -> Any:
        """``inputs`` (a Tensor or nested ones) times the factor."""
        return map_tensors(lambda t: t * ops.cast(self.scale_value, t.dtype), inputs)

    def unscale(self, inputs: Any) -> Any:
        """``inputs`` (a Tensor or nested ones) divided by the factor."""
        inverse = ops.reciprocal(self.scale_value)
        return map_tensors(lambda t: t * ops.cast(inverse, t.dtype), inputs)


def _scale_parameter(who: str, value: Any) -> Parameter:
    if checks.number(who, "scale_value", value) < 1.0:
        raise ValueError(f"{who}: scale_value must be >= 1, got {value}.")
    return Parameter(Tensor(float(value), mstype.float32), name="scale_value")


class StaticLossScaler(LossScaler):
    """A factor that stays.

    Args:
        scale_value: the factor.

    Raises:
        TypeError: it is no number.
        ValueError: it is less than 1.

    >>> print(StaticLossScaler(8).scale(Tensor(2.0)))
    16.0
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value = _scale_parameter("StaticLossScaler", scale_value)

    def adjust(self, grads_finite: Tensor) -> bool:
        return False


class DynamicLossScaler(LossScaler):
    """A factor that rises after ``scale_window`` good steps in a row and falls on an overflow.

    Args:
        scale_value: the first factor.
        scale_factor: what it is multiplied or divided by.
        scale_window: the number of good steps.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one is out of range.

    >>> scaler = DynamicLossScaler(scale_value=4, scale_factor=2, scale_window=1)
    >>> _ = scaler.adjust(Tensor(np.array(False)))
    >>> print(scaler.scale_value.asnumpy())
    2.0
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        who = "DynamicLossScaler"
        self.scale_value = _scale_parameter(who, scale_value)
        self.scale_window = checks.integer(who, "scale_window", scale_window, 1)
        self.scale_factor = checks.integer(who, "scale_factor", scale_factor, 1)
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter")

    def adjust(self, grads_finite: Tensor) -> bool:
        risen = self.scale_value * self.scale_factor
        risen = ops.select(ops.isfinite(risen), risen, self.scale_value * 1.0)
        due = ops.equal(self.counter, self.scale_window - 1)
        kept = ops.select(due, risen, self.scale_value * 1.0)
        one = Tensor(1.0, mstype.float32)
        fallen = ops.maximum(one, self.scale_value / self.scale_factor)
        good = ops.cast(grads_finite, mstype.int32)
        counter = ((self.counter + 1) % self.scale_window) * good
        ops.assign(self.scale_value, ops.select(grads_finite, kept, fallen))
        ops.assign(self.counter, ops.cast(counter, mstype.int32))
        return True
