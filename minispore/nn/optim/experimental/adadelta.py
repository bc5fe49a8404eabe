"""Adadelta."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import Optimizer, add_group_decay, check_positive_lr


class Adadelta(Optimizer):
    """d = g * sqrt(u + eps) / sqrt(a + eps), a and u moving averages of g^2 and d^2;  p -= lr * d.

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        rho: the decay rate of both averages, in [0, 1].
        eps: added under the roots, above 0.
        weight_decay: multiplied by the parameter and added to the gradient.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Zeiler 2012.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> Adadelta([weight], rho=0.0, eps=1.0)((Tensor([0.0, 1e4]),))
    True
    >>> print(weight.asnumpy())
    [1. 1.]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": check_positive_lr("Adadelta", lr),
            "rho": checks.floating("Adadelta", "rho", rho, 0.0, 1.0),
            "eps": checks.number("Adadelta", "eps", eps, 0.0, closed="(]"),
            "weight_decay": weight_decay,
            "maximize": checks.boolean("Adadelta", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.accum = self.parameters.clone(prefix="accum", init="zeros")
        self.accum_update = self.parameters.clone(prefix="accum_update", init="zeros")

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update both moving averages and the parameter by one op."""
        gradient = add_group_decay(group, parameter, gradient)
        rho, eps = float(group["rho"]), float(group["eps"])
        step = ops.ApplyAdadelta()
        step(parameter, self.accum[i], self.accum_update[i], lr, rho, eps, gradient)


__all__ = ["Adadelta"]
