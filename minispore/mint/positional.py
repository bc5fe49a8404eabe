"""Functions of ``mint`` that take by position, too, what ``mint`` takes by keyword alone."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from minispore.mint.arrangement import repeat_interleave
from minispore.mint.elementwise import add, sub
from minispore.mint.nn.functional.activation import log_softmax
from minispore.mint.reduction import mean, prod, sort, sum


def positional(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with its keywords in their places.

    >>> from minispore import Tensor
    >>> print(positional(add)(Tensor([1, 2]), Tensor([3, 4]), 2))
    [ 7 10]
    """
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters]
    first = [p.kind for p in parameters].count(inspect.Parameter.POSITIONAL_OR_KEYWORD)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not first < len(args) <= len(names):
            return function(*args, **kwargs)  # which refuses too many
        return function(*args[:first], **dict(zip(names[first:], args[first:])), **kwargs)

    return called


add_ext, sub_ext = positional(add), positional(sub)
mean_ext, sum_ext, prod_ext = positional(mean), positional(sum), positional(prod)
sort_ext, log_softmax_ext = positional(sort), positional(log_softmax)
repeat_interleave_ext = positional(repeat_interleave)

__all__ = [
    "add_ext",
    "log_softmax_ext",
    "mean_ext",
    "prod_ext",
    "repeat_interleave_ext",
    "sort_ext",
    "sub_ext",
    "sum_ext",
]
