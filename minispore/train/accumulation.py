"""Gradients of several steps, summed before the optimizer sees them; what else ``mindspore.boost``
has is refused by name.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn import Cell

gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Number", "Tensor", "Tensor")
def _accumulate(steps: int, total: Parameter, grad: Tensor) -> Any:
    ops.assign_add(total, grad / steps)
    return total


@gradient_clear_op.register("Tensor")
def _clear(total: Parameter) -> Any:
    return ops.assign(total, ops.zeros_like(total))


class GradientAccumulation(Cell):
    """Sum gradients, and update with their mean once in ``max_accumulation_step`` calls.

    Args:
        max_accumulation_step (int): how many calls make an update.
        optimizer (Optimizer): what updates.

    Inputs:
        - **loss** (Tensor) - given back.
        - **grads** (tuple[Tensor]) - one for each parameter of the optimizer.

    Returns:
        Tensor, ``loss``.

    Raises:
        TypeError, ValueError: an argument is not what it must be.

    Example:
        >>> import minispore as ms
        >>> from minispore import nn
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> step = GradientAccumulation(2, nn.SGD([weight], 1.0))
        >>> for grad in (2.0, 4.0):
        ...     _ = step(ms.Tensor(0.0), (ms.Tensor([grad]),))
        ...     print(weight.asnumpy())
        [1.]
        [-2.]
    """

    def __init__(self, max_accumulation_step: int, optimizer: Any) -> None:
        super().__init__()
        name = "GradientAccumulation"
        self._max_accumulation_step = checks.int32(
            name, "max_accumulation_step", max_accumulation_step, 1
        )
        if not isinstance(optimizer, Cell) or not hasattr(optimizer, "parameters"):
            raise TypeError(f"{name}: optimizer must be an Optimizer, got {optimizer!r}.")
        self.optimizer = optimizer
        self.weights: ParameterTuple = optimizer.parameters
        self.hyper_map = ops.HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, mstype.int32), name="accumulation_step")

    def construct(self, loss: Tensor, grads: tuple[Tensor, ...]) -> Tensor:
        add = ops.partial(gradient_accumulation_op, self._max_accumulation_step)
        self.hyper_map(add, self._grad_accumulation, grads)
        ops.assign_add(self._accumulation_step, Tensor(1, mstype.int32))
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            ops.assign(self._accumulation_step, 0)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
        return loss


class _NotHere:
    """Base of what changes how a training on a cluster converges, which there is no model of."""

    instead = "Leave it out: train with Model and the optimizer alone."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotImplementedError(
            f"mindspore.boost.{type(self).__name__}: is not here. {self.instead}"
        )


class AutoBoost(_NotHere):
    """Not here: raises when it is made."""


class LessBN(_NotHere):
    """Not here: raises when it is made."""


class GradientFreeze(_NotHere):
    """Not here: raises when it is made."""

    instead = "Set requires_grad=False of the parameters that should stay."


class AdaSum(_NotHere):
    """Not here: raises when it is made."""


class DimReduce(_NotHere):
    """Not here: raises when it is made."""


__all__ = [
    "AdaSum",
    "AutoBoost",
    "DimReduce",
    "GradientAccumulation",
    "GradientFreeze",
    "LessBN",
    "gradient_accumulation_op",
    "gradient_clear_op",
]
