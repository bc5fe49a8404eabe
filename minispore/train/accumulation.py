"""Gradient accumulation: averages the gradients of several steps for one optimizer update.

All other classes of ``mindspore.boost`` are unsupported: they raise an error that names them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minispore import ops
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import Cell

gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Number", "Tensor", "Tensor")
def _accumulate_grad(steps: int, total: Parameter, grad: Tensor) -> Any:
    """Add ``grad / steps`` to the accumulated gradient ``total`` in place, and return ``total``."""
    ops.assign_add(total, grad / steps)
    return total


@gradient_clear_op.register("Tensor")
def _clear_grad(total: Parameter) -> Any:
    """Set an accumulated gradient to zero."""
    return ops.assign(total, ops.zeros_like(total))


class GradientAccumulation(Cell):
    """Sum gradients, and update with their mean once every ``max_accumulation_step`` calls.

    Args:
        max_accumulation_step (int): the number of calls per update.
        optimizer (Optimizer): applies the mean of the gradients.

    Inputs:
        - **loss** (Tensor) - returned unchanged.
        - **grads** (tuple[Tensor]) - one for each parameter of the optimizer.

    Returns:
        Tensor, ``loss``.

    Raises:
        TypeError, ValueError: an argument has the wrong type or value.

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
        api_name = "GradientAccumulation"
        self._max_accumulation_step = checks.int32(
            api_name, "max_accumulation_step", max_accumulation_step, 1
        )
        if not isinstance(optimizer, Cell) or not hasattr(optimizer, "parameters"):
            raise TypeError(f"{api_name}: optimizer must be an Optimizer, got {optimizer!r}.")
        self.optimizer = optimizer
        self.weights: ParameterTuple = optimizer.parameters
        self.hyper_map = ops.HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, mstype.int32), name="accumulation_step")

    def construct(self, loss: Tensor, grads: tuple[Tensor, ...]) -> Tensor:
        """Add each gradient, divided by ``max_accumulation_step``, to its sum, and return the loss.

        The last of ``max_accumulation_step`` calls also updates the weights and zeroes the sums.
        """
        add = ops.partial(gradient_accumulation_op, self._max_accumulation_step)
        self.hyper_map(add, self._grad_accumulation, grads)
        ops.assign_add(self._accumulation_step, Tensor(1, mstype.int32))
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            ops.assign(self._accumulation_step, 0)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
        return loss


class _UnsupportedBoost:
    """The base of boost classes that are not supported; creating an instance raises an error."""

    advice = "Leave it out: train with Model and the optimizer alone."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._raise_unsupported()

    def _raise_unsupported(self) -> NoReturn:
        """Raise NotImplementedError with the class's advice."""
        raise NotImplementedError(
            f"mindspore.boost.{type(self).__name__}: is not here. {self.advice}"
        )


class AutoBoost(_UnsupportedBoost):
    """Not supported: the constructor raises NotImplementedError."""


class LessBN(_UnsupportedBoost):
    """Not supported: the constructor raises NotImplementedError."""


class GradientFreeze(_UnsupportedBoost):
    """Not supported: the constructor raises NotImplementedError."""

    advice = "Set requires_grad=False of the parameters that should stay."


class AdaSum(_UnsupportedBoost):
    """Not supported: the constructor raises NotImplementedError."""


class DimReduce(_UnsupportedBoost):
    """Not supported: the constructor raises NotImplementedError."""


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
