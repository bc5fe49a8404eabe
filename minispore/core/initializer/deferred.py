"""Deferred tensors: the initializer is stored, and runs when the content is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minispore.core.tensor import Tensor
from minispore.execution import random
from minispore.foundation import checks
from minispore.ir.value import Spec, Value

_deferral_depth = 0  # nesting depth of ``deferring``


class DeferredTensor(Tensor):
    """Tensor whose content is drawn from ``init`` on demand: by ``init_data``, ``asnumpy`` or a
    Parameter made from it. Ops refuse it as an input.
    """

    __slots__ = ("defers_parameters", "init")

    def __init__(self, spec: Spec, init: Any, defers_parameters: bool = True) -> None:
        self._value = Value(spec)
        self.init = init
        self.defers_parameters = defers_parameters  # a Parameter made from it is deferred, too

    @property
    def _pending_init(self) -> Any:
        """The initializer that fills the tensor."""
        return self.init

    def init_data(
        self, slice_index: int | None = None, shape: Any = None, opt_shard_group: Any = None
    ) -> Tensor:
        """Fill the tensor, if it is not filled yet, and return it.

        Args:
            slice_index: the slice of a Parameter; equal indices draw equal values.
            shape: the shape of that slice. Default: ``None``, that of the tensor.
            opt_shard_group: accepted for compatibility.

        Raises:
            TypeError: ``slice_index`` is not an int, ``shape`` does not consist of ints, or a slice
                of a filled tensor is requested.
            ValueError: the index or a length is below 0.

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
            array = self.init._make_(*spec)
        else:
            with random.drawing_slice(checks.integer("init_data", "slice_index", slice_index, 0)):
                array = self.init._make_(*spec)
        self._value = Value(spec, array)
        return self

    def __repr__(self) -> str:
        """Return the repr, with "<uninitialized>" in place of content that is not drawn yet."""
        if not self.has_init:
            return super().__repr__()
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value=<uninitialized>)"

    def __str__(self) -> str:
        """Return the content as text, or the repr while there is no content."""
        return repr(self) if self.has_init else super().__str__()


class OnAnotherRank:
    """Placeholder for the initializer of a Parameter whose content only another rank has."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def _make_(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Refuse to make the content, which only another rank has.

        Raises:
            RuntimeError: always; the text names that rank.
        """
        raise RuntimeError(
            f"Parameter: only rank {self.rank} has the content of this part of the optimizer's "
            "state, and it was read on another rank. Save a checkpoint on all ranks, which "
            "has it, or leave enable_parallel_optimizer out."
        )


def is_deferring() -> bool:
    """Whether initialization is currently deferred, by :func:`deferring` or
    :func:`defer_until_exit`.
    """
    return _deferral_depth > 0


def defer_until_exit() -> None:
    """Defer all initialization until this process ends, as in a dry run."""
    global _deferral_depth
    _deferral_depth += 1


@contextmanager
def deferring() -> Iterator[None]:
    """Defer initialization: Parameters of initializers that are created inside the ``with`` block
    have only a shape and dtype, until their content is read.

    >>> from minispore.core.initializer import initializer
    >>> with deferring():
    ...     huge = initializer("normal", (1 << 20, 1 << 20))
    >>> huge.shape, huge.has_init
    ((1048576, 1048576), True)
    """
    global _deferral_depth
    _deferral_depth += 1
    try:
        yield
    finally:
        _deferral_depth -= 1


__all__ = ["DeferredTensor", "OnAnotherRank", "defer_until_exit", "deferring", "is_deferring"]
