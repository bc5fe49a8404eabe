"""Optimizers that follow the formulas of their papers, as in ``mindspore.mint.optim``."""

from __future__ import annotations

from typing import Any, ClassVar

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ir.dtype import float32, int32
from minispore.nn.optim import experimental
from minispore.nn.optim.experimental.optimizer import add_group_decay
from minispore.nn.optim.state import assign_cast


class Adam(experimental.Adam):
    """m, v = moving averages of g and g^2;  p -= lr * m / (sqrt(v) + eps), with bias-corrected m
    and v.

    The arguments are those of :class:`minispore.experimental.optim.Adam`.

    Source: Kingma & Ba 2015.
    """

    _adds_eps_first = False
    _requires_float_decay = True

    def _set_state_(self) -> None:
        """Create a step count that starts at 0, and with amsgrad the maximum of v."""
        _set_state(self, 0.0)

    def _cast_step_count_(self) -> Tensor:
        """Return the step number as a 0-d tensor."""
        return ops.reshape(self.state_step, ())


class AdamW(experimental.AdamW):
    """:class:`Adam` whose weight decay shrinks the parameter itself: p *= 1 - lr * weight_decay.

    The arguments are those of :class:`minispore.experimental.optim.AdamW`.

    Source: Loshchilov & Hutter 2019.
    """

    _requires_float_decay = True

    def _set_state_(self) -> None:
        """Create a step count that starts at -1, as in MindSpore, and with amsgrad the maximum of
        v.
        """
        _set_state(self, -1.0)

    def _cast_step_count_(self) -> Tensor:
        """Return the step number, the saved count plus one, as a 0-d tensor."""
        return ops.reshape(self.state_step, ()) + 1


def _set_state(optimizer: experimental.Adam, initial_step: float) -> None:
    """Set ``state_step``, a Parameter with one element, and with amsgrad ``max_exp_avg_sq``, the
    maximum of v, on the optimizer.

    Their names are those of MindSpore. The moments exist already.
    """
    if any(group["amsgrad"] for group in optimizer.param_groups):
        optimizer.max_exp_avg_sq = optimizer.parameters.clone("max_exp_avg_sq", init="zeros")
    optimizer.state_step = Parameter(Tensor([initial_step], float32), name="state_step")


class FusedAdamW(AdamW):
    """Equivalent to :class:`AdamW`, whose update a graph fuses anyway."""


class SGD(experimental.SGD):
    """v = momentum * v + (1 - dampening) * g;  p -= lr * v; at the first step v = g.

    The arguments are those of :class:`minispore.experimental.optim.SGD`.
    """

    _extra_defaults_: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        """Create the optimizer; options after ``nesterov`` are keyword-only. Raises as
        :class:`minispore.experimental.optim.SGD`.
        """
        super().__init__(params, lr, momentum, dampening, weight_decay, nesterov, maximize=maximize)

    def _set_state_(self) -> None:
        """Create a momentum buffer for each Parameter, and the step count, which starts at 0."""
        self.momentum_buf = self.parameters.clone(prefix="momentum_buf", init="zeros")
        self.step_t = Parameter(Tensor(0, int32), name="step_t")

    def construct(self, gradients: Any) -> bool:
        """Update the Parameters, add 1 to ``step_t``, and return the bool that the base class
        returns.
        """
        succeeded = super().construct(gradients)
        ops.assign_add(self.step_t, Tensor(1, int32))
        return succeeded

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the i-th Parameter and, with momentum, its buffer, by this gradient plus weight
        decay.

        The first step sets the buffer to the gradient. ``group`` holds the options of the
        Parameter.
        """
        g = add_group_decay(group, parameter, gradient)
        direction = g
        momentum = group["momentum"]
        if momentum:
            velocity = self.momentum_buf[i]
            new_velocity = momentum * velocity + (1 - group["dampening"]) * g
            direction = assign_cast(velocity, ops.select(self.step_t == 0, g, new_velocity))
            if group["nesterov"]:
                direction = g + momentum * direction
        assign_cast(parameter, parameter - lr * direction)


__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]

_describe(__name__)
