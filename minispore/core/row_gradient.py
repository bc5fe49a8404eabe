"""RowGradient: the gradient of a table, stored as the looked-up rows and their indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core.tensor import Tensor, call
from minispore.core.tensor_base import TensorBase
from minispore.ir import dtype as mstype
from minispore.ir.dtype import DType
from minispore.ir.value import Value


class RowGradient(Tensor):
    """Zeros of shape ``table_shape``, with ``values[i]`` added to row ``indices[i]``.

    Code that supports it works on the rows, as do optimizers that update only these. All other code
    sees a tensor whose content is computed on demand; after a write it is a plain Tensor.

    Args:
        indices: (N,) ints in [0, R), or -1 for no row, with values 0.
        values: (N, ...).
        table_shape: (R, ...).

    >>> gradient = RowGradient(Tensor([2, 2]), Tensor([[1.0], [3.0]]), (3, 1))
    >>> print((gradient * 2).values.asnumpy().ravel(), gradient.asnumpy().ravel())
    [2. 6.] [0. 0. 4.]
    """

    indices: Tensor
    values: Tensor
    table_shape: tuple[int, ...]
    # The slot in which other tensors store their content; users' attributes are in ``__dict__``.
    _dense_value = vars(TensorBase)["_value"]

    def __init__(self, indices: Tensor, values: Tensor, table_shape: tuple[int, ...]) -> None:
        self.indices, self.values, self.table_shape = indices, values, table_shape

    @property
    def _value(self) -> Value:
        """The Value of the dense gradient, computed on first read; setting it makes this object a
        plain Tensor.
        """
        dense: Value | None = getattr(self, "_dense_value", None)
        if dense is None:
            dense = call("GatherGrad", self.values, self.indices, 0, self.table_shape)._value
            if dense.data is not None or self.values._value.data is None:  # else traced by a graph
                self._dense_value = dense
        return dense

    @_value.setter
    def _value(self, value: Value) -> None:
        """Set the dense content, which makes this object a plain Tensor without rows."""
        self._dense_value = value
        self.__class__ = Tensor  # type: ignore[assignment]
        self.__dict__.clear()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table, not of the stored rows."""
        return self.table_shape

    @shape.setter
    def shape(self, value: Any) -> None:
        """Raise a TypeError, since the shape can't be set."""
        Tensor.shape.__set__(self, value)  # type: ignore[attr-defined]

    @property
    def ndim(self) -> int:
        """The number of axes of the table."""
        return len(self.table_shape)

    @property
    def dtype(self) -> DType:
        """The data type of the stored rows."""
        return mstype.from_numpy(self.values._value.spec.dtype)

    def map_rows(self, function: Callable[[Tensor], Tensor]) -> RowGradient:
        """Return the gradient whose rows are ``function(values)``; ``function`` must map 0 to 0."""
        return RowGradient(self.indices, function(self.values), self.table_shape)

    def concatenate(self, other: RowGradient) -> RowGradient:
        """Return the sum of both gradients, which has the rows of both."""
        indices = call("Concat", self.indices, other.indices)
        return RowGradient(indices, call("Concat", self.values, other.values), self.table_shape)

    def __mul__(self, other: Any) -> Tensor:
        """Scale the rows by one number; multiply the dense gradient by anything else."""
        return self.map_rows(lambda v: v * other) if _is_scalar(other) else super().__mul__(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        """Divide the rows by one number; divide the dense gradient by anything else."""
        return (
            self.map_rows(lambda v: v / other) if _is_scalar(other) else super().__truediv__(other)
        )


def apply_to_rows(function: Callable[[Tensor], Tensor], gradient: Tensor) -> Tensor:
    """Apply a row-wise function to a gradient; to its rows alone if it is a RowGradient."""
    return gradient.map_rows(function) if isinstance(gradient, RowGradient) else function(gradient)


def _is_scalar(other: Any) -> bool:
    """Whether ``other`` is a single number, so that scaling only the stored rows is enough (the
    others stay 0).
    """
    if isinstance(other, Tensor):
        return other.size == 1 and other.ndim < 2
    return isinstance(other, int | float)


__all__ = ["RowGradient", "apply_to_rows"]
