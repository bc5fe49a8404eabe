"""Optimizer updates with per-weight rates: the Adagrad, Adam and RMSProp families."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.ir.value import Spec
from minispore.ops.optim.adam import AdamWeightDecay, compute_one_minus
from minispore.ops.optim.updates import _Formula, _Update

EPSILON = 1e-8  # MindSpore's constant, which keeps Adagrad's divisor positive


class ApplyAdaMax(_Formula):
    """m as in Adam; v = max(beta2 * v, |g|); var -= lr / (1 - beta1_power) * m / (v + epsilon).

    Inputs: var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad. Updates var, m and v in place
        and returns them.

    Source: Kingma & Ba, section 7.1, https://arxiv.org/abs/1412.6980

    >>> from minispore import Tensor
    >>> w, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(ApplyAdaMax()(w, m, v, 0.5, 0.1, 0.5, 0.5, 0.0, Tensor([4.0]))[0])
    [0.9]
    """

    mutates = (0, 1, 2)
    returns = 3
    gradient = 8

    def compute_step(
        self, var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any,
        epsilon: Any, grad: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, m and v."""
        m = beta1 * m + compute_one_minus(beta1, m.dtype) * grad
        v = np.maximum(beta2 * v, np.abs(grad))
        return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


class ApplyAdadelta(_Formula):
    """Adadelta: steps of sqrt(accum_update / accum) * gradient, in the units of the weights.

    accum and accum_update are moving averages, with the decay rho, of the squares of gradient and
    step.

    Inputs: var, accum, accum_update, lr, rho, epsilon, grad. Updates the first three in place and
        returns them.

    Source: Zeiler, https://arxiv.org/abs/1212.5701

    >>> from minispore import Tensor
    >>> w, a, u = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(ApplyAdadelta()(w, a, u, 1.0, 0.0, 1.0, Tensor([0.0]))[0])
    [1.]
    """

    mutates = (0, 1, 2)
    returns = 3
    gradient = 6

    def compute_step(
        self, var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new var, accum and accum_update."""
        accum = rho * accum + (1 - rho) * grad * grad
        update = np.sqrt((accum_update + epsilon) / (accum + epsilon)) * grad
        return var - lr * update, accum, rho * accum_update + (1 - rho) * update * update


class ApplyAdagrad(_Formula):
    """accum += gradient^2; var -= lr * gradient / sqrt(accum + 1e-8).

    Inputs: var, accum, lr, grad. Updates var and accum in place and returns them.

    Args:
        update_slots: False leaves accum unchanged.

    Source: Duchi et al., https://jmlr.org/papers/v12/duchi11a.html

    >>> from minispore import Tensor
    >>> w, a = Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyAdagrad()(w, a, 0.1, Tensor([4.0]))[0], a)
    [0.9] [16.]
    """

    update_slots: bool = True
    mutates = (0, 1)
    returns = 2
    gradient = 3

    def compute_step(self, var: Any, accum: Any, lr: Any, grad: Any) -> tuple[Any, ...]:
        """Return the new var and accum; the square root is computed in float32 or wider."""
        if self.update_slots:
            accum = accum + grad * grad
        accum32 = np.asarray(accum, np.result_type(accum, np.float32))
        return var - lr * grad / np.sqrt(accum32 + EPSILON), accum


class ApplyAdagradV2(_Formula):
    """accum += gradient^2; var -= lr * gradient / (sqrt(accum) + epsilon).

    Inputs: var, accum, lr, grad. Updates var and accum in place and returns them.

    Args:
        epsilon: keeps the divisor positive.
        update_slots: False leaves accum unchanged.

    >>> from minispore import Tensor
    >>> w, a = Tensor([1.0]), Tensor([0.0])
    >>> print(ApplyAdagradV2(0.0)(w, a, 0.1, Tensor([4.0]))[0], a)
    [0.9] [16.]
    """

    epsilon: float
    update_slots: bool = True
    mutates = (0, 1)
    returns = 2
    gradient = 3

    def compute_step(self, var: Any, accum: Any, lr: Any, grad: Any) -> tuple[Any, ...]:
        """Return the new var and accum."""
        if self.update_slots:
            accum = accum + grad * grad
        return var - lr * grad / (np.sqrt(accum) + self.epsilon), accum


class ApplyAdagradDA(_Formula):
    """Adagrad by dual averaging: the weights are computed from the sums of the gradients.

    Inputs: var, sum of gradients, sum of their squares, grad, lr, l1, l2, global_step. Updates the
        first three in place and returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: Duchi et al., https://jmlr.org/papers/v12/duchi11a.html

    >>> from minispore import Tensor
    >>> w, a, s = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(ApplyAdagradDA()(w, a, s, Tensor([4.0]), 0.1, 0.0, 0.0, 1))
    [-0.1]
    """

    use_locking: bool = False
    mutates = (0, 1, 2)
    gradient = 3

    def compute_step(
        self, var: Any, total: Any, squares: Any, grad: Any, lr: Any, l1: Any, l2: Any,
        global_step: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, the sum of the gradients and the sum of their squares.

        The old value of ``var`` has no effect: the new one is computed from the sums.
        """
        total, squares = total + grad, squares + grad * grad
        shrunk = np.sign(total) * np.maximum(np.abs(total) - l1 * global_step, 0)
        numerator = np.where(np.asarray(l1) > 0, shrunk, total)
        divisor = np.asarray(l2 * global_step * lr + np.sqrt(squares), var.dtype)
        return (
            np.divide(-lr * numerator, divisor, dtype=var.dtype, casting="same_kind"),
            total,
            squares,
        )


class ApplyAdamWithAmsgrad(_Formula):
    """AMSGrad: Adam whose divisor never decreases, with vhat = max(vhat, v).

    Inputs: var, m, v, vhat, beta1_power, beta2_power, lr, grad. Updates the first four in place and
        returns them.

    Args:
        beta1: decay of the first moment.
        beta2: decay of the second moment.
        epsilon: keeps the divisor positive.
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: Reddi et al., https://arxiv.org/abs/1904.09237

    >>> from minispore import Tensor
    >>> w, m, v, h = (Tensor([x]) for x in (1.0, 0.0, 0.0, 0.0))
    >>> op = ApplyAdamWithAmsgrad(0.5, 0.5, 0.0)
    >>> print(op(w, m, v, h, 0.5, 0.5, 0.1, Tensor([4.0]))[0].asnumpy().round(4))
    [0.9]
    """

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    use_locking: bool = False
    mutates = (0, 1, 2, 3)
    returns = 4
    gradient = 7

    def compute_step(
        self, var: Any, m: Any, v: Any, vhat: Any, beta1_power: Any, beta2_power: Any, lr: Any,
        grad: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, m, v and vhat."""
        rates = (beta1_power, beta2_power, lr, self.beta1, self.beta2, self.epsilon)
        return _compute_amsgrad_step(var, m, v, vhat, *rates, grad)


class ApplyAdamWithAmsgradV2(_Formula):
    """AMSGrad (Adam whose divisor never decreases), with the decays and epsilon as inputs.

    Inputs: var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad. Updates the
        first four in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, m, v, h = (Tensor([x]) for x in (1.0, 0.0, 0.0, 0.0))
    >>> rates = (0.5, 0.5, 0.1, 0.5, 0.5, 0.0)
    >>> op = ApplyAdamWithAmsgradV2()
    >>> print(op(w, m, v, h, *rates, Tensor([4.0]))[0].asnumpy().round(4))
    [0.9]
    """

    use_locking: bool = False
    mutates = (0, 1, 2, 3)
    returns = 4
    gradient = 10

    def compute_step(self, *args: Any) -> tuple[Any, ...]:
        return _compute_amsgrad_step(*args)


def _compute_amsgrad_step(
    var: Any, m: Any, v: Any, vhat: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any,
    beta2: Any, epsilon: Any, grad: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the new var, m, v and vhat of one AMSGrad step."""
    m = beta1 * m + compute_one_minus(beta1, m.dtype) * grad
    v = beta2 * v + compute_one_minus(beta2, v.dtype) * grad * grad
    vhat = np.maximum(vhat, v)
    rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
    return var - rate * m / (np.sqrt(vhat) + epsilon), m, v, vhat


class AdamNoUpdateParam(_Update):
    """Adam that updates the moments, and returns the step of the variable without applying it.

    Inputs: m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad. Updates m and v in
        place and returns the step, a value to add to the variable.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.
        use_nesterov: use Nesterov's look-ahead.

    >>> from minispore import Tensor
    >>> m, v = Tensor([0.0]), Tensor([0.0])
    >>> rates = (0.5, 0.5, 0.1, 0.5, 0.5, 0.0)
    >>> print(AdamNoUpdateParam()(m, v, *rates, Tensor([4.0])).asnumpy().round(4))
    [-0.1]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    mutates = (0, 1)
    gradient = 8

    def __call__(self, *args: Any) -> Any:
        """Update m and v in place, and return the step of the variable."""
        return super(_Update, self).__call__(*args)[2]

    def infer(self, *args: Any) -> Any:
        m, v = super().infer(*args)
        return m, v, Spec(m.shape, args[self.gradient].dtype)

    def kernel(
        self, m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any,
        epsilon: Any, grad: Any, *, out: Any,
    ) -> None:  # fmt: skip
        """Write the new m, the new v and the step that the variable would take to ``out``."""
        new_m = beta1 * m + compute_one_minus(beta1, m.dtype) * grad
        new_v = beta2 * v + compute_one_minus(beta2, v.dtype) * grad * grad
        direction = new_m
        if self.use_nesterov:
            direction = beta1 * new_m + compute_one_minus(beta1, m.dtype) * grad
        rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
        step = -rate * direction / (np.sqrt(new_v) + epsilon)
        for destination, value in zip(out, (new_m, new_v, step), strict=True):
            np.copyto(destination, value, casting="same_kind")


class FusedCastAdamWeightDecay(_Formula):
    """:class:`AdamWeightDecay` for a float16 gradient divided by its global norm.

    Inputs: var, m, v, lr, beta1, beta2, epsilon, decay, grad, global_norm. Updates var, m and v in
        place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> rates = (0.1, 0.5, 0.75, 0.0, 0.5)
    >>> print(FusedCastAdamWeightDecay()(w, m, v, *rates, Tensor([8.0]), 2.0)[0])
    [0.85]
    """

    use_locking: bool = False
    mutates = (0, 1, 2)
    returns = 3
    gradient = 8

    def compute_step(
        self, var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any,
        grad: Any, global_norm: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, m and v of AdamWeightDecay for grad / global_norm in the dtype of
        m.
        """
        outputs = tuple(np.empty_like(x) for x in (var, m, v))
        scaled = (np.asarray(grad, m.dtype) / global_norm).astype(m.dtype)
        rates = (lr, beta1, beta2, epsilon, decay)
        AdamWeightDecay().kernel(var, m, v, *rates, scaled, out=outputs)
        return outputs


class ApplyRMSProp(_Formula):
    """RMSProp: steps divided by the moving root mean square of the gradients, with momentum.

    Inputs: var, mean_square, moment, lr, grad, decay, momentum, epsilon. Updates the first three in
        place and returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: Tieleman & Hinton, lecture 6.5

    >>> from minispore import Tensor
    >>> w, s, m = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(ApplyRMSProp()(w, s, m, 0.1, Tensor([4.0]), 0.0, 0.5, 0.0))
    [0.9]
    """

    use_locking: bool = False
    mutates = (0, 1, 2)
    gradient = 4

    def compute_step(
        self, var: Any, mean_square: Any, moment: Any, lr: Any, grad: Any, decay: Any,
        momentum: Any, epsilon: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, mean_square and moment."""
        mean_square = decay * mean_square + (1 - decay) * grad * grad
        moment = momentum * moment + lr * grad / np.sqrt(mean_square + epsilon)
        return var - moment, mean_square, moment


class ApplyCenteredRMSProp(_Formula):
    """RMSProp with the variance of the gradients instead of their mean square.

    Inputs: var, mean, mean_square, moment, grad, lr, decay, momentum, epsilon. Updates the first
        four in place and returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: Graves, https://arxiv.org/abs/1308.0850

    >>> from minispore import Tensor
    >>> w, g, s, m = (Tensor([x]) for x in (1.0, 0.0, 0.0, 0.0))
    >>> print(ApplyCenteredRMSProp()(w, g, s, m, Tensor([4.0]), 0.1, 0.5, 0.0, 0.0))
    [0.8]
    """

    use_locking: bool = False
    mutates = (0, 1, 2, 3)
    gradient = 4

    def compute_step(
        self, var: Any, mean: Any, mean_square: Any, moment: Any, grad: Any, lr: Any, decay: Any,
        momentum: Any, epsilon: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new var, mean, mean_square and moment."""
        mean = decay * mean + (1 - decay) * grad
        mean_square = decay * mean_square + (1 - decay) * grad * grad
        variance = mean_square - mean * mean + epsilon
        moment = momentum * moment + lr * grad / np.sqrt(variance)
        return var - moment, mean, mean_square, moment


__all__ = [
    "AdamNoUpdateParam",
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdamWithAmsgrad",
    "ApplyAdamWithAmsgradV2",
    "ApplyCenteredRMSProp",
    "ApplyRMSProp",
    "FusedCastAdamWeightDecay",
]
