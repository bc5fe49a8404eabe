"""LAMB: Adam with a trust ratio for each layer."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.nn.optim.adam import check_betas
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast, update_average


def compute_norm(x: Tensor) -> Tensor:
    """Return sqrt(sum of x**2) in float32."""
    return ops.sqrt(ops.ReduceSum()(ops.square(ops.cast(x, mstype.float32)), ()))


class Lamb(Optimizer):
    """parameter -= lr * |parameter| / |r| * r.

    r = m' / (sqrt(v') + eps) + weight_decay * parameter.

    m' and v' are the bias-corrected moving averages of g and g**2.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        beta1: the decay rate of m, in (0, 1).
        beta2: the decay rate of v, in (0, 1).
        eps: above 0.
        weight_decay: see :class:`Optimizer`; it is not part of m and v.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.

    Source: You et al. 2020.
    """

    _support_parallel_optimizer = True

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = check_betas("Lamb", beta1, beta2, eps)
        self.params = self._parameters
        self.moments1 = self._parameters.clone("lamb_m", init="zeros")
        self.moments2 = self._parameters.clone("lamb_v", init="zeros")

    def _prepare_gradients_(self, gradients: Gradients) -> Any:
        """Return pairs of a gradient and its weight decay, which the update applies itself."""
        gradients = self.gradients_centralization(gradients)
        return tuple(zip(gradients, self._decay_per_param_(), strict=True))

    def _prepare_step_(self) -> Any:
        """Return the bias corrections 1 - beta1**t and 1 - beta2**t."""
        step = ops.cast(ops.reshape(self.global_step, ()), mstype.float32)
        return 1.0 - ops.pow(self.beta1, step), 1.0 - ops.pow(self.beta2, step)

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Any, shared: Any
    ) -> None:
        """Update both moments, and the parameter by a step scaled with the trust ratio."""
        gradient, decay = gradient
        correction1, correction2 = shared
        m = update_average(self.moments1[i], gradient, self.beta1) / correction1
        v = update_average(self.moments2[i], ops.square(gradient), self.beta2) / correction2
        step = m / (ops.sqrt(v) + self.eps)
        if decay is not None:
            step = step + decay * parameter
        param_norm, step_norm = compute_norm(parameter), compute_norm(step)
        is_nonzero = ops.logical_and(param_norm > 0, step_norm > 0)
        ratio = ops.select(
            is_nonzero, param_norm / ops.maximum(step_norm, _TINY), ops.ones_like(param_norm)
        )
        assign_cast(parameter, parameter - lr * ratio * step)


_TINY = 1e-30  # replaces a norm of 0; select drops the resulting quotient

__all__ = ["Lamb"]
