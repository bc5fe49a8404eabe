"""Adam, and Adam with the decay of the weights themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minispore.core.kernels.blas import make_axpby_calls
from minispore.core.primitive import Calls
from minispore.ops.optim.updates import _Passes


def rest(beta: Any, dtype: np.dtype) -> Any:
    """1 - beta in the precision that powers of beta are kept in beside moments of ``dtype``.

    Taken from a rounded beta, as the powers are: the averages' start, which sums of (1 - beta) make
    and 1 - beta^t undoes, would not cancel otherwise.
    """
    return np.subtract(1, beta, dtype=np.float64 if dtype == np.float64 else np.float32)


class _AdamUpdate(_Passes):
    """Updates of a variable and its two moments."""

    mutates = (0, 1, 2)
    returns = 3

    @staticmethod
    def moments(
        m: np.ndarray,
        v: np.ndarray,
        grad: np.ndarray,
        new: tuple[np.ndarray, np.ndarray],
        numbers: list[np.ndarray],
        work: np.ndarray,
    ) -> Calls:
        """Move the moments, by 1 - beta1, beta1, 1 - beta2 and beta2."""
        rest1, beta1, rest2, beta2 = numbers
        return [
            *make_axpby_calls(rest1, grad, beta1, m, out=new[0], work=work),
            partial(np.multiply, grad, grad, work),
            *make_axpby_calls(rest2, work, beta2, v, out=new[1], work=work),
        ]


class Adam(_AdamUpdate):
    """m and v are moving averages of the gradient and its square; var moves by m / sqrt(v).

    ``var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)``

    Args:
        use_locking: kept for MindSpore's sake.
        use_nesterov: look ahead: ``beta1 * m + (1 - beta1) * gradient`` in place of m.

    Source: Kingma & Ba, https://arxiv.org/abs/1412.6980

    >>> w, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(Adam()(w, m, v, 0.5, 0.5, 0.1, 0.5, 0.5, 0.0, Tensor([4.0]))[0].asnumpy().round(4))
    [0.9]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    gradient = 9

    def kinds(self, var: np.ndarray, m: np.ndarray, v: np.ndarray) -> tuple[np.dtype, ...]:
        return m.dtype, m.dtype, v.dtype, v.dtype, m.dtype, var.dtype

    def numbers(
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
        rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
        return rest(beta1, m.dtype), beta1, rest(beta2, v.dtype), beta2, epsilon, -rate

    def passes(
        self,
        old: Sequence[Any],
        new: tuple[np.ndarray, ...],
        numbers: list[np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        var, m, v, *_, grad = old
        new_var, new_m, new_v = new
        *of_moments, least, back = numbers
        made, ahead = work[0], new_m
        calls = self.moments(m, v, grad, (new_m, new_v), of_moments, made)
        if self.use_nesterov:
            ahead = work[1]
            rest1, kept = of_moments[:2]
            calls += make_axpby_calls(rest1, grad, kept, new_m, out=ahead, work=made)
        return [
            *calls,
            partial(np.sqrt, new_v, made),
            partial(np.add, made, least, made),
            partial(np.true_divide, ahead, made, made),
            *make_axpby_calls(back, made, None, var, out=new_var, work=made),
        ]


class AdamWeightDecay(_AdamUpdate):
    """Adam without correction of the moments' start, and with decay of the weights themselves.

    ``var -= lr * (m / (sqrt(v) + epsilon) + decay * var)``

    Args:
        use_locking: kept for MindSpore's sake.

    Source: Loshchilov & Hutter, https://arxiv.org/abs/1711.05101

    >>> w, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
    >>> print(AdamWeightDecay()(w, m, v, 0.1, 0.5, 0.75, 0.0, 0.5, Tensor([4.0]))[0])
    [0.85]
    """

    use_locking: bool = False
    gradient = 8

    def spare(self) -> bool:
        return True

    def kinds(self, var: np.ndarray, m: np.ndarray, v: np.ndarray) -> tuple[np.dtype, ...]:
        return m.dtype, m.dtype, v.dtype, v.dtype, m.dtype, m.dtype, var.dtype

    def numbers(
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
        return rest(beta1, m.dtype), beta1, rest(beta2, v.dtype), beta2, epsilon, decay, -lr

    def passes(
        self,
        old: Sequence[Any],
        new: tuple[np.ndarray, ...],
        numbers: list[np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        var, m, v, *_, grad = old
        new_var, new_m, new_v = new
        *of_moments, least, shrink, back = numbers
        made, other = work
        return [
            *self.moments(m, v, grad, (new_m, new_v), of_moments, made),
            partial(np.sqrt, new_v, made),
            partial(np.add, made, least, made),
            partial(np.true_divide, new_m, made, made),
            *make_axpby_calls(shrink, var, None, made, out=made, work=other),
            *make_axpby_calls(back, made, None, var, out=new_var, work=made),
        ]


__all__ = ["Adam", "AdamWeightDecay"]
