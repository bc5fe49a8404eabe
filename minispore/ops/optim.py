"""Optimizer updates: each changes its variable and its moments in place.

Lean on purpose: ufuncs with ``out=``, one scratch array for the step. ``out`` may be the variables themselves or fresh
buffers; every line reads an input before the output at the same place is written.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ops.axes import a_bool, a_tensor


class _Update(Primitive):
    """``kernel(*inputs, out)``: output i is the new content of input mutates[i].

    MindSpore's own op returns the first ``returns`` of them: a tensor for one, a tuple for more.
    """

    pure = False
    returns: ClassVar[int] = 1

    def __call__(self, *args: Any) -> Any:
        outputs = super().__call__(*args)
        if isinstance(outputs, Tensor):
            return outputs
        return outputs[0] if self.returns == 1 else outputs[: self.returns]

    def infer(self, *args: Any) -> Any:
        var = a_tensor(self.name, args[self.mutates[0]], "var")
        for i in (*self.mutates, self.gradient):
            if a_tensor(self.name, args[i], f"input {i}").shape != var.shape:
                raise ValueError(
                    f"{self.name}: input {i} must have the shape of the variable {var.shape}, got {args[i].shape}."
                )
        specs = tuple(args[i] for i in self.mutates)
        return specs if len(specs) > 1 else specs[0]

    gradient: ClassVar[int]


class ApplyMomentum(_Update):
    """accumulation = accumulation * momentum + gradient * gradient_scale; variable -= learning_rate * accumulation.

    Args:
        use_nesterov: look ahead: variable -= learning_rate * (gradient + momentum * accumulation).
        use_locking: kept for MindSpore's sake.
        gradient_scale: factor of the gradient.

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

    def check(self) -> None:
        a_bool(self.name, self.use_nesterov, "use_nesterov")
        a_bool(self.name, self.use_locking, "use_locking")

    def kernel(
        self,
        var: np.ndarray,
        accum: np.ndarray,
        lr: Any,
        grad: np.ndarray,
        momentum: Any,
        *,
        out: tuple[np.ndarray, np.ndarray],
    ) -> None:
        new_var, new_accum = out
        if self.gradient_scale != 1:
            grad = grad * self.gradient_scale
        np.multiply(accum, momentum, out=new_accum)
        np.add(new_accum, grad, out=new_accum)
        step = np.multiply(new_accum, momentum if self.use_nesterov else lr)
        if self.use_nesterov:
            np.add(step, grad, out=step)
            np.multiply(step, lr, out=step)
        np.subtract(var, step, out=new_var)


class SGD(_Update):
    """Stochastic gradient descent with momentum, dampening and weight decay.

    ``gradient += weight_decay * parameters``; the accumulator starts as the gradient (where ``stat`` is positive,
    which then becomes 0), later ``accum = momentum * accum + (1 - dampening) * gradient``.

    Args:
        dampening: share of the gradient kept out of the accumulator.
        weight_decay: L2 penalty.
        nesterov: step by ``gradient + momentum * accum``.

    >>> w, a, stat = Tensor([1.0]), Tensor([0.0]), Tensor([1.0])
    >>> print(SGD()(w, Tensor([1.0]), 0.1, a, 0.9, stat), a, stat)
    [0.9] [1.] [0.]
    """

    dampening: float = 0.0
    weight_decay: float = 0.0
    nesterov: bool = False
    mutates = (0, 3, 5)
    gradient = 1

    def check(self) -> None:
        a_bool(self.name, self.nesterov, "nesterov")
        if self.nesterov and self.dampening != 0:
            raise ValueError(
                f"SGD: dampening must be 0 with nesterov, got {self.dampening}. Leave one of them out."
            )

    def kernel(
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
        new_var, new_accum, new_stat = out
        if self.weight_decay:
            grad = grad + var * self.weight_decay
        if not np.any(momentum):
            step = np.multiply(grad, lr)
            np.copyto(new_accum, accum)
            np.copyto(new_stat, stat)
        else:
            fresh = stat > 0
            kept = np.multiply(accum, momentum)
            np.add(kept, grad if not self.dampening else grad * (1 - self.dampening), out=kept)
            np.copyto(kept, grad, where=fresh)
            np.copyto(new_accum, kept)
            step = kept
            if self.nesterov:
                np.multiply(step, momentum, out=step)
                np.add(step, grad, out=step)
            np.multiply(step, lr, out=step)
            np.copyto(new_stat, stat)
            np.copyto(new_stat, 0, where=fresh)
        np.subtract(var, step, out=new_var)


__all__ = [
    "SGD",
    "ApplyMomentum",
]
