"""RAdam."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.experimental.optimizer import (
    CountingOptimizer,
    add_group_decay,
    check_beta_pair,
    check_positive_lr,
)
from minispore.nn.optim.state import (
    assign_cast,
    cast_to_state_dtype,
    get_state_dtype,
    update_average,
)


class RAdam(CountingOptimizer):
    """Adam that uses only the mean gradient until the variance of gradients is tractable.

    m, v = moving averages of g and g^2;  p -= lr * m / (1 - beta1^t), at the t-th step, multiplied
    by r * sqrt(1 - beta2^t) / (sqrt(v) + eps) if rho > 5, with
    r^2 = (rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho),
    rho_inf = 2 / (1 - beta2) - 1 and rho = rho_inf - 2 * t * beta2^t / (1 - beta2^t).

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        betas: the decay rates of m and v, each a float in [0, 1).
        eps: added to the root, above 0.
        weight_decay: multiplied by the parameter and added to the gradient.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Liu et al. 2020.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> RAdam([weight], lr=0.5)((Tensor([1.0, -1.0]),))
    True
    >>> print(weight.asnumpy())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        defaults = {
            "lr": check_positive_lr("RAdam", lr),
            "betas": check_beta_pair("RAdam", betas),
            "eps": checks.number("RAdam", "eps", eps, 0.0, closed="(]"),
            "weight_decay": weight_decay,
        }
        super().__init__(params, defaults)
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update both moments, and the parameter by a rectified step where that is tractable."""
        gradient = add_group_decay(group, parameter, gradient)
        beta1, beta2 = group["betas"]
        step = self.cast_step(parameter)
        gradient = cast_to_state_dtype(gradient, parameter)
        mean = update_average(self.exp_avg[i], gradient, beta1)
        second_moment = update_average(self.exp_avg_sq[i], ops.square(gradient), beta2)
        root = ops.sqrt(second_moment) + Tensor(group["eps"], get_state_dtype(parameter))
        is_tractable, rectification = _compute_rectification(beta2, self.step_t)
        factor = ops.cast(rectification, step.dtype) * ops.sqrt(1 - ops.pow(beta2, step)) / root
        factor = ops.select(is_tractable, factor, ops.ones_like(factor))
        assign_cast(parameter, parameter - lr / (1 - ops.pow(beta1, step)) * mean * factor)


def _compute_rectification(beta2: float, step: Tensor) -> tuple[Tensor, Tensor]:
    """Return whether the variance is tractable (rho > 5), and the rectification term r.

    Both are computed in float64, since rho is a small difference of two large numbers.
    """
    step = ops.cast(step, mstype.float64)
    power = ops.pow(Tensor(beta2, mstype.float64), step)
    rho_max = 2 / (1 - beta2) - 1
    rho = rho_max - 2 * step * power / (1 - power)
    square = (rho - 4) * (rho - 2) * rho_max / (rho * ((rho_max - 4) * (rho_max - 2)))
    return rho > 5, ops.sqrt(square)


__all__ = ["RAdam"]
