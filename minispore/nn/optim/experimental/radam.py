"""RAdam."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import Counting, above_zero, decayed, decays
from minispore.nn.optim.state import averaged, exact, put, wide


class RAdam(Counting):
    """Adam that goes by the mean gradient alone while it knows little of the spread.

    m, v = moving averages of g and g^2;  p -= lr * m / (1 - beta1^t), at the t-th step and, where
    rho > 5, times r * sqrt(1 - beta2^t) / (sqrt(v) + eps), with
    r^2 = (rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho),
    rho_inf = 2 / (1 - beta2) - 1 and rho = rho_inf - 2 * t * beta2^t / (1 - beta2^t).

    Args:
        params: Parameters, or dicts of groups with settings of their own.
        lr: the learning rate, a number or a Tensor of one, above 0.
        betas: how much of m and v stays, each a float in [0, 1).
        eps: added to the root, above 0.
        weight_decay: added to the gradient, times the parameter.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: a number out of range, or no parameters.

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
            "lr": above_zero("RAdam", lr),
            "betas": decays("RAdam", betas),
            "eps": checks.number("RAdam", "eps", eps, 0.0, closed="(]"),
            "weight_decay": weight_decay,
        }
        super().__init__(params, defaults)
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")

    def _update_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        gradient = decayed(group, parameter, gradient)
        beta1, beta2 = group["betas"]
        step = self.step_beside(parameter)
        gradient = wide(gradient, parameter)
        mean = averaged(self.exp_avg[i], gradient, beta1)
        spread = averaged(self.exp_avg_sq[i], ops.square(gradient), beta2)
        root = ops.sqrt(spread) + Tensor(group["eps"], exact(parameter))
        known, rectified = _rectified(beta2, self.step_t)
        factor = ops.cast(rectified, step.dtype) * ops.sqrt(1 - ops.pow(beta2, step)) / root
        factor = ops.select(known, factor, ops.ones_like(factor))
        put(parameter, parameter - lr / (1 - ops.pow(beta1, step)) * mean * factor)


def _rectified(beta2: float, step: Tensor) -> tuple[Tensor, Tensor]:
    """Whether the spread is known, and r; in float64, since rho is what is left of two numbers
    that are some hundred times as large.
    """
    step = ops.cast(step, mstype.float64)
    power = ops.pow(Tensor(beta2, mstype.float64), step)
    most = 2 / (1 - beta2) - 1
    rho = most - 2 * step * power / (1 - power)
    square = (rho - 4) * (rho - 2) * most / (rho * ((most - 4) * (most - 2)))
    return rho > 5, ops.sqrt(square)


__all__ = ["RAdam"]
