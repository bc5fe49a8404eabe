"""NAdam."""

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
    make_scalars,
)
from minispore.nn.optim.state import (
    assign_cast,
    cast_to_state_dtype,
    get_state_dtype,
    update_average,
)


class NAdam(CountingOptimizer):
    """Adam with Nesterov's momentum.

    m, v = moving averages of g and g^2;
    p -= lr * (g * (1 - mu_t) / (1 - mu_1 ... mu_t) + m * mu_{t+1} / (1 - mu_1 ... mu_{t+1}))
    / (sqrt(v / (1 - beta2^t)) + eps)  at the t-th step, where
    mu_t = beta1 * (1 - 0.96^(t * momentum_decay) / 2).

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        betas: the decay rates of m and v, each a float in [0, 1).
        eps: added to the root, above 0.
        weight_decay: multiplied by the parameter and added to the gradient.
        momentum_decay: how fast mu approaches beta1, at least 0.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Dozat 2016.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> NAdam([weight], lr=0.5, betas=(0.0, 0.0))((Tensor([4.0, -0.5]),))
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
        momentum_decay: float = 4e-3,
    ) -> None:
        defaults = {
            "lr": check_positive_lr("NAdam", lr),
            "betas": check_beta_pair("NAdam", betas),
            "eps": checks.number("NAdam", "eps", eps, 0.0, closed="(]"),
            "weight_decay": weight_decay,
            "momentum_decay": checks.number("NAdam", "momentum_decay", momentum_decay, 0.0),
        }
        super().__init__(params, defaults)
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.mu_product = make_scalars("mu_product", 1.0, self.parameters)

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update both moments, the product of mu and the parameter."""
        gradient = add_group_decay(group, parameter, gradient)
        beta1, beta2 = group["betas"]
        step = self.cast_step(parameter)
        mu = beta1 * (1 - 0.5 * ops.pow(0.96, step * group["momentum_decay"]))
        next_mu = beta1 * (1 - 0.5 * ops.pow(0.96, (step + 1) * group["momentum_decay"]))
        product = assign_cast(self.mu_product[i], self.mu_product[i] * mu)
        gradient = cast_to_state_dtype(gradient, parameter)
        mean = update_average(self.exp_avg[i], gradient, beta1)
        second_moment = update_average(self.exp_avg_sq[i], ops.square(gradient), beta2)
        root = ops.sqrt(second_moment / (1 - ops.pow(beta2, step)))
        root = root + Tensor(group["eps"], get_state_dtype(parameter))
        gradient_step = lr * (1 - mu) / (1 - product) * gradient
        momentum_step = lr * next_mu / (1 - product * next_mu) * mean
        assign_cast(parameter, parameter - gradient_step / root - momentum_step / root)


__all__ = ["NAdam"]
