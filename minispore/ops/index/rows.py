"""RowTensor: some rows of a larger tensor, for example the gradient of an embedding."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor


class RowTensor:
    """Some rows of a dense tensor: dense[indices[i]] = values[i], all other rows are zero.

    Args:
        indices: indices of the rows, (d0,).
        values: the rows, (d0, d1, ..., dn).
        shape: shape of the dense tensor, (l0, d1, ..., dn).
        row_tensor: the RowTensor to copy, instead of the three above.

    Raises:
        TypeError: an argument has the wrong type, or ``row_tensor`` is combined with others.

    >>> x = RowTensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2))
    >>> print(x.indices, x.values, x.dense_shape)
    [0] [[1. 2.]] (3, 2)
    """

    def __init__(
        self,
        indices: Tensor | None = None,
        values: Tensor | None = None,
        shape: tuple[int, ...] | None = None,
        row_tensor: RowTensor | None = None,
    ) -> None:
        """Take indices, values and shape, or those of ``row_tensor``; raise TypeError for both."""
        if row_tensor is not None:
            if not isinstance(row_tensor, RowTensor):
                raise TypeError(f"RowTensor: row_tensor must be a RowTensor, got {row_tensor!r}.")
            if any(argument is not None for argument in (indices, values, shape)):
                raise TypeError("RowTensor: takes row_tensor or the other arguments, not both.")
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        self._indices = _check_type("indices", indices, Tensor)
        self._values = _check_type("values", values, Tensor)
        self._shape = _check_type("shape", shape, tuple)

    @property
    def indices(self) -> Tensor:
        """The indices of the rows."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """The shape of the dense tensor."""
        return self._shape

    def __repr__(self) -> str:
        return (
            f"RowTensor(shape={list(self._shape)}, dtype={self._values.dtype}, "
            f"indices={self._indices!r}, values={self._values!r})"
        )


def _check_type(name: str, value: Any, cls: type) -> Any:
    """Return ``value`` if it is a ``cls``, else raise TypeError."""
    if not isinstance(value, cls):
        raise TypeError(
            f"RowTensor: {name} must be a {cls.__name__}, got {value!r} ({type(value).__name__})."
        )
    return value


__all__ = ["RowTensor"]
