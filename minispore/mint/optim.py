"""Optimizers by the formulas of their papers, at ``mindspore.mint.optim``."""

from __future__ import annotations

from typing import Any

from minispore.described import describe as _describe
from minispore.nn.optim import experimental


class Adam(experimental.Adam):
    """m, v = moving averages of g and g^2;  p -= lr * m / (sqrt(v) + eps), with m and v unbiased.

    The arguments are those of :class:`minispore.experimental.optim.Adam`.

    Source: Kingma & Ba 2015.
    """

    _eps_inside = False
    _float_decay = True


class AdamW(experimental.AdamW):
    """:class:`Adam` whose weight decay shrinks the parameter itself: p *= 1 - lr * weight_decay.

    The arguments are those of :class:`minispore.experimental.optim.AdamW`.

    Source: Loshchilov & Hutter 2019.
    """

    _float_decay = True


class FusedAdamW(AdamW):
    """:class:`AdamW`; a graph fuses it anyway."""


class SGD(experimental.SGD):
    """v = momentum * v + (1 - dampening) * g;  p -= lr * v. See ``experimental.optim.SGD``."""

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, dampening, weight_decay, nesterov, maximize=maximize)


__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]

_describe(__name__)
