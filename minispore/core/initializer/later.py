"""Tensors whose initializer is remembered and not run: they take memory when their content
is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minispore import checks
from minispore.core import random
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

    def init_data(
        self, slice_index: int | None = None, shape: Any = None, opt_shard_group: Any = None
    ) -> Tensor:
        """Fill the tensor, if that was not done yet.

        Args:
            slice_index: which part of a Parameter this is: who names the same one draws the same.
            shape: of that part. Default: ``None``, its own.
            opt_shard_group: kept for MindSpore's sake.

        Raises:
            TypeError: ``slice_index`` is no int, ``shape`` no ints, or a part is asked of what
                has its content.
            ValueError: one of them is below 0.

        >>> from minispore.core.initializer import initializer
        >>> random.set_seed(1)
        >>> a, b = (initializer("normal", (4, 2)).init_data(1, (2, 2)) for _ in range(2))
        >>> a.shape, bool((a == b).all())
        ((2, 2), True)
        """
        if not self.has_init:
            return super().init_data(slice_index, shape)
        spec = self._value.spec
        if shape is not None:
            axes = [checks.integer("init_data", "shape", n, 0) for n in shape]
            spec = Spec(tuple(axes), spec.dtype)
        if slice_index is None:
            made = self.init._make_(*spec)
        else:
            with random.of_part(checks.integer("init_data", "slice_index", slice_index, 0)):
                made = self.init._make_(*spec)
        self._value = Value(spec, made)
        return self

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

    def _make_(self, shape: tuple[int, ...], dtype: Any) -> Any:
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
