"""Optimizer updates: each changes its variable and its moments in place.

Lean on purpose: ufuncs with ``out=``, one scratch array for the step. ``out`` may be the variables
themselves or fresh buffers: every line reads an input before its output is written over it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minispore import checks
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.support.axes import a_tensor, holds

BLOCK = 1 << 15  # elements: a variable, its moments and its gradient stay in a core's cache


class _Update(Primitive):
    """``kernel(*inputs, out)``: output i is the new content of input mutates[i].

    MindSpore's own op returns the first ``returns`` of them: a tensor for one, a tuple for more.
    """

    pure = False
    returns: ClassVar[int] = 1
    gradient: ClassVar[int]  # which input holds the gradient

    def check(self) -> None:
        for name in ("use_locking", "use_nesterov", "update_slots"):
            if name in self.fields:
                checks.boolean(self.name, name, getattr(self, name))

    def __call__(self, *args: Any, **named: Any) -> Any:
        outputs = super().__call__(*args, **named)
        if isinstance(outputs, Tensor):
            return outputs
        return outputs[0] if self.returns == 1 else outputs[: self.returns]

    def infer(self, *args: Any) -> Any:
        var = a_kind(self.name, args[self.mutates[0]], "fV", "var")
        for i in (*self.mutates, self.gradient):
            if a_tensor(self.name, args[i], f"input {i}").shape != var.shape:
                raise ValueError(
                    f"{self.name}: input {i} must have the shape of the variable {var.shape}, "
                    f"got {args[i].shape}."
                )
        holds(self.name, var, args[self.gradient], "the gradient")
        for i, rate in enumerate(args):
            if i not in self.mutates and i != self.gradient:
                a_rate(self.name, rate, i)
        specs = tuple(args[i] for i in self.mutates)
        return specs if len(specs) > 1 else specs[0]


def a_rate(op: str, rate: Any, i: int) -> None:
    """Raise unless ``rate`` is a number or a tensor with one element."""
    if isinstance(rate, Spec):
        if rate.size != 1:
            raise ValueError(f"{op}: input {i} must be one number, got {rate}.")
    elif isinstance(rate, bool) or not isinstance(rate, int | float):
        raise TypeError(f"{op}: input {i} must be a number or a Tensor, got {rate!r}.")


class _Blockwise(_Update):
    """``update(*inputs, out)`` element by element: a large variable goes block by block through all
    its lines.
    """

    if TYPE_CHECKING:  # each update has its own parameters
        update: Callable[..., None]

    def calls(self, *args: Any, out: Any, work: Any) -> list[Callable[[], Any]]:
        outs = out if isinstance(out, tuple) else (out,)
        shape = outs[0].shape
        whole = [a for a in (*args, *outs) if isinstance(a, np.ndarray) and a.shape == shape]
        if outs[0].size <= BLOCK or not all(a.flags.c_contiguous for a in whole):
            return [partial(self.update, *args, out=out)]

        def part(x: Any, block: slice) -> Any:
            fits = isinstance(x, np.ndarray) and x.shape == shape
            return x.reshape(-1)[block] if fits else x

        calls: list[Callable[[], Any]] = []
        for start in range(0, outs[0].size, BLOCK):
            block = slice(start, start + BLOCK)
            new = tuple([part(o, block) for o in outs])
            old = [part(a, block) for a in args]
            calls.append(partial(self.update, *old, out=new if isinstance(out, tuple) else new[0]))
        return calls


class _Formula(_Blockwise):
    """An update written as a formula: ``step(*inputs)`` gives the new contents."""

    if TYPE_CHECKING:
        step: Callable[..., tuple[Any, ...]]

    def update(self, *args: Any, out: Any) -> None:
        outs = out if isinstance(out, tuple) else (out,)
        for place, made in zip(outs, self.step(*args), strict=True):
            np.copyto(place, made, casting="same_kind")


class ApplyMomentum(_Blockwise):
    """accumulation = accumulation * momentum + gradient; variable -= learning_rate * accumulation.

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

    def update(
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


class SGD(_Blockwise):
    """Stochastic gradient descent with momentum, dampening and weight decay.

    ``gradient += weight_decay * parameters``. The accumulator starts as the gradient (where
    ``stat`` is positive, which then becomes 0); later it is
    ``momentum * accum + (1 - dampening) * gradient``.

    Args:
        dampening: share of the gradient kept out of the accumulator.
        weight_decay: L2 penalty.
        nesterov: step by ``gradient + momentum * accum``.

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


def rest(beta: Any, dtype: np.dtype) -> Any:
    """1 - beta in the precision that powers of beta are kept in beside moments of ``dtype``.

    Taken from a rounded beta, as the powers are: the averages' start, which sums of (1 - beta) make
    and 1 - beta^t undoes, would not cancel otherwise.
    """
    return np.subtract(1, beta, dtype=np.float64 if dtype == np.float64 else np.float32)


class _AdamUpdate(_Blockwise):
    """Updates of a variable and its two moments."""

    mutates = (0, 1, 2)
    returns = 3

    @staticmethod
    def moments(
        m: np.ndarray, v: np.ndarray, grad: np.ndarray, beta1: Any, beta2: Any, out: Any
    ) -> np.ndarray:
        """Move the moments; returns a scratch array that is free again."""
        new_m, new_v = out
        scratch = np.multiply(grad, rest(beta1, m.dtype), dtype=new_m.dtype)
        np.multiply(m, beta1, out=new_m)
        np.add(new_m, scratch, out=new_m)
        np.multiply(grad, grad, out=scratch, dtype=scratch.dtype)
        np.multiply(scratch, rest(beta2, v.dtype), out=scratch)
        np.multiply(v, beta2, out=new_v)
        np.add(new_v, scratch, out=new_v)
        return scratch


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

    def update(
        self,
        var: np.ndarray,
        m: np.ndarray,
        v: np.ndarray,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        new_var, new_m, new_v = out
        scratch = self.moments(m, v, grad, beta1, beta2, (new_m, new_v))
        np.sqrt(new_v, out=scratch)
        np.add(scratch, epsilon, out=scratch)
        ahead = new_m * beta1 + grad * rest(beta1, m.dtype) if self.use_nesterov else new_m
        np.true_divide(ahead, scratch, out=scratch)
        rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
        np.multiply(scratch, rate, out=scratch, dtype=scratch.dtype, casting="same_kind")
        np.subtract(var, scratch, out=new_var)


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

    def update(
        self,
        var: np.ndarray,
        m: np.ndarray,
        v: np.ndarray,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        decay: Any,
        grad: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        new_var, new_m, new_v = out
        scratch = self.moments(m, v, grad, beta1, beta2, (new_m, new_v))
        np.sqrt(new_v, out=scratch)
        np.add(scratch, epsilon, out=scratch)
        np.true_divide(new_m, scratch, out=scratch)
        if np.any(decay):
            np.add(scratch, np.multiply(var, decay), out=scratch)
        np.multiply(scratch, lr, out=scratch)
        np.subtract(var, scratch, out=new_var)


__all__ = ["SGD", "Adam", "AdamWeightDecay", "ApplyMomentum"]
