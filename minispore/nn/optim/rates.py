"""Learning rates and weight decays in the form that an optimizer stores them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.learning_rate_schedule import LearningRateSchedule


class _ConstantLR(LearningRateSchedule):
    """A schedule that returns the same Parameter at each step."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Tensor) -> Tensor:
        return ops.identity(self.learning_rate)


class _ListLR(LearningRateSchedule):
    """A schedule that takes the learning rate of each step from a list."""

    def __init__(self, learning_rate: Tensor, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(learning_rate, name)

    def construct(self, global_step: Tensor) -> Tensor:
        return ops.gather(self.learning_rate, global_step, 0)


class _ScaledDecay(Cell):
    """A weight-decay schedule, multiplied by the loss scale."""

    def __init__(self, weight_decay: Cell, loss_scale: float) -> None:
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step: Tensor) -> Tensor:
        """Return the weight decay of a step times the loss scale, as a 0-d Tensor."""
        return ops.reshape(self.weight_decay(global_step), ()) * self.loss_scale


def _is_constant(rate: Any) -> bool:
    """Whether a learning rate is the same at each step: a 0-d Tensor, or None."""
    return rate is None or (isinstance(rate, Tensor) and rate.ndim == 0)


def _make_rate(name: str, rate: Any) -> Any:
    """Convert a learning rate to a Tensor () or (steps,), or return a schedule unchanged.

    Raises:
        TypeError, ValueError: it has another type, or a number is negative or not finite.
    """
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
        return _check_step_rates(name, rate.asnumpy().astype(np.float32))
    if isinstance(rate, Iterable) and not isinstance(rate, str | bytes | Cell):
        try:
            step_rates = np.array([float(r) for r in rate], np.float32)
        except TypeError as exc:
            raise TypeError(f"{name}: learning_rate must hold numbers, got {rate!r}.") from exc
        except ValueError as exc:
            raise ValueError(f"{name}: learning_rate must hold numbers: {exc}.") from exc
        return _check_step_rates(name, step_rates)
    raise TypeError(
        f"{name}: learning_rate must be a number, a list or Tensor of numbers or a "
        f"LearningRateSchedule, got {checks.format_value(rate)}."
    )


def _check_step_rates(name: str, rates: np.ndarray) -> Tensor:
    """Check the learning rates of all steps and return them as a Tensor.

    Raises:
        ValueError: there are no rates, or one is negative, infinite or NaN.
    """
    if not rates.size:
        raise ValueError(f"{name}: learning_rate must hold a number for each step, got none.")
    invalid = rates[~(np.isfinite(rates) & (rates >= 0))]
    if invalid.size:
        raise ValueError(f"{name}: learning_rate must be >= 0 and finite, got {invalid[0]:g}.")
    return Tensor(rates)


def _make_rate_state(rate: Any, name: str, as_cell: bool) -> Any:
    """Make the Parameter or schedule that an optimizer stores for a learning rate.

    Args:
        rate: the result of :func:`_make_rate`, or None.
        name: the name of the Parameter that holds the rates.
        as_cell: return a schedule rather than a Parameter, even for a rate that never changes.

    Returns:
        A Parameter for a 0-d rate, or with ``as_cell`` a schedule that returns it; a schedule for
        rates per step. None and schedules are returned unchanged.
    """
    if rate is None or isinstance(rate, LearningRateSchedule):
        return rate
    if rate.ndim == 1:
        return _ListLR(rate, name)
    parameter = Parameter(rate, name)
    return _ConstantLR(parameter) if as_cell else parameter


def _scale_decay(name: str, decay: Any, loss_scale: float) -> Any:
    """Multiply a weight decay by the loss scale, since its sum with the gradient is divided by the
    scale.

    Returns:
        A number, or for a Cell one that multiplies its results.

    Raises:
        TypeError: it is neither a number nor a Cell.
        ValueError: it is negative.
    """
    if isinstance(decay, Cell):
        return _ScaledDecay(decay, loss_scale)
    if isinstance(decay, bool) or not isinstance(decay, int | float):
        raise TypeError(
            f"{name}: weight_decay must be a number or a Cell, got {checks.format_value(decay)}."
        )
    return checks.number(name, "weight_decay", decay, 0.0) * loss_scale
