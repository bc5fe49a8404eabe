"""COOTensor and CSRTensor: what is not zero of a tensor, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor, method
from minispore.core.tree import HasValues
from minispore.foundation import checks
from minispore.ops.index.gather import GatherNd, ScatterNd
from minispore.ops.index.scatter import TensorScatterAdd
from minispore.ops.index.segment import UnsortedSegmentSum
from minispore.ops.shape.join import concat, stack
from minispore.ops.shape.views import broadcast_to


class SparseTensor(HasValues):
    """Base of both: values in a shape. Its parts are Tensors, and gradients flow through them."""

    def __init__(self, values: Any, shape: Any) -> None:
        self._values = self._tensor("values", values)
        if not isinstance(shape, tuple | list):
            raise TypeError(self._said("shape", "be a tuple", repr(shape)))
        self._shape = tuple(checks.int32(self, "shape", size, 1) for size in shape)

    def _said(self, argument: str, rule: str, got: str) -> str:
        return f"{type(self).__name__}: {argument} must {rule}, got {got}."

    def _tensor(self, argument: str, value: Any) -> Tensor:
        if not isinstance(value, Tensor):
            raise TypeError(self._said(argument, "be a Tensor", f"{value!r}"))
        return value

    def _places(self, argument: str, value: Any, axes: int) -> Tensor:
        found = self._tensor(argument, value)
        if found.dtype not in (mstype.int16, mstype.int32, mstype.int64):
            raise TypeError(self._said(argument, "be of integers", str(found.dtype)))
        if found.ndim != axes:
            raise ValueError(self._said(argument, f"have {axes} axes", str(found.shape)))
        return found

    @property
    def values(self) -> Tensor:
        """What is not zero."""
        return self._values

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the dense tensor."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """Of the values."""
        return self._values.dtype

    @property
    def size(self) -> int:
        """How many values there are."""
        return self._values.size

    @property
    def itemsize(self) -> int:
        """Bytes of a value."""
        return self._values.itemsize

    @property
    def ndim(self) -> int:
        """Axes of the dense tensor."""
        return len(self._shape)

    def astype(self, dtype: Any) -> Any:
        """The same in another data type."""
        return self.with_values(self._values.astype(dtype))

    def abs(self) -> Any:
        """The same with absolute values."""
        return self.with_values(self._values.abs())

    def __neg__(self) -> Any:
        return self.with_values(-self._values)

    def _beside(self, other: Any) -> Any:
        """``other``, a sparse tensor of the same kind, of the same shape."""
        if not isinstance(other, type(self)):
            raise TypeError(self._said("other", f"be a {type(self).__name__}", f"{other!r}"))
        if other.shape != self._shape:
            raise ValueError(self._said("other", f"have the shape {self._shape}", str(other.shape)))
        return other

    def _parts(self) -> Iterable[tuple[str, Tensor]]:
        raise NotImplementedError

    def to_tuple(self) -> tuple[Any, ...]:
        """Its parts, and the shape."""
        return (*(part for _, part in self._parts()), self._shape)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={_in_short(part)}" for name, part in self._parts())
        return f"{type(self).__name__}(shape={list(self._shape)}, dtype={self.dtype}, {said})"


def _in_short(part: Tensor) -> str:
    """A tensor as it stands in a sparse one's text: rows whole, no commas between numbers."""
    with np.printoptions(linewidth=1 << 20):
        head, _, numbers = repr(part).partition("value=")
    return f"{head}value={numbers.lstrip(' ').replace(',', '')}"


class COOTensor(SparseTensor):
    """dense[indices[i]] = the sum of all values[i] of one place; all others are zero.

    Args:
        indices (Tensor): places, (n, 2), int16, int32 or int64.
        values (Tensor): (n,).
        shape (tuple): of the dense tensor, two sizes.
        coo_tensor (COOTensor, optional): another one, in place of the three above.

    Raises:
        TypeError: an argument of a wrong type, or ``coo_tensor`` and another one.
        ValueError: the shapes do not fit.

    Example:
        >>> import minispore as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    def __init__(
        self,
        indices: Tensor | None = None,
        values: Tensor | None = None,
        shape: tuple[int, ...] | None = None,
        coo_tensor: COOTensor | None = None,
    ) -> None:
        if coo_tensor is not None:
            if not isinstance(coo_tensor, COOTensor):
                raise TypeError(self._said("coo_tensor", "be a COOTensor", f"{coo_tensor!r}"))
            if any(given is not None for given in (indices, values, shape)):
                raise TypeError("COOTensor: takes coo_tensor or the other arguments, not both.")
            indices, values, shape = coo_tensor.to_tuple()
        super().__init__(values, shape)
        self._indices = self._places("indices", indices, 2)
        if len(self._shape) != 2 or self._indices.shape[1] != 2:
            raise ValueError(self._said("shape", "have two sizes", str(self._shape)))
        if self._values.shape != self._indices.shape[:1]:
            wanted = f"have the shape {self._indices.shape[:1]}, one for each place"
            raise ValueError(self._said("values", wanted, str(self._values.shape)))

    @property
    def indices(self) -> Tensor:
        """Where the values stand."""
        return self._indices

    def with_values(self, values: Tensor) -> COOTensor:
        return COOTensor(self._indices, values, self._shape)

    def _parts(self) -> Iterable[tuple[str, Tensor]]:
        return (("indices", self._indices), ("values", self._values))

    def to_dense(self) -> Tensor:
        """The dense tensor."""
        return ScatterNd()(self._indices, self._values, self._shape)

    def coalesce(self) -> COOTensor:
        """The same with one value for each place, in the order of the places. A place is known only
        when it runs, so this is no part of a graph.
        """
        flat = np.ravel_multi_index(tuple(self._indices.asnumpy().T), self._shape)
        there, number = np.unique(flat, return_inverse=True)
        values = UnsortedSegmentSum()(self._values, Tensor(number, mstype.int32), len(there))
        places = np.stack(np.unravel_index(there, self._shape), axis=1)
        return COOTensor(Tensor(places, self._indices.dtype), values, self._shape)

    def to_csr(self) -> CSRTensor:
        """The same as a CSRTensor, of which no place stands twice."""
        rows = self._indices.asnumpy()
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        kind = self._indices.dtype
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows[:, 0], minlength=self._shape[0]))])
        values = self._values[Tensor(order, mstype.int32)]
        return CSRTensor(Tensor(ends, kind), Tensor(rows[order, 1], kind), values, self._shape)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        """The sum of both, without the values that are less than ``thresh`` in size."""
        places = np.concatenate([self._indices.asnumpy(), self._beside(other).indices.asnumpy()])
        values = concat((self._values, other.values))
        both = COOTensor(Tensor(places, self._indices.dtype), values, self._shape).coalesce()
        kept = np.flatnonzero(
            np.abs(both.values.asnumpy()) >= self._tensor("thresh", thresh).item()
        )
        where = Tensor(kept, mstype.int32)
        places = both.indices.asnumpy()[kept]
        return COOTensor(Tensor(places, self._indices.dtype), both.values[where], self._shape)

    def _dense(self, other: Any) -> bool:
        """Whether ``other`` is a dense tensor, which must have the same shape."""
        if not isinstance(other, Tensor):
            return False
        if other.shape != self._shape:
            raise ValueError(self._said("other", f"have the shape {self._shape}", str(other.shape)))
        return True

    def _at_places(self, other: Any) -> Any:
        """The elements of a dense tensor that stand at the places of the values."""
        return GatherNd()(other, self._indices) if self._dense(other) else NotImplemented

    def __add__(self, other: Any) -> Any:
        if self._dense(other):
            return TensorScatterAdd()(other, self._indices, self._values)
        return self.add(other, Tensor(0, self.dtype))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __mul__(self, other: Any) -> Any:
        found = self._at_places(other)
        return found if found is NotImplemented else self.with_values(self._values * found)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        found = self._at_places(other)
        return found if found is NotImplemented else self.with_values(self._values / found)


@method("to_coo")
def _to_coo(self: Tensor) -> COOTensor:
    """The elements that are not 0, with their places. They are known only when it runs, so this is
    no part of a graph.

    >>> print(Tensor([[0.0, 2.0]]).to_coo().indices)
    [[0 1]]
    """
    if self.ndim != 2:
        raise ValueError(f"Tensor.to_coo: the tensor must have 2 axes, got shape {self.shape}.")
    places = np.argwhere(self.asnumpy()).astype(np.int32)
    return COOTensor(Tensor(places), GatherNd()(self, Tensor(places)), self.shape)


@method("to_csr")
def _to_csr(self: Tensor) -> CSRTensor:
    """The elements that are not 0, with their columns and where rows begin; no part of a graph.

    >>> print(Tensor([[0.0, 2.0]]).to_csr().indptr)
    [0 1]
    """
    if self.ndim != 2:
        raise ValueError(f"Tensor.to_csr: the tensor must have 2 axes, got shape {self.shape}.")
    return _to_coo(self).to_csr()


class CSRTensor(SparseTensor):
    """dense[row, indices[i]] = values[i] for i from indptr[row] to indptr[row + 1]; all others are
    zero.

    Args:
        indptr (Tensor): where each row begins, and where the last one ends, (rows + 1,).
        indices (Tensor): columns, (n,).
        values (Tensor): (n,), or (n, ...) of a dense tensor of more than two axes.
        shape (tuple): of the dense tensor.
        csr_tensor (CSRTensor, optional): another one, in place of the four above.

    Raises:
        TypeError: an argument of a wrong type, or ``csr_tensor`` and another one.
        ValueError: the shapes do not fit.

    Example:
        >>> import minispore as ms
        >>> parts = ms.Tensor([0, 1, 2]), ms.Tensor([1, 2]), ms.Tensor([1.0, 2.0])
        >>> print(ms.CSRTensor(*parts, (2, 3)).to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    def __init__(
        self,
        indptr: Tensor | None = None,
        indices: Tensor | None = None,
        values: Tensor | None = None,
        shape: tuple[int, ...] | None = None,
        csr_tensor: CSRTensor | None = None,
    ) -> None:
        if csr_tensor is not None:
            if not isinstance(csr_tensor, CSRTensor):
                raise TypeError(self._said("csr_tensor", "be a CSRTensor", f"{csr_tensor!r}"))
            if any(given is not None for given in (indptr, indices, values, shape)):
                raise TypeError("CSRTensor: takes csr_tensor or the other arguments, not both.")
            indptr, indices, values, shape = csr_tensor.to_tuple()
        super().__init__(values, shape)
        self._indptr = self._places("indptr", indptr, 1)
        self._indices = self._places("indices", indices, 1)
        if self._values.ndim + 1 != len(self._shape):
            wanted = f"have {len(self._shape) - 1} axes, one less than shape"
            raise ValueError(self._said("values", wanted, str(self._values.shape)))
        if self._indptr.shape[0] != self._shape[0] + 1:
            wanted = f"have the length {self._shape[0] + 1}, one more than rows"
            raise ValueError(self._said("indptr", wanted, str(self._indptr.shape)))
        if self._values.shape[0] != self._indices.shape[0]:
            wanted = f"be {self._indices.shape[0]}, one for each place"
            raise ValueError(self._said("values", wanted, str(self._values.shape)))

    @property
    def indptr(self) -> Tensor:
        """Where each row begins, and where the last one ends."""
        return self._indptr

    @property
    def indices(self) -> Tensor:
        """The columns."""
        return self._indices

    def with_values(self, values: Tensor) -> CSRTensor:
        return CSRTensor(self._indptr, self._indices, values, self._shape)

    def _parts(self) -> Iterable[tuple[str, Tensor]]:
        return (("indptr", self._indptr), ("indices", self._indices), ("values", self._values))

    def _rows(self) -> Tensor:
        """The row of each value."""
        counts = np.diff(self._indptr.asnumpy())
        return Tensor(np.repeat(np.arange(self._shape[0]), counts), mstype.int32)

    def _where(self) -> Tensor:
        """Row and column of each value."""
        return stack((self._rows(), self._indices.astype(mstype.int32)), axis=1)

    def to_dense(self) -> Tensor:
        """The dense tensor."""
        return ScatterNd()(self._where(), self._values, self._shape)

    def to_coo(self) -> COOTensor:
        """The same as a COOTensor."""
        if self.ndim != 2:
            raise ValueError(self._said("shape", "have two sizes", str(self._shape)))
        return COOTensor(self._where().astype(self._indices.dtype), self._values, self._shape)

    def mv(self, dense_vector: Tensor) -> Tensor:
        """The product with a column, (columns, 1) -> (rows, 1)."""
        return self.mm(dense_vector)

    def mm(self, matrix: Tensor) -> Tensor:
        """The product with a dense matrix, (columns, k) -> (rows, k)."""
        if isinstance(matrix, CSRTensor):
            matrix = matrix.to_dense()
        if self._tensor("matrix", matrix).ndim != 2 or matrix.shape[0] != self._shape[1]:
            wanted = f"have {self._shape[1]} rows"
            raise ValueError(self._said("matrix", wanted, str(matrix.shape)))
        taken = matrix[self._indices] * self._values.expand_dims(1)
        return UnsortedSegmentSum()(taken, self._rows(), self._shape[0])

    def sum(self, axis: int) -> Tensor:
        """The sums of the rows, (rows, 1); ``axis`` must be 1."""
        if axis not in (1, -1):
            raise ValueError(self._said("axis", "be 1 or -1", repr(axis)))
        sums = UnsortedSegmentSum()(self._values, self._rows(), self._shape[0])
        return sums.expand_dims(1)

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        """alpha * self + beta * b."""
        first, second = self.to_coo(), self._beside(b).to_coo()
        places = np.concatenate([first.indices.asnumpy(), second.indices.asnumpy()])
        values = concat((alpha * first.values, beta * second.values))
        both = COOTensor(Tensor(places, self._indices.dtype), values, self._shape)
        return both.coalesce().to_csr()

    def __add__(self, other: Any) -> CSRTensor:
        return self.add(other, Tensor(1, self.dtype), Tensor(1, self.dtype))

    def __sub__(self, other: Any) -> CSRTensor:
        return self.add(other, Tensor(1, self.dtype), Tensor(-1, self.dtype))

    def __mul__(self, other: Any) -> CSRTensor:
        return self.with_values(self._values * self._at_places(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> CSRTensor:
        return self.with_values(self._values / self._at_places(other))

    def _at_places(self, other: Any) -> Any:
        """The elements of a dense tensor that stand at the places of the values."""
        if not isinstance(other, Tensor) or not other.ndim:
            return other
        return GatherNd()(broadcast_to(other, self._shape), self._where())
