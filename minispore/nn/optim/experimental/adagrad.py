"""Adagrad."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import (
    CountingOptimizer,
    add_group_decay,
    check_positive_lr,
)
from minispore.nn.optim.state import assign_cast, get_state_dtype


class Adagrad(CountingOptimizer):
    """a += g^2;  p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(a) + eps) at the t-th step.

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        lr_decay: how fast the rate decreases, at least 0.
        weight_decay: multiplied by the parameter and added to the gradient.
        initial_accumulator_value: the initial a, at least 0.
        eps: added to the root, above 0.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Duchi, Hazan & Singer 2011.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> Adagrad([weight], lr=0.5)((Tensor([4.0, -0.1]),))
    True
    >>> print(weight.asnumpy())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        initial_value = checks.number(
            "Adagrad", "initial_accumulator_value", initial_accumulator_value, 0.0
        )
        defaults = {
            "lr": check_positive_lr("Adagrad", lr),
            "lr_decay": checks.number("Adagrad", "lr_decay", lr_decay, 0.0),
            "eps": checks.number("Adagrad", "eps", eps, 0.0, closed="(]"),
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_value,
            "maximize": checks.boolean("Adagrad", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.accum = self.parameters.clone(prefix="accum", init=initial_value)
        self._move_counter_last_()

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the sum of squared gradients, and the parameter with the decayed rate."""
        gradient = add_group_decay(group, parameter, gradient)
        rate = lr / (1 + (self.cast_step(parameter) - 1) * group["lr_decay"])
        total = assign_cast(self.accum[i], self.accum[i] + ops.square(gradient))
        root = ops.sqrt(total) + Tensor(group["eps"], get_state_dtype(parameter))
        assign_cast(parameter, parameter - rate * gradient / root)


__all__ = ["Adagrad"]
