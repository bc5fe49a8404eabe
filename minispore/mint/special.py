"""Special functions, as in ``mindspore.mint.special``."""

from __future__ import annotations

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.mint.elementwise import exp2
from minispore.mint.nn.functional.activation import log_softmax
from minispore.ops import erfc, expm1, log1p, sinc


def round(input: Tensor) -> Tensor:
    """Return ``input`` rounded to integers, with halves rounded to even, in its dtype.

    >>> print(round(Tensor([0.5, 1.5])))
    [0. 2.]
    """
    return ops.round(input)


__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]

_describe(__name__)
