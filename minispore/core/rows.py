"""The gradient of a table of which rows were looked up: these rows, and which ones they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core import dtype as mstype
from minispore.core.box import Box
from minispore.core.dtype import DType
from minispore.core.tensor import Tensor, call
from minispore.core.value import Value


class RowGradient(Tensor):
    """Zeros of the shape ``table``, to whose row ``indices[i]`` is added ``values[i]``.

    What knows of it goes on with the rows, as optimizers do that step no others. To all else it is
    a tensor, whose content is made when somebody asks; one that is written is no more than that.

    Args:
        indices: (N,) ints in [0, R), or -1: no row, whose values are 0.
        values: (N, ...).
        table: (R, ...).

    >>> gradient = RowGradient(Tensor([2, 2]), Tensor([[1.0], [3.0]]), (3, 1))
    >>> print((gradient * 2).values.asnumpy().ravel(), gradient.asnumpy().ravel())
    [2. 6.] [0. 0. 4.]
    """

    indices: Tensor
    values: Tensor
    table: tuple[int, ...]
    # Lies where the content of other tensors does, not among what users hang on one.
    _whole = vars(Box)["_value"]

    def __init__(self, indices: Tensor, values: Tensor, table: tuple[int, ...]) -> None:
        self.indices, self.values, self.table = indices, values, table

    @property
    def _value(self) -> Value:
        whole: Value | None = getattr(self, "_whole", None)
        if whole is None:
            whole = call("GatherGrad", self.values, self.indices, 0, self.table)._value
            if whole.data is not None or self.values._value.data is None:  # else a graph's own
                self._whole = whole
        return whole

    @_value.setter
    def _value(self, value: Value) -> None:
        self._whole = value
        self.__class__ = Tensor  # type: ignore[assignment]
        self.__dict__.clear()

    @property
    def shape(self) -> tuple[int, ...]:
        return self.table

    @shape.setter
    def shape(self, value: Any) -> None:
        Tensor.shape.__set__(self, value)  # type: ignore[attr-defined]

    @property
    def ndim(self) -> int:
        return len(self.table)

    @property
    def dtype(self) -> DType:
        return mstype.from_numpy(self.values._value.spec.dtype)

    def on_rows(self, function: Callable[[Tensor], Tensor]) -> RowGradient:
        """The gradient whose rows are ``function(values)``."""
        return RowGradient(self.indices, function(self.values), self.table)

    def joined(self, other: RowGradient) -> RowGradient:
        """The sum of both: the rows of both."""
        indices = call("Concat", self.indices, other.indices)
        return RowGradient(indices, call("Concat", self.values, other.values), self.table)

    def __mul__(self, other: Any) -> Tensor:
        return self.on_rows(lambda v: v * other) if _is_one(other) else super().__mul__(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        return self.on_rows(lambda v: v / other) if _is_one(other) else super().__truediv__(other)


def by_rows(function: Callable[[Tensor], Tensor], gradient: Tensor) -> Tensor:
    """``function(gradient)``, which treats each row by itself: also where it is known by rows."""
    return gradient.on_rows(function) if isinstance(gradient, RowGradient) else function(gradient)


def _is_one(other: Any) -> bool:
    """Whether ``other`` is one number, so that 0 elsewhere stays 0 (also where it is infinite)."""
    if isinstance(other, Tensor):
        return other.size == 1 and other.ndim < 2
    return isinstance(other, int | float)


__all__ = ["RowGradient", "by_rows"]
