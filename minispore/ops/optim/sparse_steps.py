"""More optimizer updates of selected rows: momentum, dual averaging, centred RMSProp, penalties."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.ops.optim.adaptive import ApplyAdagradDA
from minispore.ops.optim.gradient import ApplyProximalGradientDescent
from minispore.ops.optim.sparse import _SparseUpdate


class _RatesLast(_SparseUpdate):
    """Base of updates whose call takes rates after the gradient and the indices."""

    rates_before_gradient = 0  # the number of rates between the states and the gradient

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Move the gradient and the indices behind the rates, where the base class expects them,
        and run the update.
        """
        i = len(self.mutates) + self.rates_before_gradient
        gradient_and_indices = args[i : i + 2]
        return super().__call__(*args[:i], *args[i + 2 :], *gradient_and_indices, **kwargs)


class SparseApplyMomentum(_RatesLast):
    """:class:`ApplyMomentum` for the rows at ``indices``.

    accum = accum * momentum + grad; var -= lr * accum.

    Inputs: var, accum, lr, grad, indices, momentum. Updates var and accum in place and returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.
        use_nesterov: use Nesterov's look-ahead: var -= lr * (grad + momentum * accum).

    >>> from minispore import Tensor
    >>> w, m = Tensor([[1.0], [1.0]]), Tensor([[1.0], [1.0]])
    >>> op = SparseApplyMomentum()
    >>> print(op(w, m, 0.5, Tensor([[1.0]]), Tensor([1]), 0.0).asnumpy().ravel())
    [1.  0.5]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    mutates = (0, 1)
    gradient = 4
    rates_before_gradient = 1

    def compute_rows(
        self, var: Any, accum: Any, lr: Any, momentum: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new rows of var and accum."""
        accum = accum * momentum + grad
        step = grad + momentum * accum if self.use_nesterov else accum
        return var - lr * step, accum


class SparseApplyAdagradDA(_RatesLast):
    """:class:`ApplyAdagradDA` for the rows at ``indices``.

    Inputs: var, sum of gradients, sum of their squares, grad, indices, lr, l1, l2, global_step.
        Updates the first three in place and returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, a, s = (Tensor([[x], [x]]) for x in (1.0, 0.0, 0.0))
    >>> op, grad = SparseApplyAdagradDA(), Tensor([[4.0]])
    >>> print(op(w, a, s, grad, Tensor([1]), 0.1, 0.0, 0.0, 1).asnumpy().ravel())
    [ 1.  -0.1]
    """

    use_locking: bool = False
    mutates = (0, 1, 2)
    gradient = 7

    def compute_rows(
        self, var: Any, total: Any, squares: Any, lr: Any, l1: Any, l2: Any, step: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new rows of var, the sum of the gradients and the sum of their squares."""
        return ApplyAdagradDA().compute_step(var, total, squares, grad, lr, l1, l2, step)


class SparseApplyCenteredRMSProp(_SparseUpdate):
    """:class:`ApplyCenteredRMSProp` for the rows at ``indices``.

    Inputs: var, mean, mean_square, moment, lr, rho, momentum, epsilon, grad, indices. Updates the
        first four in place and returns var.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    Source: Graves, https://arxiv.org/abs/1308.0850

    >>> from minispore import Tensor
    >>> w, g, s, m = (Tensor([[x], [x]]) for x in (1.0, 0.0, 0.0, 0.0))
    >>> op, grad = SparseApplyCenteredRMSProp(), Tensor([[4.0]])
    >>> print(op(w, g, s, m, 0.1, 0.5, 0.0, 0.0, grad, Tensor([1])).asnumpy().ravel())
    [1.  0.8]
    """

    use_locking: bool = False
    mutates = (0, 1, 2, 3)
    gradient = 8

    def compute_rows(
        self, var: Any, mean: Any, squares: Any, moment: Any, lr: Any, rho: Any, momentum: Any,
        epsilon: Any, grad: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the new rows of var, mean, squares and moment."""
        mean = rho * mean + (1 - rho) * grad
        squares = rho * squares + (1 - rho) * grad * grad
        moment = momentum * moment + lr * grad / np.sqrt(squares - mean * mean + epsilon)
        return var - moment, mean, squares, moment


class SparseApplyProximalGradientDescent(_SparseUpdate):
    """:class:`ApplyProximalGradientDescent` for the rows at ``indices``.

    Inputs: var, alpha, l1, l2, grad, indices. Updates var in place and returns it.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, op = Tensor([[1.0], [1.0]]), SparseApplyProximalGradientDescent()
    >>> print(op(w, 0.5, 0.5, 0.0, Tensor([[1.0]]), Tensor([1])).asnumpy().ravel())
    [1.   0.25]
    """

    use_locking: bool = False
    mutates = (0,)
    gradient = 4

    def infer(self, *args: Any) -> Any:
        return super().infer(*args)[0]

    def kernel(self, *args: Any, out: Any) -> None:
        super().kernel(*args, out=(out,))

    def compute_rows(self, var: Any, alpha: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
        return ApplyProximalGradientDescent().compute_step(var, alpha, l1, l2, grad)


__all__ = [
    "SparseApplyAdagradDA",
    "SparseApplyCenteredRMSProp",
    "SparseApplyMomentum",
    "SparseApplyProximalGradientDescent",
]
