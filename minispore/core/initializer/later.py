"""Tensors whose initializer is remembered and not run: they take memory when their content
is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minispore.core.tensor import Tensor
from minispore.core.value import Spec, Value

_later = 0  # blocks of left_for_later that this is inside of


class Unfilled(Tensor):
    """A tensor whose content is drawn from ``init`` when it is asked for, by ``init_data``,
    ``asnumpy`` or a Parameter that is made of it; what just computes with it is refused.
    """

    __slots__ = ("init", "later")

    def __init__(self, spec: Spec, init: Any, later: bool = True) -> None:
        self._value = Value(spec)
        self.init = init
        self.later = later  # a Parameter that is made of it draws nothing yet, either

    @property
    def _init(self) -> Any:
        return self.init

    def __repr__(self) -> str:
        if not self.has_init:
            return super().__repr__()
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value=<uninitialized>)"

    def __str__(self) -> str:
        return repr(self) if self.has_init else super().__str__()


class Elsewhere:
    """In place of the initializer of a content that another rank has, and this one has not."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def make(self, shape: tuple[int, ...], dtype: Any) -> Any:
        raise RuntimeError(
            f"Parameter: only rank {self.rank} has the content of this part of the optimizer's "
            "state, got a question for it on another one. Save a checkpoint on all ranks, which "
            "has it, or leave enable_parallel_optimizer out."
        )


def leaves_for_later() -> bool:
    """Whether initializers draw nothing now."""
    return _later > 0


def from_now_on() -> None:
    """Draw nothing until this process ends, as in a dry run."""
    global _later
    _later += 1


@contextmanager
def left_for_later() -> Iterator[None]:
    """Draw nothing inside the ``with`` block: what is made of an initializer has a shape only.

    >>> from minispore.core.initializer import initializer
    >>> with left_for_later():
    ...     huge = initializer("normal", (1 << 20, 1 << 20))
    >>> huge.shape, huge.has_init
    ((1048576, 1048576), True)
    """
    global _later
    _later += 1
    try:
        yield
    finally:
        _later -= 1


__all__ = ["Elsewhere", "Unfilled", "from_now_on", "leaves_for_later", "left_for_later"]
