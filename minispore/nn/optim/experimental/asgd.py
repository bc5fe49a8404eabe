"""Averaged stochastic gradient descent."""

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
    check_positive_lr,
    make_scalars,
)
from minispore.nn.optim.state import assign_cast


class ASGD(CountingOptimizer):
    """p = p * (1 - lambd * eta) - eta * g;  ax += mu * (p - ax), the average of p.

    At first eta = lr and mu = 1; after the t-th step eta = lr / (1 + lambd * lr * t)^alpha and
    mu = 1 / max(1, t - t0).

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        lambd: the decay of the parameter per unit of eta.
        alpha: the power with which eta decreases.
        t0: a float; the average covers the steps from t0 + 2 on.
        weight_decay: multiplied by the parameter and added to the gradient.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Polyak & Juditsky 1992.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> optimizer = ASGD([weight], lr=0.5, lambd=0.0, t0=0.0)
    >>> for _ in range(2):
    ...     _ = optimizer((Tensor([1.0, 1.0]),))
    >>> print(weight.asnumpy(), optimizer.ax[0].asnumpy())
    [0. 1.] [0. 1.]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": check_positive_lr("ASGD", lr),
            "lambd": checks.floating("ASGD", "lambd", lambd),
            "alpha": checks.number("ASGD", "alpha", alpha),
            "t0": checks.floating("ASGD", "t0", t0),
            "weight_decay": weight_decay,
            "maximize": checks.boolean("ASGD", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.mu = make_scalars("mu", 1.0, self.parameters)
        self.eta = make_scalars("eta", 0.0, self.parameters)
        self.ax = self.parameters.clone(prefix="ax", init="zeros")
        self._move_counter_last_()

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the parameter, its average ax, and eta and mu for the next step."""
        gradient = add_group_decay(group, parameter, gradient)
        lambd, step = group["lambd"], ops.cast(self.step_t, mstype.float32)
        eta = ops.select(step == 1, lr, self.eta[i])
        updated = assign_cast(parameter, parameter * (1.0 - lambd * eta) - eta * gradient)
        assign_cast(self.ax[i], self.ax[i] + (updated - self.ax[i]) * self.mu[i])
        assign_cast(self.eta[i], lr / ops.pow(1.0 + lambd * lr * step, group["alpha"]))
        assign_cast(self.mu[i], 1.0 / ops.maximum(step - group["t0"], 1.0))


__all__ = ["ASGD"]
