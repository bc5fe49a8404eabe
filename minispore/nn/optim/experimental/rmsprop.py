"""RMSprop."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import Optimizer, add_group_decay, check_positive_lr
from minispore.nn.optim.state import (
    assign_cast,
    cast_to_state_dtype,
    get_state_dtype,
    update_average,
)


class RMSprop(Optimizer):
    """s = moving average of g^2;  d = g / (sqrt(s) + eps);  p -= lr * d.

    With momentum, v = momentum * v + d moves the parameter instead of d.

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        alpha: the decay rate of s, at least 0.
        eps: added to the root, above 0.
        weight_decay: multiplied by the parameter and added to the gradient.
        momentum: the decay rate of v, at least 0.
        centered: subtract the square of g's moving average from s, which makes it a variance.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Tieleman & Hinton 2012; Graves 2013 for centered.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> RMSprop([weight], lr=0.5, alpha=0.0)((Tensor([4.0, -0.5]),))
    True
    >>> print(weight.asnumpy())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": check_positive_lr("RMSprop", lr),
            "momentum": checks.number("RMSprop", "momentum", momentum, 0.0),
            "alpha": checks.number("RMSprop", "alpha", alpha, 0.0),
            "eps": checks.number("RMSprop", "eps", eps, 0.0, closed="(]"),
            "centered": checks.boolean("RMSprop", "centered", centered),
            "weight_decay": weight_decay,
            "maximize": checks.boolean("RMSprop", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.mean_grad = self.parameters.clone(prefix="mean_grad", init="zeros")
        self.mean_square = self.parameters.clone(prefix="mean_square", init="zeros")
        self.moment = self.parameters.clone(prefix="moment", init="zeros")

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the moving averages, the velocity if there is momentum, and the parameter."""
        gradient = add_group_decay(group, parameter, gradient)
        gradient = cast_to_state_dtype(gradient, parameter)
        variance = update_average(self.mean_square[i], ops.square(gradient), group["alpha"])
        if group["centered"]:
            variance = variance - ops.square(
                update_average(self.mean_grad[i], gradient, group["alpha"])
            )
        step = gradient / (ops.sqrt(variance) + Tensor(group["eps"], get_state_dtype(parameter)))
        if group["momentum"]:
            step = assign_cast(self.moment[i], self.moment[i] * group["momentum"] + step)
        assign_cast(parameter, parameter - lr * step)


__all__ = ["RMSprop"]
