"""Adamax."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import (
    CountingOptimizer,
    add_group_decay,
    check_beta_pair,
    check_positive_lr,
)
from minispore.nn.optim.state import assign_cast, get_state_dtype, update_average


class Adamax(CountingOptimizer):
    """m = moving average of g, u = max(beta2 * u, abs(g) + eps);  p -= lr / (1 - beta1^t) * m / u.

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        betas: the decay rates of m and u, each a float in [0, 1).
        eps: keeps u above 0.
        weight_decay: multiplied by the parameter and added to the gradient.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Kingma & Ba 2015, section 7.1.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> Adamax([weight], lr=0.5, betas=(0.0, 0.9))((Tensor([4.0, -0.5]),))
    True
    >>> print(weight.asnumpy())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": check_positive_lr("Adamax", lr),
            "betas": check_beta_pair("Adamax", betas),
            "eps": checks.number("Adamax", "eps", eps, 0.0, closed="(]"),
            "weight_decay": weight_decay,
            "maximize": checks.boolean("Adamax", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_inf = self.parameters.clone(prefix="exp_inf", init="zeros")

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the moving average, the decayed maximum and the parameter."""
        gradient = add_group_decay(group, parameter, gradient)
        beta1, beta2 = group["betas"]
        mean = update_average(self.exp_avg[i], gradient, beta1)
        magnitude = ops.abs(gradient) + Tensor(group["eps"], get_state_dtype(parameter))
        max_grad = ops.maximum(self.exp_inf[i] * beta2, magnitude)
        assign_cast(self.exp_inf[i], max_grad)
        rate = lr / (1 - ops.pow(beta1, self.cast_step(parameter)))
        assign_cast(parameter, parameter - rate * mean / max_grad)


__all__ = ["Adamax"]
