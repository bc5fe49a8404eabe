"""Dropout: zero some elements at random and scale the others up, so that the mean stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.random import generator
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.axes import a_tensor
from minispore.ops.elementwise import a_kind


def a_keep_prob(op: str, keep_prob: Any) -> None:
    """Raise unless ``keep_prob`` is a number in (0, 1]."""
    if isinstance(keep_prob, bool) or not isinstance(keep_prob, int | float):
        raise TypeError(f"{op}: keep_prob must be a float, got {keep_prob!r}.")
    if not 0 < keep_prob <= 1:
        raise ValueError(f"{op}: keep_prob must be in (0, 1], got {keep_prob}.")


class Dropout(Primitive):
    """x / keep_prob where a coin of probability ``keep_prob`` says so, else 0; and the mask.

    Args:
        keep_prob: the share of elements that stay, in (0, 1].
        Seed0: kept for MindSpore's sake; draws come from the stream that ``set_seed`` seeds.
        Seed1: kept for MindSpore's sake.

    Source: Srivastava et al., https://jmlr.org/papers/v15/srivastava14a.html

    >>> y, mask = Dropout(keep_prob=1.0)(Tensor([1.0, 2.0]))
    >>> print(y, mask)
    [1. 2.] [1. 1.]
    """

    keep_prob: float = 0.5
    Seed0: int = 0
    Seed1: int = 0
    pure = False
    draws = True
    partial = True
    layout = LIKE_INPUT

    def check(self) -> None:
        a_keep_prob(self.name, self.keep_prob)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        a_kind(self.name, x, "fV", "x")
        return x, x

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        y, mask = out
        draws = generator().random(x.shape, np.float32)
        np.less(draws, self.keep_prob, out=mask)
        np.multiply(x, mask, out=y)
        np.multiply(y, 1 / self.keep_prob, out=y)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        if dout[0] is None:
            return (None,)
        return (lambda: DropoutGrad(self.keep_prob)(dout[0], out[1]),)


class DropoutGrad(Primitive):
    """dy * mask / keep_prob.

    >>> print(DropoutGrad(0.5)(Tensor([1.0, 2.0]), Tensor([0.0, 1.0])))
    [0. 4.]
    """

    keep_prob: float = 0.5
    layout = LIKE_INPUT
    reuse = (0,)

    def infer(self, dy: Spec, mask: Spec) -> Spec:
        if a_tensor(self.name, dy, "dy").shape != a_tensor(self.name, mask, "mask").shape:
            raise ValueError(f"DropoutGrad: mask must have the shape of dy, got {mask} and {dy}.")
        return dy

    def kernel(self, dy: np.ndarray, mask: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(dy, mask, out=out)
        np.multiply(out, 1 / self.keep_prob, out=out)

    def vjp(self, dy: Tensor, mask: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: DropoutGrad(self.keep_prob)(dout, mask),)


__all__ = ["Dropout", "DropoutGrad"]
