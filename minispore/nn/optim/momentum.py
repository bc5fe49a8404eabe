"""Momentum."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.optimizer import Optimizer, opt_init_args_register


class Momentum(Optimizer):
    """v = momentum * v + g;  parameter -= lr * v.

    With Nesterov: parameter -= lr * (g + momentum * v).

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        momentum: at least 0.
        weight_decay: see :class:`Optimizer`.
        loss_scale: see :class:`Optimizer`.
        use_nesterov: whether to use Nesterov's variant.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Sutskever et al. 2013.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        checks.floating("Momentum", "momentum", momentum, 0.0)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.params = self._parameters
        self.use_nesterov = checks.boolean("Momentum", "use_nesterov", use_nesterov)
        self.moments = self._parameters.clone("moments", init="zeros")
        self.opt = ops.ApplyMomentum(use_nesterov=use_nesterov)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the velocity and the parameter by one op."""
        self.opt(parameter, self.moments[i], lr, gradient, self.momentum)


__all__ = ["Momentum"]
