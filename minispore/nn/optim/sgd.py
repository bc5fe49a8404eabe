"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.optimizer import Optimizer, opt_init_args_register


class SGD(Optimizer):
    """v = momentum * v + (1 - dampening) * g;  parameter -= lr * v.

    In the first step, v = g. With Nesterov: parameter -= lr * (g + momentum * v).

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        momentum: at least 0.
        dampening: at least 0.
        weight_decay: see :class:`Optimizer`; a number.
        nesterov: use Nesterov's variant, with ``momentum > 0`` and ``dampening == 0``.
        loss_scale: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Any = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = checks.number("SGD", "momentum", momentum, 0.0)
        self.dampening = checks.number("SGD", "dampening", dampening, 0.0)
        self.nesterov = checks.boolean("SGD", "nesterov", nesterov)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"SGD: nesterov must come with momentum > 0 and dampening == 0, got {momentum} and "
                f"{dampening}."
            )
        if self.dynamic_weight_decay:
            raise TypeError("SGD: weight_decay must be a number, got a Cell. Use Momentum.")
        self.opt = ops.SGD(self.dampening, 0.0, nesterov)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.accum = self._parameters.clone("accum", init="zeros")
        self.stat = self._parameters.clone("stat", init="ones")

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the velocity and the parameter by one op."""
        self.opt(parameter, gradient, lr, self.accum[i], self.momentum, self.stat[i])


__all__ = ["SGD"]
