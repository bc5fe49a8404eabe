"""Resilient propagation."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import Counting, above_zero, pair
from minispore.nn.optim.state import put


class Rprop(Counting):
    """p -= sign(g) * d, where d, at first lr, grows while the sign of g stays and shrinks when it
    changes; then p waits for a step.

    A weight decay has no effect.

    Args:
        params: Parameters, or dicts of groups with settings of their own.
        lr: the learning rate, a number or a Tensor of one, above 0.
        etas: by what d is multiplied: (a float in (0, 1), a number above 1).
        step_sizes: the least and the largest d.
        maximize: climb instead of descending.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: a number out of range, or no parameters.

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
        down, up = pair("Rprop", "etas", etas)
        least, most = pair("Rprop", "step_sizes", step_sizes)
        defaults = {
            "lr": above_zero("Rprop", lr),
            "etas": (
                checks.floating("Rprop", "etas[0]", down, 0.0, 1.0, "()"),
                checks.number("Rprop", "etas[1]", up, 1.0, closed="(]"),
            ),
            "step_sizes": (
                checks.number("Rprop", "step_sizes[0]", least),
                checks.number("Rprop", "step_sizes[1]", most),
            ),
            "maximize": checks.boolean("Rprop", "maximize", maximize),
        }
        super().__init__(params, defaults)
        self.prev = self.parameters.clone(prefix="prev", init="zeros")
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")
        self._count_last_()

    def _update_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        down, up = group["etas"]
        least, most = group["step_sizes"]
        same = ops.ones_like(self.step_size[i])
        size = ops.select(self.step_t == 1, same * lr, same * self.step_size[i])
        turn = gradient * self.prev[i]
        factor = ops.select(turn > 0, same * up, ops.select(turn < 0, same * down, same))
        size = ops.minimum(ops.maximum(size * factor, least), most)
        gradient = ops.select(turn < 0, ops.zeros_like(gradient), gradient)
        put(parameter, parameter - ops.sign(gradient) * size)
        put(self.prev[i], gradient)
        put(self.step_size[i], size)


__all__ = ["Rprop"]
