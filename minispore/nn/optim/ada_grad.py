"""Adagrad and its proximal variant."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast, cast_to_state_dtype
from minispore.ops.optim.adaptive import EPSILON


class Adagrad(Optimizer):
    """a += g**2;  parameter -= lr * g / sqrt(a + 1e-8).

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        accum: the initial a, at least 0.
        learning_rate: see :class:`Optimizer`.
        update_slots: whether to update a.
        loss_scale: see :class:`Optimizer`.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Duchi, Hazan & Singer 2011.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        initial_value = checks.floating("Adagrad", "accum", accum, 0.0)
        self.update_slots = checks.boolean("Adagrad", "update_slots", update_slots)
        self.accum = self._parameters.clone("accum", init=initial_value)

    def construct(self, grads: Gradients) -> tuple[bool, ...]:
        return super().construct(grads)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the parameter and, with ``update_slots``, the sum of squared gradients."""
        total = cast_to_state_dtype(self.accum[i], parameter)
        if self.update_slots:
            total = total + ops.square(cast_to_state_dtype(gradient, parameter))
            assign_cast(self.accum[i], total)
        assign_cast(parameter, parameter - lr * gradient * ops.rsqrt(total + EPSILON))


class ProximalAdagrad(Optimizer):
    """:class:`Adagrad` whose parameters are then shrunk towards 0.

    parameter = sign(p) * max(|p| - e l1, 0) / (1 + e l2) with e = lr / sqrt(a). In a table with
    looked-up rows (:class:`~minispore.nn.EmbeddingLookup`), only those rows are updated.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        accum: the initial a, at least 0.
        learning_rate: see :class:`Optimizer`.
        l1: at least 0.
        l2: at least 0.
        use_locking: accepted for compatibility, has no effect.
        loss_scale: see :class:`Optimizer`.
        weight_decay: see :class:`Optimizer`.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: Duchi & Singer 2009.
    """

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        name = "ProximalAdagrad"
        self.l1 = checks.floating(name, "l1", l1, 0.0)
        self.l2 = checks.floating(name, "l2", l2, 0.0)
        self.sparse_opt = ops.FusedSparseProximalAdagrad(
            checks.boolean(name, "use_locking", use_locking)
        )
        self.accum = self._parameters.clone(
            "accum", init=checks.floating(name, "accum", accum, 0.0)
        )

    def construct(self, grads: Gradients) -> tuple[bool, ...]:
        return super().construct(grads)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the sum of squared gradients and the parameter, then shrink it towards 0; in a
        table, only the looked-up rows.
        """
        if isinstance(gradient, RowGradient):
            rates = lr, self.l1, self.l2
            rows = gradient.values, gradient.indices
            self.sparse_opt(parameter, self.accum[i], *rates, *rows)
            return
        gradient = cast_to_state_dtype(gradient, parameter)
        total = cast_to_state_dtype(self.accum[i], parameter) + ops.square(gradient)
        assign_cast(self.accum[i], total)
        rate = lr * ops.rsqrt(total)
        updated = parameter - rate * gradient
        if self.l1 > 0:
            updated = ops.sign(updated) * ops.maximum(ops.abs(updated) - rate * self.l1, 0.0)
        assign_cast(parameter, updated / (1.0 + rate * self.l2))


__all__ = ["Adagrad", "ProximalAdagrad"]
