"""Resilient propagation."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import (
    CountingOptimizer,
    check_pair,
    check_positive_lr,
)
from minispore.nn.optim.state import assign_cast


class Rprop(CountingOptimizer):
    """p -= sign(g) * d.

    d starts at lr, grows while the sign of g stays the same, and shrinks when it changes; p then
    skips one step.

    A weight decay has no effect.

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element, above 0.
        etas: the factors by which d shrinks and grows: (a float in (0, 1), a number above 1).
        step_sizes: the smallest and the largest d.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Riedmiller & Braun 1993.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> Rprop([weight], lr=0.5)((Tensor([4.0, -0.1]),))
    True
    >>> print(weight.asnumpy())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        eta_minus, eta_plus = check_pair("Rprop", "etas", etas)
        min_size, max_size = check_pair("Rprop", "step_sizes", step_sizes)
        defaults = {
            "lr": check_positive_lr("Rprop", lr),
            "etas": (
                checks.floating("Rprop", "etas[0]", eta_minus, 0.0, 1.0, "()"),
                checks.number("Rprop", "etas[1]", eta_plus, 1.0, closed="(]"),
            ),
            "step_sizes": (
                checks.number("Rprop", "step_sizes[0]", min_size),
                checks.number("Rprop", "step_sizes[1]", max_size),
            ),
            "maximize": checks.boolean("Rprop", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.prev = self.parameters.clone(prefix="prev", init="zeros")
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")
        self._move_counter_last_()

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Grow each element's step size where the gradient kept its sign, and take the step.

        Where the sign changed, shrink the step size, and leave the element unchanged in this step.
        """
        eta_minus, eta_plus = group["etas"]
        min_size, max_size = group["step_sizes"]
        ones = ops.ones_like(self.step_size[i])
        size = ops.select(self.step_t == 1, ones * lr, ones * self.step_size[i])
        sign_product = gradient * self.prev[i]
        factor = ops.select(
            sign_product > 0, ones * eta_plus, ops.select(sign_product < 0, ones * eta_minus, ones)
        )
        size = ops.minimum(ops.maximum(size * factor, min_size), max_size)
        gradient = ops.select(sign_product < 0, ops.zeros_like(gradient), gradient)
        assign_cast(parameter, parameter - ops.sign(gradient) * size)
        assign_cast(self.prev[i], gradient)
        assign_cast(self.step_size[i], size)


__all__ = ["Rprop"]
