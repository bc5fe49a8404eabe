"""The factor that keeps small float16 gradients from vanishing: managers, which a Model takes, and
scalers for training loops of one's own, which multiply the loss and divide the gradients.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors, tensors_in
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

MAX_OVERFLOWS = 1000  # in a row, as MindSpore allows


class LossScaleManager:
    """Base of the managers."""

    def get_loss_scale(self) -> float:
        """The factor now."""
        return 1.0

    def update_loss_scale(self, overflow: bool) -> None:
        """Note whether the last step's gradients overflowed."""

    def get_drop_overflow_update(self) -> bool:
        """Whether a step whose gradients overflowed leaves the weights as they are."""
        return False

    def get_update_cell(self) -> Cell | None:
        """The Cell that changes the factor within a training step, if there is one."""
        return None


class FixedLossScaleManager(LossScaleManager):
    """A factor that stays.

    Args:
        loss_scale: the factor.
        drop_overflow_update: skip a step whose gradients overflowed.

    Raises:
        ValueError: ``loss_scale`` is less than 1.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        who = "FixedLossScaleManager"
        if checks.number(who, "loss_scale", loss_scale) < 1:
            raise ValueError(f"{who}: loss_scale must be >= 1, got {loss_scale}.")
        self._loss_scale = loss_scale
        self._drop = checks.boolean(who, "drop_overflow_update", drop_overflow_update)

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        return self._drop

    def get_update_cell(self) -> Cell | None:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A factor that falls on an overflow and rises after ``scale_window`` good steps.

    Args:
        init_loss_scale: the first factor.
        scale_factor: what it is divided or multiplied by.
        scale_window: steps without overflow until it rises.

    Raises:
        TypeError: ``scale_window`` is no int.
        ValueError: an argument is out of range.
        RuntimeError: later: more than 1000 overflows in a row.

    >>> manager = DynamicLossScaleManager(init_loss_scale=4, scale_window=2)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    2.0
    """

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: float = 2, scale_window: int = 2000
    ) -> None:
        who = "DynamicLossScaleManager"
        if checks.number(who, "init_loss_scale", init_loss_scale) < 1:
            raise ValueError(f"{who}: init_loss_scale must be >= 1, got {init_loss_scale}.")
        if checks.number(who, "scale_factor", scale_factor) <= 0:
            raise ValueError(f"{who}: scale_factor must be > 0, got {scale_factor}.")
        self.loss_scale = init_loss_scale
        self.scale_window = checks.integer(who, "scale_window", scale_window, 1)
        self.scale_factor = scale_factor
        self.cur_iter = 1
        self.last_overflow_iter = 0
        self.bad_step = 0
        self.bad_step_max = MAX_OVERFLOWS

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        if overflow:
            self.loss_scale = max(self.loss_scale / self.scale_factor, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.scale_factor
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError(
                f"DynamicLossScaleManager: {self.bad_step} steps in a row have overflowed. The "
                "training does not converge; lower the learning rate."
            )
        self.cur_iter += 1

    def get_drop_overflow_update(self) -> bool:
        return True

    def get_update_cell(self) -> Cell | None:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


# -- scalers ---------------------------------------------------------------------------------------


def init_status() -> Tensor:
    """What MindSpore 2.0 asks for in :func:`all_finite`, the flag of a device; it holds nothing."""
    return Tensor(np.zeros(8, np.float32))


def all_finite(inputs: Iterable[Tensor], status: Tensor | None = None) -> Tensor:
    """Whether no element of any tensor is NaN or infinite, as a bool Tensor.

    Args:
        inputs: the tensors.
        status: what :func:`init_status` gave; the tensors alone are looked at.

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
