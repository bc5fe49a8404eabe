"""Follow the regularised leader."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast


class FTRL(Optimizer):
    """FTRL-Proximal, for sparse models: a parameter is 0 until its summed gradients exceed l1.

    n = a + g**2;  z += g - (n**-lr_power - a**-lr_power) / lr * parameter;  a = n;
    parameter = (sign(z) * l1 - z) / (n**-lr_power / lr + 2 l2) where |z| > l1, else 0. In a table
    with looked-up rows (:class:`~minispore.nn.EmbeddingLookup`), only those rows are updated.

    Args:
        params: Parameters or groups of them (without their own ``lr``), see :class:`Optimizer`.
        initial_accum: the initial a, at least 0.
        learning_rate: a number above 0.
        lr_power: at most 0.
        l1: at least 0.
        l2: at least 0.
        use_locking: accepted for compatibility, has no effect.
        loss_scale: see :class:`Optimizer`.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, there are no parameters, or several learning rates.

    Source: McMahan et al. 2013.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        initial_accum: float = 0.1,
        learning_rate: float = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError(
                "FTRL: learning_rate must be one number for all steps and parameters, got more."
            )
        checks.number("FTRL", "learning_rate", learning_rate, 0.0, closed="(]")
        initial_value = checks.floating("FTRL", "initial_accum", initial_accum, 0.0)
        self.lr_power = checks.floating("FTRL", "lr_power", lr_power, high=0.0)
        self.l1 = checks.floating("FTRL", "l1", l1, 0.0)
        self.l2 = checks.floating("FTRL", "l2", l2, 0.0)
        checks.boolean("FTRL", "use_locking", use_locking)
        self.sparse_opt = ops.FusedSparseFtrl(
            float(learning_rate), self.l1, self.l2, self.lr_power, use_locking
        )
        self.moments = self._parameters.clone("moments", init=initial_value)
        self.linear = self._parameters.clone("linear", init="zeros")
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length

    def construct(self, grads: Gradients) -> tuple[bool, ...]:
        return super().construct(grads)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the sum of squares, z and the parameter; in a table, only the looked-up rows."""
        if isinstance(gradient, RowGradient):
            rows = ops.cast(gradient.indices, mstype.int32)
            states = parameter, self.moments[i], self.linear[i]
            self.sparse_opt(*states, gradient.values, rows)
            return
        old_power = ops.pow(self.moments[i], -self.lr_power)
        squares = assign_cast(self.moments[i], self.moments[i] + ops.square(gradient))
        new_power = ops.pow(squares, -self.lr_power)
        z = assign_cast(
            self.linear[i], self.linear[i] + gradient - (new_power - old_power) / lr * parameter
        )
        solution = (ops.sign(z) * self.l1 - z) / (new_power / lr + 2 * self.l2)
        assign_cast(parameter, ops.select(ops.abs(z) > self.l1, solution, ops.zeros_like(solution)))


__all__ = ["FTRL"]
