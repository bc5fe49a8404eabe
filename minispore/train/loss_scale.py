"""Loss scaling, which keeps small float16 gradients from vanishing.

Managers are passed to a Model; scalers multiply the loss and divide the gradients in custom
training loops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors, tensors_in
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

MAX_CONSECUTIVE_OVERFLOWS = 1000  # MindSpore's limit


class LossScaleManager:
    """The base class of the loss scale managers."""

    def get_loss_scale(self) -> float:
        """Return the current factor."""
        return 1.0

    def update_loss_scale(self, overflow: bool) -> None:
        """Adapt the factor after a step; ``overflow`` says whether its gradients overflowed."""

    def get_drop_overflow_update(self) -> bool:
        """Whether a step whose gradients overflowed leaves the weights unchanged."""
        return False

    def get_update_cell(self) -> Cell | None:
        """Return the Cell that updates the factor within a training step, or None."""
        return None


class FixedLossScaleManager(LossScaleManager):
    """A constant loss scale.

    Args:
        loss_scale: the factor.
        drop_overflow_update: whether to skip a step whose gradients overflowed.

    Raises:
        ValueError: ``loss_scale`` is less than 1.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        api_name = "FixedLossScaleManager"
        if checks.number(api_name, "loss_scale", loss_scale) < 1:
            raise ValueError(f"{api_name}: loss_scale must be >= 1, got {loss_scale}.")
        self._loss_scale = loss_scale
        self._drops_overflow_update = checks.boolean(
            api_name, "drop_overflow_update", drop_overflow_update
        )

    def get_loss_scale(self) -> float:
        """Return the factor."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether an update is dropped when gradients overflow."""
        return self._drops_overflow_update

    def get_update_cell(self) -> Cell | None:
        """Return a Cell with the constant factor if updates are dropped on overflow; else None."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drops_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale that decreases on overflow and increases after ``scale_window`` good steps.

    Args:
        init_loss_scale: the initial factor.
        scale_factor: the divisor and multiplier of the loss scale.
        scale_window: steps without overflow until the factor increases.

    Raises:
        TypeError: ``scale_window`` is not an int.
        ValueError: an argument is out of range.
        RuntimeError: more than 1000 updates in a row report an overflow.

    >>> manager = DynamicLossScaleManager(init_loss_scale=4, scale_window=2)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    2.0
    """

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: float = 2, scale_window: int = 2000
    ) -> None:
        api_name = "DynamicLossScaleManager"
        if checks.number(api_name, "init_loss_scale", init_loss_scale) < 1:
            raise ValueError(f"{api_name}: init_loss_scale must be >= 1, got {init_loss_scale}.")
        if checks.number(api_name, "scale_factor", scale_factor) <= 0:
            raise ValueError(f"{api_name}: scale_factor must be > 0, got {scale_factor}.")
        self.loss_scale = init_loss_scale
        self.scale_window = checks.integer(api_name, "scale_window", scale_window, 1)
        self.scale_factor = scale_factor
        self.cur_iter = 1
        self.last_overflow_iter = 0
        self.bad_step = 0
        self.bad_step_max = MAX_CONSECUTIVE_OVERFLOWS

    def get_loss_scale(self) -> float:
        """Return the current factor."""
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        """Divide the factor after an overflow; multiply it after ``scale_window`` good steps.

        Raises:
            RuntimeError: too many steps in a row have overflowed.
        """
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
        """Return True: an update is dropped when gradients overflow."""
        return True

    def get_update_cell(self) -> Cell | None:
        """Return a new Cell that adjusts the factor in a graph, starting from the current one."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


# -- scalers ---------------------------------------------------------------------------------------


def init_status() -> Tensor:
    """Return a placeholder for the overflow flag that MindSpore 2.0's :func:`all_finite` takes."""
    return Tensor(np.zeros(8, np.float32))


def all_finite(inputs: Iterable[Tensor], status: Tensor | None = None) -> Tensor:
    """Whether no element of any tensor is NaN or infinite, as a bool Tensor.

    Args:
        inputs: the tensors.
        status: the result of :func:`init_status`; has no effect.

    >>> print(all_finite((Tensor([1.0, 2.0]), Tensor([float("inf")]))))
    False
    """
    tensors = tensors_in(tuple(inputs))
    is_all_finite = Tensor(np.array(True))
    for t in tensors:
        is_all_finite = ops.logical_and(is_all_finite, ops.isfinite(t).all())
    return is_all_finite


def is_finite(inputs: Any) -> Tensor:
    """Whether a tensor, or all tensors in nested containers, hold only finite numbers.

    Args:
        inputs: a tensor, or tuples, lists and dicts of them.

    >>> print(is_finite((Tensor([1.0]), Tensor([2.0]))))
    True
    """
    return all_finite(tensors_in(inputs))


class LossScaler(ABC):
    """The base class of the scalers for custom training loops."""

    scale_value: Parameter

    @abstractmethod
    def adjust(self, grads_finite: Tensor) -> Any:
        """Update the factor after a step; ``grads_finite`` says whether its gradients were
        finite.
        """

    def scale(self, inputs: Any) -> Any:
        """Return ``inputs`` (a Tensor or nested Tensors) multiplied by the factor."""
        return map_tensors(lambda t: t * ops.cast(self.scale_value, t.dtype), inputs)

    def unscale(self, inputs: Any) -> Any:
        """Return ``inputs`` (a Tensor or nested Tensors) divided by the factor."""
        inverse = ops.reciprocal(self.scale_value)
        return map_tensors(lambda t: t * ops.cast(inverse, t.dtype), inputs)


def _make_scale_parameter(api_name: str, value: Any) -> Parameter:
    """Check a loss scale, at least 1, and make the float32 Parameter that holds it."""
    if checks.number(api_name, "scale_value", value) < 1.0:
        raise ValueError(f"{api_name}: scale_value must be >= 1, got {value}.")
    return Parameter(Tensor(float(value), mstype.float32), name="scale_value")


class StaticLossScaler(LossScaler):
    """A constant loss scale, for custom training loops.

    Args:
        scale_value: the factor.

    Raises:
        TypeError: it is not a number.
        ValueError: it is less than 1.

    >>> print(StaticLossScaler(8).scale(Tensor(2.0)))
    16.0
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value = _make_scale_parameter("StaticLossScaler", scale_value)

    def adjust(self, grads_finite: Tensor) -> bool:
        """Leave the factor unchanged; return False."""
        return False


class DynamicLossScaler(LossScaler):
    """A loss scale that increases after ``scale_window`` good steps and decreases on overflow.

    Args:
        scale_value: the initial factor.
        scale_factor: the multiplier and divisor of the loss scale.
        scale_window: the number of consecutive good steps.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.

    >>> scaler = DynamicLossScaler(scale_value=4, scale_factor=2, scale_window=1)
    >>> _ = scaler.adjust(Tensor(np.array(False)))
    >>> print(scaler.scale_value.asnumpy())
    2.0
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        api_name = "DynamicLossScaler"
        self.scale_value = _make_scale_parameter(api_name, scale_value)
        self.scale_window = checks.integer(api_name, "scale_window", scale_window, 1)
        self.scale_factor = checks.integer(api_name, "scale_factor", scale_factor, 1)
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter")

    def adjust(self, grads_finite: Tensor) -> bool:
        """Update the factor after a step, depending on whether its gradients were finite; return
        True.
        """
        increased = self.scale_value * self.scale_factor
        increased = ops.select(ops.isfinite(increased), increased, self.scale_value * 1.0)
        must_increase = ops.equal(self.counter, self.scale_window - 1)
        scale_if_finite = ops.select(must_increase, increased, self.scale_value * 1.0)
        one = Tensor(1.0, mstype.float32)
        decreased = ops.maximum(one, self.scale_value / self.scale_factor)
        # Steps without overflow since the scale last changed; 0 after an overflow.
        good_steps = ((self.counter + 1) % self.scale_window) * ops.cast(grads_finite, mstype.int32)
        ops.assign(self.scale_value, ops.select(grads_finite, scale_if_finite, decreased))
        ops.assign(self.counter, ops.cast(good_steps, mstype.int32))
        return True
