"""Adam, with weight decay of the gradient (Adam) or of the parameter (AdamW)."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.experimental.optimizer import Optimizer, add_group_decay, check_pair
from minispore.nn.optim.state import (
    assign_cast,
    cast_to_state_dtype,
    get_state_dtype,
    update_average,
)


class Adam(Optimizer):
    """m, v = moving averages of g and g^2;  p -= rate * m / (sqrt(v) + eps).

    The rate is lr * sqrt(1 - beta2^t) / (1 - beta1^t) at the t-th step.

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element.
        betas: the decay rates of m and v, each in [0, 1).
        eps: added to the root.
        weight_decay: multiplied by the parameter and added to the gradient.
        amsgrad: divide by the largest v so far.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Kingma & Ba 2015; Reddi, Kale & Kumar 2018 for amsgrad.
    """

    _requires_float_decay = False  # whether an int is rejected as weight_decay
    _adds_eps_first = True  # add eps before dividing by sqrt(1 - beta2^t), as in MindSpore

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        name = type(self).__name__
        for i, beta in enumerate(check_pair(name, "betas", betas)):
            checks.number(name, f"betas[{i}]", beta, 0.0, 1.0, "[)")
        if self._requires_float_decay:
            checks.floating(name, "weight_decay", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": checks.number(name, "eps", eps, 0.0),
            "weight_decay": weight_decay,
            "amsgrad": checks.boolean(name, "amsgrad", amsgrad),
            "maximize": checks.boolean(name, "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self._set_state_()

    def _set_state_(self) -> None:
        """Create the rest of the state: the largest v so far and the number of steps."""
        self.max_exp_avg_sq = self.parameters.clone(prefix="max_exp_avg_sq", init="zeros")
        step = Tensor(np.zeros((), np.int32))
        self.state_step = Parameter(step, name="state_step")

    def _prepare_step_(self) -> None:
        ops.assign_add(self.state_step, Tensor(1, self.state_step.dtype))

    def _cast_step_count_(self) -> Tensor:
        """Return the number of steps in float32; ``_prepare_step_`` has counted this one."""
        return ops.cast(self.state_step, mstype.float32)

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        self._update_moments(i, group, lr, parameter, add_group_decay(group, parameter, gradient))

    def _update_moments(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the moments and the parameter with a gradient that includes any weight decay.

        Uses the fused op if it adds eps in the same place and there is no amsgrad.
        """
        beta1, beta2 = group["betas"]
        step = self._cast_step_count_()
        power1, power2 = ops.pow(beta1, step), ops.pow(beta2, step)
        if self._adds_eps_first and not group["amsgrad"]:
            states = parameter, self.exp_avg[i], self.exp_avg_sq[i]
            ops.Adam()(*states, power1, power2, lr, beta1, beta2, group["eps"], gradient)
            return
        correction1, correction2 = 1 - power1, 1 - power2
        gradient = cast_to_state_dtype(gradient, parameter)
        mean = update_average(self.exp_avg[i], gradient, beta1)
        second_moment = update_average(self.exp_avg_sq[i], ops.square(gradient), beta2)
        if group["amsgrad"]:
            second_moment = ops.maximum(
                cast_to_state_dtype(self.max_exp_avg_sq[i], parameter), second_moment
            )
            assign_cast(self.max_exp_avg_sq[i], second_moment)
        eps = Tensor(group["eps"], get_state_dtype(parameter))
        if self._adds_eps_first:
            root = (ops.sqrt(second_moment) + eps) / ops.sqrt(correction2)
        else:
            root = ops.sqrt(second_moment) / ops.sqrt(correction2) + eps
        assign_cast(parameter, parameter - lr / correction1 * mean / root)


class AdamW(Adam):
    """:class:`Adam` whose weight decay shrinks the parameter itself: p *= 1 - lr * weight_decay.

    Source: Loshchilov & Hutter 2019.
    """

    _adds_eps_first = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        assign_cast(parameter, parameter * (1 - lr * group["weight_decay"]))
        self._update_moments(i, group, lr, parameter, gradient)


__all__ = ["Adam", "AdamW"]
