"""Adadelta."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast, cast_to_state_dtype, update_average


class Adadelta(Optimizer):
    """parameter -= lr * d with d = g * sqrt(u + epsilon) / sqrt(a + epsilon).

    a and u are moving averages of g**2 and d**2.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        rho: the decay rate of both averages, in [0, 1].
        epsilon: at least 0.
        loss_scale: see :class:`Optimizer`.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Zeiler 2012.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = checks.floating("Adadelta", "rho", rho, 0.0, 1.0)
        self.epsilon = checks.floating("Adadelta", "epsilon", epsilon, 0.0)
        self.accum = self._parameters.clone("accum", init="zeros")
        self.accum_update = self._parameters.clone("accum_update", init="zeros")

    def construct(self, grads: Gradients) -> tuple[bool, ...]:
        return super().construct(grads)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update both moving averages and the parameter."""
        gradient = cast_to_state_dtype(gradient, parameter)
        mean_square = update_average(self.accum[i], ops.square(gradient), self.rho)
        mean_squared_step = cast_to_state_dtype(self.accum_update[i], parameter) + self.epsilon
        step = gradient * ops.sqrt(mean_squared_step) * ops.rsqrt(mean_square + self.epsilon)
        update_average(self.accum_update[i], ops.square(step), self.rho)
        assign_cast(parameter, parameter - lr * step)


__all__ = ["Adadelta"]
