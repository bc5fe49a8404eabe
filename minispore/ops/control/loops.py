"""Loops as higher-order functions: while, for, scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ops.shape.join import Stack, pick
from minispore.ops.support.arguments import to_static


class WhileLoop(Primitive):
    """``while cond_func(val): val = loop_func(val)``; returns val.

    >>> print(WhileLoop()(lambda x: x < 10, lambda x: x * 2, Tensor(1)))
    16
    """

    question = True

    def __call__(
        self, cond_func: Callable[[Any], Any], loop_func: Callable[[Any], Any], init_val: Any
    ) -> Any:
        value = init_val
        while cond_func(value):
            value = loop_func(value)
        return value


class ForiLoop(Primitive):
    """``for i in range(lower, upper): val = loop_func(i, val)``; returns val.

    >>> print(ForiLoop()(0, 4, lambda i, x: x + i, Tensor(0)))
    6
    """

    question = True

    def __call__(
        self,
        lower: Any,
        upper: Any,
        loop_func: Callable[[int, Any], Any],
        init_val: Any,
        unroll: bool = True,
    ) -> Any:
        value = init_val
        for i in range(to_static(lower), to_static(upper)):
            value = loop_func(i, value)
        return value


class Scan(Primitive):
    """``carry, y = loop_func(carry, x)`` over the elements of xs; returns the last carry and all y.

    Args (of the call):
        loop_func: a function of carry and element that returns the new carry and an output.
        init: the first carry.
        xs: a tuple, list or tensor to iterate over; with None, x is None in each of ``length``
            steps.
        length: the number of elements.
        unroll: accepted as in MindSpore, but has no effect.

    >>> carry, ys = Scan()(lambda c, x: (c + x, c), Tensor(0), [1, 2, 3])
    >>> print(carry, *ys)
    6 0 1 3
    """

    question = True

    def __call__(
        self,
        loop_func: Callable[[Any, Any], Any],
        init: Any,
        xs: Any,
        length: int | None = None,
        unroll: bool = True,
    ) -> tuple[Any, Any]:
        """Return the last carry and all y; ``unroll`` has no effect.

        The y are stacked if xs and the y are tensors, else returned as a list.
        """
        if xs is None and length is None:
            raise ValueError(f"{self.name}: length must be given when xs is None.")
        if xs is not None and length not in (None, len(xs)):
            raise ValueError(f"{self.name}: length must be that of xs, {len(xs)}, got {length}.")
        carry, ys = init, []
        for i in range(len(xs) if xs is not None else length):  # type: ignore[arg-type]
            x = None
            if xs is not None:
                x = pick(xs, 0, i) if isinstance(xs, Tensor) else xs[i]
            carry, y = loop_func(carry, x)
            ys.append(y)
        is_stackable = isinstance(xs, Tensor) and all(isinstance(y, Tensor) for y in ys)
        return carry, Stack(0)(ys) if is_stackable else ys


__all__ = ["ForiLoop", "Scan", "WhileLoop"]
