"""Adam and its variants."""

from __future__ import annotations

import inspect
from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register
from minispore.nn.optim.state import assign_cast, cast_to_state_dtype, make_powers, update_average


def check_betas(api_name: str, beta1: Any, beta2: Any, eps: Any) -> tuple[float, float, float]:
    """Check beta1, beta2 and eps of an Adam-like optimizer and return them."""
    return (
        checks.floating(api_name, "beta1", beta1, 0.0, 1.0, "()"),
        checks.floating(api_name, "beta2", beta2, 0.0, 1.0, "()"),
        checks.floating(api_name, "eps", eps, 0.0, closed="()"),
    )


_ARGUMENT_HINTS = {
    "lr": " Did you mean 'learning_rate'?",
    "betas": " Did you mean 'beta1' and 'beta2'?",
}


class Adam(Optimizer):
    """parameter -= lr * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) + eps).

    m and v are moving averages of g and g**2.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`.
        beta1: the decay rate of m, in (0, 1).
        beta2: the decay rate of v, in (0, 1).
        eps: above 0.
        use_locking: accepted for compatibility, has no effect.
        use_nesterov: whether to use Nesterov's variant.
        weight_decay: see :class:`Optimizer`.
        loss_scale: see :class:`Optimizer`.
        use_amsgrad: divide by the largest v so far.
        use_lazy: in a table with looked-up rows, update only those rows, see
            :class:`~minispore.nn.EmbeddingLookup`.
        use_offload: has no effect: it selects the device that runs Adam.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or there are no parameters.
        KeyError: a keyword is unknown.

    Source: Kingma & Ba 2015; Reddi, Kale & Kumar 2018 for amsgrad.
    """

    _power_shape: tuple[int, ...] = ()

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for key, value in kwargs.items():
            if key not in ("use_lazy", "use_offload"):
                arg_names = [*inspect.signature(Adam).parameters, "use_lazy", "use_offload"]
                hint = _ARGUMENT_HINTS.get(key) or did_you_mean(key, arg_names)
                raise KeyError(f"Adam: has no argument {key!r}.{hint}")
            checks.boolean("Adam", key, value)
        self.beta1, self.beta2, self.eps = check_betas("Adam", beta1, beta2, eps)
        self.use_locking = checks.boolean("Adam", "use_locking", use_locking)
        self.use_nesterov = checks.boolean("Adam", "use_nesterov", use_nesterov)
        self.use_amsgrad = checks.boolean("Adam", "use_amsgrad", use_amsgrad)
        self.use_lazy = kwargs.get("use_lazy", False)
        self.use_offload = kwargs.get("use_offload", False)
        if (self.use_lazy, self.use_offload, use_amsgrad).count(True) > 1:
            raise ValueError(
                "Adam: only one of use_lazy, use_offload and use_amsgrad can be True, got more. "
                "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'."
            )
        for name in ("beta1_power", "beta2_power"):
            setattr(self, name, make_powers(self._parameters, self._power_shape, name))
        self.moment1 = self._parameters.clone("moment1", init="zeros")
        self.moment2 = self._parameters.clone("moment2", init="zeros")
        if use_amsgrad:
            self.vhat = self._parameters.clone("vhat", init="zeros")
        self.opt = ops.Adam(use_locking, use_nesterov)
        self.sparse_opt = ops.FusedSparseLazyAdam(use_locking, use_nesterov)

    @property
    def _is_lazy(self) -> bool:
        """Whether rows that were not looked up stay unchanged; otherwise their moments decay,
        too.
        """
        return bool(self.use_lazy)

    def _prepare_step_(self) -> Any:
        """Advance the powers of beta1 and beta2 to this step, and return them."""
        power1 = assign_cast(self.beta1_power, self.beta1_power * self.beta1)
        power2 = assign_cast(self.beta2_power, self.beta2_power * self.beta2)
        return (power1, power2) if not self._power_shape else (power1[0], power2[0])

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update both moments and the parameter; if lazy, only those of looked-up rows."""
        if not self.use_amsgrad:
            states = parameter, self.moment1[i], self.moment2[i]
            rates = *shared, lr, self.beta1, self.beta2, self.eps
            if self._is_lazy and isinstance(gradient, RowGradient):
                rows = ops.cast(gradient.indices, mstype.int32)
                self.sparse_opt(*states, *rates, gradient.values, rows)
            else:
                self.opt(*states, *rates, gradient)
            return
        gradient = cast_to_state_dtype(gradient, parameter)
        mean = update_average(self.moment1[i], gradient, self.beta1)
        second_moment = update_average(self.moment2[i], ops.square(gradient), self.beta2)
        max_second_moment = ops.maximum(cast_to_state_dtype(self.vhat[i], parameter), second_moment)
        assign_cast(self.vhat[i], max_second_moment)
        power1, power2 = shared
        rate = lr * ops.sqrt(1.0 - power2) / (1.0 - power1)
        assign_cast(parameter, parameter - rate * mean / (ops.sqrt(max_second_moment) + self.eps))


class LazyAdam(Adam):
    """:class:`Adam` that updates only the looked-up rows of a table.

    See :class:`~minispore.nn.EmbeddingLookup` for such tables.

    Raises: see :class:`Adam`.
    """

    _power_shape = (1,)  # as in MindSpore's checkpoints, which contain the powers
    _requires_float_decay = True
    _is_lazy = True

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        if isinstance(weight_decay, int) and self._requires_float_decay:
            checks.floating(type(self).__name__, "weight_decay", weight_decay)
        super().__init__(
            params,
            learning_rate,
            beta1,
            beta2,
            eps,
            use_locking,
            use_nesterov,
            weight_decay,
            loss_scale,
        )


class AdamOffload(LazyAdam):
    """:class:`Adam`. MindSpore's variant runs on the host, as does everything in minispore."""

    _requires_float_decay = _is_lazy = False


class AdamWeightDecay(Optimizer):
    """parameter -= lr * (m / (sqrt(v) + eps) + weight_decay * parameter).

    m and v are moving averages of g and g**2.

    Without bias correction, as in BERT.

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

    Source: Loshchilov & Hutter 2019.
    """

    _support_parallel_optimizer = True

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = check_betas("AdamWeightDecay", beta1, beta2, eps)
        self.moments1 = self._parameters.clone("adam_m", init="zeros")
        self.moments2 = self._parameters.clone("adam_v", init="zeros")
        self.opt = ops.AdamWeightDecay()

    def _prepare_gradients_(self, gradients: Gradients) -> Any:
        """Return pairs of a gradient and its weight decay, which the update applies itself."""
        return tuple(zip(gradients, self._decay_per_param_(), strict=True))

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Any, shared: Any
    ) -> None:
        """Update both moments and the parameter, which also decays."""
        gradient, decay = gradient
        self.opt(
            parameter, self.moments1[i], self.moments2[i], lr, self.beta1, self.beta2, self.eps,
            0.0 if decay is None else decay, gradient,
        )  # fmt: skip


__all__ = ["Adam", "AdamOffload", "AdamWeightDecay", "LazyAdam"]
