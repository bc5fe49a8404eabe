"""Variants of ``mint`` functions that also accept keyword-only arguments by position."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from minispore.mint.arrangement import repeat_interleave
from minispore.mint.elementwise import add, sub
from minispore.mint.nn.functional.activation import log_softmax
from minispore.mint.reduction import mean, prod, sort, sum


def allow_positional(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a wrapper of ``function`` that accepts its keyword-only arguments by position, after
    the positional ones and in their order.

    >>> from minispore import Tensor
    >>> print(allow_positional(add)(Tensor([1, 2]), Tensor([3, 4]), 2))
    [ 7 10]
    """
    parameters = inspect.signature(function).parameters.values()
    names = [parameter.name for parameter in parameters]
    positional_count = [parameter.kind for parameter in parameters].count(
        inspect.Parameter.POSITIONAL_OR_KEYWORD
    )

    @functools.wraps(function)
    def call_by_keyword(*args: Any, **kwargs: Any) -> Any:
        """Call ``function``, passing excess positional arguments by keyword."""
        if not positional_count < len(args) <= len(names):
            return function(*args, **kwargs)  # raises if there are too many
        return function(
            *args[:positional_count],
            **dict(zip(names[positional_count:], args[positional_count:])),
            **kwargs,
        )

    return call_by_keyword


add_ext, sub_ext = allow_positional(add), allow_positional(sub)
mean_ext, sum_ext, prod_ext = allow_positional(mean), allow_positional(sum), allow_positional(prod)
sort_ext, log_softmax_ext = allow_positional(sort), allow_positional(log_softmax)
repeat_interleave_ext = allow_positional(repeat_interleave)

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
