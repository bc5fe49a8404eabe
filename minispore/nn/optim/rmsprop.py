"""RMSProp."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.optimizer import Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast, cast_to_state_dtype, update_average


class RMSProp(Optimizer):
    """s = moving average of g**2;  v = momentum * v + lr * g / sqrt(s + epsilon);  parameter -= v.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        decay: the decay rate of s, at least 0.
        momentum: at least 0.
        epsilon: above 0.
        use_locking: accepted for compatibility, has no effect.
        centered: subtract the square of the moving average of g from s.
        loss_scale: see :class:`Optimizer`.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Hinton, Neural Networks for Machine Learning, lecture 6e.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = checks.floating("RMSProp", "decay", decay, 0.0)
        self.momentum = checks.floating("RMSProp", "momentum", momentum, 0.0)
        self.epsilon = checks.floating("RMSProp", "epsilon", epsilon, 0.0, closed="(]")
        checks.boolean("RMSProp", "use_locking", use_locking)
        self.centered = checks.boolean("RMSProp", "centered", centered)
        if centered:
            self.mg = self._parameters.clone("mean_grad", init="zeros")
        self.ms = self._parameters.clone("mean_square", init="ones")
        self.moment = self._parameters.clone("moment", init="zeros")

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the moving averages, the velocity and the parameter."""
        gradient = cast_to_state_dtype(gradient, parameter)
        variance = update_average(self.ms[i], ops.square(gradient), self.decay)
        if self.centered:
            variance = variance - ops.square(update_average(self.mg[i], gradient, self.decay))
        step = lr * gradient * ops.rsqrt(variance + self.epsilon)
        assign_cast(
            parameter,
            parameter - assign_cast(self.moment[i], self.moment[i] * self.momentum + step),
        )


__all__ = ["RMSProp"]
