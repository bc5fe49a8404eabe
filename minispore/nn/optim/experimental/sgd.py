"""Stochastic gradient descent with momentum."""

from __future__ import annotations

from typing import Any, ClassVar

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.experimental.optimizer import Optimizer


class SGD(Optimizer):
    """v = momentum * v + (1 - dampening) * g;  p -= lr * v  (nesterov: lr * (g + momentum * v)).

    Args:
        params: Parameters, or dicts of groups with their own settings.
        lr: the learning rate, a number or a Tensor with one element.
        momentum: the decay rate of v.
        dampening: the share of the gradient that is not added to v.
        weight_decay: multiplied by the parameter and added to the gradient.
        nesterov: use Nesterov's variant, which needs momentum and no dampening.
        maximize: maximize the objective instead of minimizing it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> SGD([weight], lr=0.5)((Tensor([1.0, 1.0]),))
    True
    >>> print(weight.asnumpy())
    [0.5 1.5]
    """

    # Group settings in addition to those of every optimizer.
    _extra_defaults_: ClassVar[dict[str, Any]] = {"grad_centralization": False}

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        momentum = float(checks.number("SGD", "momentum", momentum, 0.0))
        dampening = float(checks.number("SGD", "dampening", dampening))
        if checks.boolean("SGD", "nesterov", nesterov) and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "SGD: nesterov must go with momentum > 0 and dampening 0, got "
                f"{momentum} and {dampening}."
            )
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": checks.boolean("SGD", "maximize", maximize),
            **self._extra_defaults_,
        }
        super().__init__(params, defaults)
        self._set_state_()

    def _set_state_(self) -> None:
        """Create the velocities, and for each parameter a flag that it has had no step yet."""
        self.accum = self.parameters.clone(prefix="accum", init="zeros")
        self.stat = self.parameters.clone(prefix="stat", init="ones")

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the velocity and the parameter by one op."""
        step = ops.SGD(float(group["dampening"]), group["weight_decay"], group["nesterov"])
        momentum = Tensor(float(group["momentum"]))
        step(parameter, gradient, lr, self.accum[i], momentum, self.stat[i])


__all__ = ["SGD"]
