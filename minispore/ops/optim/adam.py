"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.ops.optim.updates import _Passes, emit_scaled_sum


def compute_one_minus(beta: Any, dtype: np.dtype) -> Any:
    """Return 1 - beta in the precision of the powers of beta: float64 if ``dtype`` is, else
    float32.

    ``dtype`` is that of the moments. The rounded beta is subtracted, as in the powers; otherwise
    dividing by 1 - beta^t would not correct the bias of the moments exactly.
    """
    return np.subtract(1, beta, dtype=np.float64 if dtype == np.float64 else np.float32)


class _AdamUpdate(_Passes):
    """Base of update ops that change a variable and its two moments."""

    mutates = (0, 1, 2)
    returns = 3

    @staticmethod
    def emit_moment_updates(
        m: np.ndarray,
        v: np.ndarray,
        grad: np.ndarray,
        new: tuple[np.ndarray, np.ndarray],
        coefficients: list[np.ndarray],
        scratch: np.ndarray,
    ) -> Calls:
        """Return the calls that write the moving averages of the gradient and its square to
        ``new``.

        The coefficients are 1 - beta1, beta1, 1 - beta2 and beta2. The calls overwrite ``scratch``.
        """
        one_minus_beta1, beta1, one_minus_beta2, beta2 = coefficients
        return [
            *emit_scaled_sum(one_minus_beta1, grad, beta1, m, out=new[0], work=scratch),
            partial(np.multiply, grad, grad, scratch),
            *emit_scaled_sum(one_minus_beta2, scratch, beta2, v, out=new[1], work=scratch),
        ]


class Adam(_AdamUpdate):
    """Adam: m and v are moving averages of the gradient and its square; var steps by m / sqrt(v).

    ``var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)``

    Inputs: var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient. Updates var, m
        and v in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.
        use_nesterov: use Nesterov's look-ahead, ``beta1 * m + (1 - beta1) * gradient``, instead of
            m.

    Source: Kingma & Ba, https://arxiv.org/abs/1412.6980

    >>> w, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(Adam()(w, m, v, 0.5, 0.5, 0.1, 0.5, 0.5, 0.0, Tensor([4.0]))[0].asnumpy().round(4))
    [0.9]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    gradient = 9

    def get_dtypes(self, var: np.ndarray, m: np.ndarray, v: np.ndarray) -> tuple[np.dtype, ...]:
        """Return the dtype of each coefficient that ``compute_coefficients`` returns: that of a
        moment or of the variable.
        """
        return m.dtype, m.dtype, v.dtype, v.dtype, m.dtype, var.dtype

    def compute_coefficients(
        self,
        var: Any,
        m: np.ndarray,
        v: np.ndarray,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
    ) -> tuple[Any, ...]:
        """Return 1 - beta1, beta1, 1 - beta2, beta2, epsilon and minus the bias-corrected rate."""
        rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
        return (
            compute_one_minus(beta1, m.dtype),
            beta1,
            compute_one_minus(beta2, v.dtype),
            beta2,
            epsilon,
            -rate,
        )

    def emit_passes(
        self,
        old: Sequence[Any],
        new: tuple[np.ndarray, ...],
        coefficients: list[np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        """Return the calls that update both moments, then the variable (with ``use_nesterov``, by a
        look-ahead of m).

        They read ``old`` and write ``new``, which may be the same arrays.
        """
        var, m, v, *_, grad = old
        new_var, new_m, new_v = new
        *moment_coefficients, epsilon, negative_rate = coefficients
        scratch = work[0]
        direction = new_m
        calls = self.emit_moment_updates(m, v, grad, (new_m, new_v), moment_coefficients, scratch)
        if self.use_nesterov:
            direction = work[1]
            one_minus_beta1, beta1 = moment_coefficients[:2]
            calls += emit_scaled_sum(
                one_minus_beta1, grad, beta1, new_m, out=direction, work=scratch
            )
        return [
            *calls,
            partial(np.sqrt, new_v, scratch),
            partial(np.add, scratch, epsilon, scratch),
            partial(np.true_divide, direction, scratch, scratch),
            *emit_scaled_sum(negative_rate, scratch, None, var, out=new_var, work=scratch),
        ]


class AdamWeightDecay(_AdamUpdate):
    """Adam without bias correction of the moments, and with decoupled weight decay.

    ``var -= lr * (m / (sqrt(v) + epsilon) + decay * var)``

    Inputs: var, m, v, lr, beta1, beta2, epsilon, decay, gradient. Updates var, m and v in place and
        returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: Loshchilov & Hutter, https://arxiv.org/abs/1711.05101

    >>> w, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(AdamWeightDecay()(w, m, v, 0.1, 0.5, 0.75, 0.0, 0.5, Tensor([4.0]))[0])
    [0.85]
    """

    use_locking: bool = False
    gradient = 8

    def needs_second_scratch(self) -> bool:
        """Return True: the decay needs a scratch array in addition to that of the direction."""
        return True

    def get_dtypes(self, var: np.ndarray, m: np.ndarray, v: np.ndarray) -> tuple[np.dtype, ...]:
        """Return the dtype of each coefficient that ``compute_coefficients`` returns: that of a
        moment or of the variable.
        """
        return m.dtype, m.dtype, v.dtype, v.dtype, m.dtype, m.dtype, var.dtype

    def compute_coefficients(
        self,
        var: Any,
        m: np.ndarray,
        v: np.ndarray,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        decay: Any,
        grad: Any,
    ) -> tuple[Any, ...]:
        """Return 1 - beta1, beta1, 1 - beta2, beta2, epsilon, the weight decay and minus the
        rate.
        """
        return (
            compute_one_minus(beta1, m.dtype),
            beta1,
            compute_one_minus(beta2, v.dtype),
            beta2,
            epsilon,
            decay,
            -lr,
        )

    def emit_passes(
        self,
        old: Sequence[Any],
        new: tuple[np.ndarray, ...],
        coefficients: list[np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        """Return the calls that update both moments, then the variable, with the decay added to the
        direction.

        They read ``old`` and write ``new``, which may be the same arrays.
        """
        var, m, v, *_, grad = old
        new_var, new_m, new_v = new
        *moment_coefficients, epsilon, decay, negative_rate = coefficients
        direction, scratch = work
        return [
            *self.emit_moment_updates(m, v, grad, (new_m, new_v), moment_coefficients, direction),
            partial(np.sqrt, new_v, direction),
            partial(np.add, direction, epsilon, direction),
            partial(np.true_divide, new_m, direction, direction),
            *emit_scaled_sum(decay, var, None, direction, out=direction, work=scratch),
            *emit_scaled_sum(negative_rate, direction, None, var, out=new_var, work=direction),
        ]


__all__ = ["Adam", "AdamWeightDecay"]
