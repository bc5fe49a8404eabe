"""AdaMax."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn.optim.adam import check_betas
from minispore.nn.optim.optimizer import Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast, cast_to_state_dtype, make_powers, update_average


class AdaMax(Optimizer):
    """parameter -= lr / (1 - beta1**t) * m / (u + eps).

    m is the moving average of g, and u = max(beta2 * u, |g|).

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        beta1: the decay rate of m, in (0, 1).
        beta2: the decay rate of u, in (0, 1).
        eps: above 0.
        weight_decay: see :class:`Optimizer`.
        loss_scale: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Kingma & Ba 2015.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = check_betas("AdaMax", beta1, beta2, eps)
        self.beta1_power = make_powers(self._parameters, (1,), "beta1_power")
        self.moment1 = self._parameters.clone("moment1", init="zeros")
        self.moment2 = self._parameters.clone("moment2", init="zeros")

    def _prepare_step_(self) -> Any:
        """Advance the power of beta1 to this step, and return 1 - beta1**t."""
        return 1.0 - assign_cast(self.beta1_power, self.beta1_power * self.beta1)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the moving average, the decayed maximum and the parameter."""
        gradient = cast_to_state_dtype(gradient, parameter)
        mean = update_average(self.moment1[i], gradient, self.beta1)
        max_grad = ops.maximum(
            cast_to_state_dtype(self.moment2[i], parameter) * self.beta2, ops.abs(gradient)
        )
        assign_cast(self.moment2[i], max_grad)
        rate = ops.reshape(lr / shared, ())
        assign_cast(parameter, parameter - rate * mean / (max_grad + self.eps))


__all__ = ["AdaMax"]
