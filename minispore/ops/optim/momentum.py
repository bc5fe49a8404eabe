"""Updates by the gradient and its momentum: ApplyMomentum and SGD."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.foundation import checks
from minispore.ops.optim.updates import _Blockwise, _Passes, emit_scaled_sum


class ApplyMomentum(_Passes):
    """accumulation = accumulation * momentum + gradient; variable -= learning_rate * accumulation.

    Inputs: variable, accumulation, learning_rate, gradient, momentum. Updates the first two in
        place and returns the variable.

    Args:
        use_nesterov: use Nesterov's look-ahead: variable -= learning_rate * (gradient + momentum *
            accumulation).
        use_locking: ignored; accepted for compatibility with MindSpore.
        gradient_scale: the factor of the gradient.

    Source: Sutskever et al., http://proceedings.mlr.press/v28/sutskever13.html

    >>> w, m = Tensor([1.0]), Tensor([0.5])
    >>> print(ApplyMomentum()(w, m, 0.1, Tensor([1.0]), 0.9), m)
    [0.855] [1.45]
    """

    use_nesterov: bool = False
    use_locking: bool = False
    gradient_scale: float = 1.0
    mutates = (0, 1)
    gradient = 3

    def get_dtypes(self, var: np.ndarray, accum: np.ndarray) -> tuple[np.dtype, ...]:
        """Return the dtype of each coefficient that ``compute_coefficients`` returns: scale,
        momentum and rate.
        """
        return accum.dtype, accum.dtype, var.dtype

    def compute_coefficients(
        self, var: Any, accum: Any, lr: Any, grad: Any, momentum: Any
    ) -> tuple[Any, ...]:
        """Return the gradient's scale, the momentum and minus the learning rate."""
        return self.gradient_scale, momentum, -lr

    def emit_passes(
        self,
        old: Sequence[Any],
        new: tuple[np.ndarray, ...],
        coefficients: list[np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        """Return the calls that update the accumulation, then the variable (with ``use_nesterov``,
        by a look-ahead).

        They read ``old`` and write ``new``, which may be the same arrays.
        """
        var, accum, _, grad, _ = old
        new_var, new_accum = new
        scale, momentum, negative_rate = coefficients
        grad_scale = None if self.gradient_scale == 1 else scale
        calls = emit_scaled_sum(grad_scale, grad, momentum, accum, out=new_accum, work=work[0])
        direction = new_accum
        if self.use_nesterov:
            direction = work[1]
            calls += emit_scaled_sum(
                grad_scale, grad, momentum, new_accum, out=direction, work=work[0]
            )
        return calls + emit_scaled_sum(
            negative_rate, direction, None, var, out=new_var, work=work[0]
        )


class SGD(_Blockwise):
    """Stochastic gradient descent with momentum, dampening and weight decay.

    ``gradient += weight_decay * parameters``. In the first step, where ``stat`` is positive, the
    accumulator becomes the gradient and ``stat`` 0; later the accumulator becomes ``momentum *
    accum + (1 - dampening) * gradient``. With a momentum of 0 neither changes, and the step is by
    the gradient.

    Inputs: parameters, gradient, learning rate, accum, momentum, stat. Updates parameters, accum
        and stat in place and returns the parameters.

    Args:
        dampening: fraction of the gradient excluded from the accumulator.
        weight_decay: L2 penalty.
        nesterov: step by ``gradient + momentum * accum``; requires a dampening of 0.

    >>> w, a, stat = Tensor([1.0]), Tensor([0.0]), Tensor([1.0])
    >>> print(SGD()(w, Tensor([1.0]), Tensor(0.1), a, Tensor(0.9), stat), a, stat)
    [0.9] [1.] [0.]
    """

    dampening: float = 0.0
    weight_decay: float = 0.0
    nesterov: bool = False
    mutates = (0, 3, 5)
    gradient = 1

    def check(self) -> None:
        """Check that ``nesterov`` is a bool, and that ``dampening`` is 0 if it is True."""
        checks.boolean(self.name, "nesterov", self.nesterov)
        if self.nesterov and self.dampening != 0:
            raise ValueError(
                f"SGD: dampening must be 0 with nesterov, got {self.dampening}. Leave one out."
            )

    def update(
        self,
        var: np.ndarray,
        grad: np.ndarray,
        lr: Any,
        accum: np.ndarray,
        momentum: Any,
        stat: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        """Write the new variable, accumulation and stat.

        In the first step, where stat > 0, accum becomes the gradient and stat 0; with a momentum of
        0 both keep their values.
        """
        new_var, new_accum, new_stat = out
        if self.weight_decay:
            grad = grad + var * self.weight_decay
        if not np.any(momentum):
            step = np.multiply(grad, lr)
            np.copyto(new_accum, accum)
            np.copyto(new_stat, stat)
        else:
            is_first_step = stat > 0
            # [...] keeps a 0-d result an array, which the next lines write to
            velocity = np.multiply(accum, momentum)[...]
            dampened = grad * (1 - self.dampening) if self.dampening else grad
            np.add(velocity, dampened, out=velocity)
            np.copyto(velocity, grad, where=is_first_step)
            np.copyto(new_accum, velocity)
            step = velocity
            if self.nesterov:
                np.multiply(step, momentum, out=step)
                np.add(step, grad, out=step)
            np.multiply(step, lr, out=step)
            np.copyto(new_stat, stat)
            np.copyto(new_stat, 0, where=is_first_step)
        np.subtract(var, step, out=new_var)


__all__ = ["SGD", "ApplyMomentum"]
