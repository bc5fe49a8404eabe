"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.optimizer import Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast


class ASGD(Optimizer):
    """parameter = parameter * (1 - lambd * eta) - eta * g.

    Also averages each parameter over the steps from t0 on.

    eta = lr / (1 + lambd * lr * t)**alpha from the second step on.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        lambd: a number.
        alpha: a number.
        t0: a number.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Polyak & Juditsky 1992.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.lambd = checks.floating("ASGD", "lambd", lambd)
        self.alpha = checks.floating("ASGD", "alpha", alpha)
        self.t0 = checks.floating("ASGD", "t0", t0)

        def make_scalars(prefix: str, value: float) -> ParameterTuple:
            """Return one float32 scalar Parameter of ``value`` for each parameter."""
            return ParameterTuple(
                Parameter(Tensor(value, mstype.float32), name=f"{prefix}{p.name}")
                for p in self._parameters
            )

        self.mu = make_scalars("mu_", 1.0)
        self.eta = make_scalars("eta_", 0.0)
        self.ax = self._parameters.clone("ax_", init="zeros")

    def _prepare_step_(self) -> Any:
        """Return the number of this step, from 1 on, as a float32 scalar."""
        return ops.cast(ops.reshape(self.global_step, ()), mstype.float32)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the parameter, its average ax, and eta and mu for the next step."""
        step = shared
        eta = ops.select(step == 1, lr, self.eta[i])
        updated = assign_cast(parameter, parameter * (1.0 - self.lambd * eta) - eta * gradient)
        # until step t0 mu is 1, so the average is the parameter itself
        assign_cast(self.ax[i], self.ax[i] + (updated - self.ax[i]) * self.mu[i])
        assign_cast(self.eta[i], lr / ops.pow(1.0 + self.lambd * lr * step, self.alpha))
        assign_cast(self.mu[i], 1.0 / ops.maximum(step - self.t0, 1.0))


__all__ = ["ASGD"]
