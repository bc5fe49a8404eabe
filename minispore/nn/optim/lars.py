"""LARS: a learning rate for each layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.optim.lamb import compute_norm
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register


def _is_adapted(parameter: Parameter) -> bool:
    """Whether LARS adapts a parameter: neither a bias nor a parameter of LayerNorm."""
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


_INHERITED_SETTINGS = (
    "decay_flags",
    "dynamic_decay_flags",
    "dynamic_lr",
    "dynamic_weight_decay",
    "exec_weight_decay",
    "global_step",
    "is_group",
    "is_group_lr",
    "learning_rate",
    "loss_scale",
    "need_scale",
    "reciprocal_scale",
    "weight_decay",
)


class LARS(Optimizer):
    """Set g = k * (g + weight_decay * p), then call the optimizer.

    k = coefficient * |p| / (|g| + weight_decay * |p| + epsilon).

    Args:
        optimizer: uses the scaled gradients; LARS applies its weight decay and loss scale instead.
        epsilon: avoids 0 / 0 in k.
        coefficient: a number.
        use_clip: limit k to the learning rate, then divide it by the learning rate.
        lars_filter: selects the parameters to adapt; by default all but biases and those of
            LayerNorm.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``use_clip`` is set, and groups have learning rates that change with the step.

    Source: You, Gitman & Ginsburg 2017.
    """

    @opt_init_args_register
    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-5,
        coefficient: float = 1e-3,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] = _is_adapted,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"LARS: optimizer must be an Optimizer, got {checks.format_value(optimizer)}."
            )
        super().__init__(0.0, optimizer.parameters)
        self.epsilon = checks.number("LARS", "epsilon", epsilon)
        self.coefficient = checks.number("LARS", "coefficient", coefficient)
        self.use_clip = checks.boolean("LARS", "use_clip", use_clip)
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        if use_clip and optimizer.is_group_lr and optimizer.dynamic_lr:
            raise ValueError(
                "LARS: use_clip can't go with learning rates of groups that change with the step."
            )
        # LARS applies these settings itself, so the wrapped optimizer must not apply them again.
        for name in _INHERITED_SETTINGS:
            setting = getattr(optimizer, name)
            if isinstance(setting, Cell):  # a schedule replaces a Parameter or a number
                delattr(self, name)
            setattr(self, name, setting)
        self.opt = optimizer
        self.opt.exec_weight_decay = False
        self.opt.need_scale = False

    def construct(self, gradients: Gradients) -> Any:
        """Scale the gradients of adapted parameters, then call the wrapped optimizer with all
        gradients.
        """
        gradients = self.scale_grad(self._check_gradients_(gradients))
        lr = self.get_lr() if self.use_clip else None
        rates = lr if isinstance(lr, tuple) else (lr,) * self.param_length
        decays = self._decay_per_param_()
        rows = zip(gradients, self._parameters, decays, rates, self.lars_flag, strict=True)
        return self.opt(
            tuple(self._adapt_gradient(g, p, d, r) if flag else g for g, p, d, r, flag in rows)
        )

    def _adapt_gradient(
        self, gradient: Tensor, parameter: Parameter, decay: Any, rate: Any
    ) -> Tensor:
        """Return the gradient with weight decay, scaled by the trust ratio of its layer.

        The ratio is 1 where a norm is 0; with ``use_clip`` it is divided by the learning rate and
        at most 1.
        """
        decay = 0.0 if decay is None else decay / self.loss_scale
        param_norm, grad_norm = compute_norm(parameter), compute_norm(gradient)
        ratio = self.coefficient * param_norm / (grad_norm + decay * param_norm + self.epsilon)
        is_nonzero = ops.logical_and(param_norm > 0, grad_norm > 0)
        ratio = ops.select(is_nonzero, ratio, ops.ones_like(ratio))
        if self.use_clip:
            ratio = ops.minimum(ratio / rate, 1.0)
        return (gradient + decay * parameter) * ratio


__all__ = ["LARS"]
