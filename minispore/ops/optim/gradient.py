"""Optimizer updates with one rate for all weights: plain, proximal, sign-based, FTRL, LARS."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.optim.updates import _Formula, check_rate
from minispore.ops.support.arguments import FLOAT_KINDS


def _apply_soft_threshold(x: Any, threshold: Any) -> Any:
    """Return x shrunk towards 0 by ``threshold``, and 0 where this would cross 0."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0)


class ApplyGradientDescent(_Formula):
    """var -= alpha * delta, in place; returns var.

    >>> from minispore import Tensor
    >>> w = Tensor([1.0])
    >>> print(ApplyGradientDescent()(w, 0.5, Tensor([1.0])), w)
    [0.5] [0.5]
    """

    mutates = (0,)
    gradient = 2

    def compute_step(self, var: Any, alpha: Any, delta: Any) -> tuple[Any, ...]:
        """Return the new var, as a tuple of one."""
        return (var - alpha * delta,)


class ApplyProximalGradientDescent(_Formula):
    """A step of gradient descent, then a proximal step of the penalties l1 * |w| + l2 * w^2 / 2.

    Inputs: var, alpha (the learning rate), l1, l2, delta (the gradient). Updates var in place and
        returns it.

    Source: Duchi & Singer, https://jmlr.org/papers/v10/duchi09a.html

    >>> from minispore import Tensor
    >>> w = Tensor([1.0])
    >>> print(ApplyProximalGradientDescent()(w, 0.5, 0.5, 0.0, Tensor([1.0])))
    [0.25]
    """

    mutates = (0,)
    gradient = 4

    def compute_step(self, var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> tuple[Any, ...]:
        """Return the new var, as a tuple of one."""
        return (_compute_proximal_step(var - alpha * delta, alpha, l1, l2),)


def _compute_proximal_step(x: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """Return x after a proximal step of the penalties l1 * |x| + l2 * x^2 / 2; an l1 of 0 or less
    has no effect.
    """
    return np.where(np.asarray(l1) > 0, _apply_soft_threshold(x, rate * l1), x) / (1 + rate * l2)


class ApplyProximalAdagrad(_Formula):
    """A step of Adagrad, then a proximal step of the penalties l1 * |w| + l2 * w^2 / 2.

    Inputs: var, accum, lr, l1, l2, grad. Updates var and accum in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, a = Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyProximalAdagrad()(w, a, 0.5, 0.0, 0.0, Tensor([4.0]))[0])
    [0.5]
    """

    use_locking: bool = False
    mutates = (0, 1)
    returns = 2
    gradient = 5

    def compute_step(
        self, var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new var and accum."""
        accum = accum + grad * grad
        rate = lr / np.sqrt(accum)
        return _compute_proximal_step(var - rate * grad, rate, l1, l2), accum


class ApplyFtrl(_Formula):
    """Follow the regularized leader: the weights are computed from the sums of the gradients.

    Inputs: var, accum, linear, grad, lr, l1, l2, lr_power. Updates the first three in place and
        returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: McMahan et al., https://doi.org/10.1145/2487575.2488200

    >>> from minispore import Tensor
    >>> w, a, linear = Tensor([0.0]), Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyFtrl()(w, a, linear, Tensor([0.0]), 0.1, 0.0, 0.0, -0.5).asnumpy() + 0)
    [0.]
    """

    use_locking: bool = False
    mutates = (0, 1, 2)
    gradient = 3

    def compute_step(
        self, var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any,
        lr_power: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, accum and linear."""
        return compute_ftrl_step(var, accum, linear, grad, lr, l1, l2, 0.0, lr_power)


def compute_ftrl_step(
    var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, shrinkage: Any,
    lr_power: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the new var, accum (sum of squared gradients) and linear (FTRL's z) of one FTRL step.

    ``shrinkage`` adds the penalty 2 * shrinkage * var to the gradient in ``linear``, not in
    ``accum``.
    """
    new_accum = accum + grad * grad
    old_power, new_power = np.power(accum, -lr_power), np.power(new_accum, -lr_power)
    linear = linear + grad + 2 * shrinkage * var - (new_power - old_power) / lr * var
    return -_apply_soft_threshold(linear, l1) / (new_power / lr + 2 * l2), new_accum, linear


class ApplyAddSign(_Formula):
    """var -= lr * (alpha + sign_decay * sign(g) * sign(m)) * g, with m the average of g.

    Inputs: var, m, lr, alpha, sign_decay, beta (the decay of m), g. Updates var and m in place and
        returns them.

    Source: Bello et al., https://arxiv.org/abs/1709.07417

    >>> from minispore import Tensor
    >>> w, m = Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyAddSign()(w, m, 0.1, 1.0, 1.0, 0.5, Tensor([1.0]))[0])
    [0.8]
    """

    mutates = (0, 1)
    returns = 2
    gradient = 6

    def compute_step(
        self, var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new var and m."""
        m = beta * m + (1 - beta) * grad
        return var - lr * (alpha + sign_decay * np.sign(grad) * np.sign(m)) * grad, m


class ApplyPowerSign(_Formula):
    """var -= lr * e^(logbase * sign_decay * sign(g) * sign(m)) * g, with m the average of g.

    Inputs: var, m, lr, logbase, sign_decay, beta (the decay of m), g. Updates var and m in place
        and returns them.

    Source: Bello et al., https://arxiv.org/abs/1709.07417

    >>> from minispore import Tensor
    >>> w, m = Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyPowerSign()(w, m, 0.5, 0.0, 1.0, 0.5, Tensor([1.0]))[0])
    [0.5]
    """

    mutates = (0, 1)
    returns = 2
    gradient = 6

    def compute_step(
        self, var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new var and m."""
        m = beta * m + (1 - beta) * grad
        return var - lr * np.exp(logbase * sign_decay * np.sign(grad) * np.sign(m)) * grad, m


class ApplyKerasMomentum(_Formula):
    """accum = accum * momentum - lr * gradient; var += accum.

    Inputs: var, accum, lr, gradient, momentum. Updates var and accum in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.
        use_nesterov: use Nesterov's look-ahead: var += accum * momentum - lr * gradient.

    >>> from minispore import Tensor
    >>> w, a = Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyKerasMomentum()(w, a, Tensor(0.5), Tensor([1.0]), Tensor(0.9))[0])
    [0.5]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    mutates = (0, 1)
    returns = 2
    gradient = 3

    def compute_step(
        self, var: Any, accum: Any, lr: Any, grad: Any, momentum: Any
    ) -> tuple[Any, ...]:
        """Return the new var and accum."""
        accum = accum * momentum - lr * grad
        update = accum * momentum - lr * grad if self.use_nesterov else accum
        return var + update, accum


class FusedWeightScaleApplyMomentum(_Formula):
    """Momentum on gradient * loss_scale + weight_decay * variable.

    Inputs: weight_decay, loss_scale, variable, accumulation, learning rate, gradient, momentum.
        Updates variable and accumulation in place and returns the variable.

    >>> from minispore import Tensor
    >>> w, a = Tensor([1.0]), Tensor([0.0])
    >>> print(FusedWeightScaleApplyMomentum()(0.0, 0.5, w, a, 0.5, Tensor([2.0]), 0.9))
    [0.5]
    """

    mutates = (2, 3)
    gradient = 5

    def compute_step(
        self, weight_decay: Any, loss_scale: Any, var: Any, accum: Any, lr: Any, grad: Any,
        momentum: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new variable and accumulation."""
        accum = accum * momentum + grad * loss_scale + weight_decay * var
        return var - lr * accum, accum


class LARSUpdate(Primitive):
    """The gradient, with weight decay, scaled by the ratio of the weights' norm to the gradient's
    norm.

    Nothing is changed in place. The ratio is 1 if a norm is 0.

    Args:
        epsilon: keeps the divisor positive.
        hyperpara: the trust coefficient, a factor of the ratio.
        use_clip: divide the ratio by the learning rate and limit it to [0, 1].

    Inputs: weight, gradient, the sums of their squares, weight decay, learning rate.

    Source: You et al., https://arxiv.org/abs/1708.03888

    >>> from minispore import Tensor
    >>> one = Tensor(1.0)
    >>> print(LARSUpdate(0.0, 0.5)(Tensor([1.0]), Tensor([1.0]), one, one, 0.0, 1.0))
    [0.5]
    """

    epsilon: float = 1e-5
    hyperpara: float = 0.001
    use_clip: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "use_clip", self.use_clip)

    def infer(self, weight: Spec, gradient: Spec, *rates: Any) -> Spec:
        """Return the spec of the gradient; raise unless it is float with the shape of the weight
        and the other inputs are single numbers.
        """
        if check_dtype_kind(self.name, gradient, FLOAT_KINDS, "gradient").shape != weight.shape:
            raise ValueError(
                f"{self.name}: gradient must have the shape of weight {weight.shape}, got "
                f"{gradient.shape}."
            )
        for i, rate in enumerate(rates, 2):
            check_rate(self.name, rate, i)
        return gradient

    def kernel(
        self, weight: Any, gradient: Any, weight_squares: Any, gradient_squares: Any,
        weight_decay: Any, lr: Any, *, out: np.ndarray,
    ) -> None:  # fmt: skip
        """Write the scaled gradient.

        A norm of 0 gives the ratio 1; ``use_clip`` divides the ratio by lr and limits it to [0, 1].
        """
        weight_norm, gradient_norm = np.sqrt(weight_squares), np.sqrt(gradient_squares)
        trust_ratio = (
            self.hyperpara
            * weight_norm
            / (gradient_norm + weight_decay * weight_norm + self.epsilon)
        )
        trust_ratio = np.where((weight_norm > 0) & (gradient_norm > 0), trust_ratio, 1.0)
        if self.use_clip:
            trust_ratio = np.clip(trust_ratio / lr, 0, 1)
        scaled = (gradient + weight_decay * weight) * trust_ratio
        np.copyto(out, np.asarray(scaled).reshape(out.shape), casting="same_kind")


__all__ = [
    "ApplyAddSign",
    "ApplyFtrl",
    "ApplyGradientDescent",
    "ApplyKerasMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "FusedWeightScaleApplyMomentum",
    "LARSUpdate",
]
