"""Learning rates and weight decays in the form that an optimizer keeps them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.learning_rate_schedule import LearningRateSchedule


class _Constant(LearningRateSchedule):
    """A learning rate that does not depend on the step, as a schedule."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Tensor) -> Tensor:
        return ops.identity(self.learning_rate)


class _PerStep(LearningRateSchedule):
    """The learning rate of each step from a list."""

    def __init__(self, learning_rate: Tensor, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(learning_rate, name)

    def construct(self, global_step: Tensor) -> Tensor:
        return ops.gather(self.learning_rate, global_step, 0)


class _Scaled(Cell):
    """A weight decay that depends on the step, times the loss scale."""

    def __init__(self, weight_decay: Cell, loss_scale: float) -> None:
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step: Tensor) -> Tensor:
        return ops.reshape(self.weight_decay(global_step), ()) * self.loss_scale


def _is_constant(rate: Any) -> bool:
    return rate is None or (isinstance(rate, Tensor) and rate.ndim == 0)


def _rate(name: str, rate: Any) -> Any:
    """A learning rate as a Tensor () or (steps,), or a schedule."""
    if isinstance(rate, LearningRateSchedule):
        return rate
    if isinstance(rate, int | float) and not isinstance(rate, bool):
        return Tensor(
            checks.number(name, "learning_rate", rate, 0.0, math.inf, "[)"), mstype.float32
        )
    if isinstance(rate, Tensor):
        if rate.ndim > 1:
            raise ValueError(
                f"{name}: learning_rate must have at most one axis, got a tensor of shape "
                f"{rate.shape}."
            )
        return _each_checked(name, rate.asnumpy().astype(np.float32))
    if isinstance(rate, Iterable) and not isinstance(rate, str | bytes | Cell):
        try:
            return _each_checked(name, np.array([float(r) for r in rate], np.float32))
        except TypeError as exc:
            raise TypeError(f"{name}: learning_rate must hold numbers, got {rate!r}.") from exc
        except ValueError as exc:
            raise ValueError(f"{name}: learning_rate must hold numbers. {exc}.") from exc
    raise TypeError(
        f"{name}: learning_rate must be a number, a list or Tensor of numbers or a "
        "LearningRateSchedule, "
        f"got {checks.format_value(rate)}."
    )


def _each_checked(name: str, rates: np.ndarray) -> Tensor:
    """Rates for each step, none of which is negative, infinite or NaN."""
    if not rates.size:
        raise ValueError(f"{name}: learning_rate must hold a number for each step, got none.")
    wrong = rates[~(np.isfinite(rates) & (rates >= 0))]
    if wrong.size:
        raise ValueError(f"{name}: learning_rate must be >= 0 and finite, got {wrong[0]}.")
    return Tensor(rates)


def _as_state(rate: Any, name: str, as_cell: bool) -> Any:
    """A learning rate as a Parameter ``name``, or (always with ``as_cell``) a Cell with one."""
    if rate is None or isinstance(rate, LearningRateSchedule):
        return rate
    if rate.ndim == 1:
        return _PerStep(rate, name)
    parameter = Parameter(rate, name)
    return _Constant(parameter) if as_cell else parameter


def _decay(name: str, decay: Any, loss_scale: float) -> Any:
    """A weight decay times the loss scale: gradients are divided by that after the decay
    has been added.
    """
    if isinstance(decay, Cell):
        return _Scaled(decay, loss_scale)
    if isinstance(decay, bool) or not isinstance(decay, int | float):
        raise TypeError(
            f"{name}: weight_decay must be a number or a Cell, got {checks.format_value(decay)}."
        )
    return checks.number(name, "weight_decay", decay, 0.0) * loss_scale
