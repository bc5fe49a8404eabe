"""Resilient propagation."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.optimizer import Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast


class Rprop(Optimizer):
    """parameter -= sign(g) * d.

    d grows while the sign of g stays the same, and shrinks when it changes.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: the initial d; see :class:`Optimizer`.
        etas: the factors by which d shrinks and grows: (below 1, above 1).
        step_sizes: the smallest and the largest d.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Riedmiller & Braun 1993.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(pair, tuple):
                raise TypeError(
                    f"Rprop: {name} must be a tuple of two numbers, got "
                    f"{checks.format_value(pair)}."
                )
            if len(pair) != 2:
                raise ValueError(f"Rprop: {name} must be a tuple of two numbers, got {pair!r}.")
        self.etaminus = checks.floating("Rprop", "etas[0]", etas[0], 0.0, 1.0, "()")
        self.etaplus = checks.floating("Rprop", "etas[1]", etas[1], 1.0, closed="(]")
        self.step_size_min = checks.floating("Rprop", "step_sizes[0]", step_sizes[0])
        self.step_size_max = checks.floating("Rprop", "step_sizes[1]", step_sizes[1], step_sizes[0])
        self.prev = self._parameters.clone("prev", init="zeros")
        self.step_size = self._parameters.clone("step_size", init="zeros")

    def _prepare_step_(self) -> Any:
        """Return whether this is the first step."""
        return ops.reshape(self.global_step, ()) == 1

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Grow each element's step size where the gradient kept its sign, and take the step.

        Where the sign changed, shrink the step size, and leave the element unchanged in this step.
        """
        is_first_step = shared
        size = ops.select(is_first_step, ops.ones_like(gradient) * lr, self.step_size[i])
        sign_product = self.prev[i] * gradient
        ones = ops.ones_like(size)
        factor = ops.select(
            sign_product > 0,
            ones * self.etaplus,
            ops.select(sign_product < 0, ones * self.etaminus, ones),
        )
        # After a sign change the parameter skips one step.
        gradient = ops.select(sign_product < 0, ops.zeros_like(gradient), gradient)
        size = ops.minimum(ops.maximum(size * factor, self.step_size_min), self.step_size_max)
        assign_cast(parameter, parameter - ops.sign(gradient) * size)
        assign_cast(self.prev[i], gradient)
        assign_cast(self.step_size[i], size)


__all__ = ["Rprop"]
