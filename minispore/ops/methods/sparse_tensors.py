"""COOTensor and CSRTensor: the non-zero elements of a matrix, and their positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.core.tree import HasValues
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.index.gather import GatherNd, ScatterNd
from minispore.ops.index.scatter import TensorScatterAdd
from minispore.ops.index.segment import UnsortedSegmentSum
from minispore.ops.shape.join import concat, stack
from minispore.ops.shape.views import broadcast_to


class SparseTensor(HasValues):
    """Base class of sparse tensors, which hold values and a dense shape. Gradients flow through the
    values.

    Raises TypeError unless ``values`` is a Tensor and ``shape`` a tuple or list of ints, ValueError
    for lengths below 1.
    """

    def __init__(self, values: Any, shape: Any) -> None:
        """Set the values and the dense shape.

        Raises:
            TypeError: ``values`` is not a Tensor, or ``shape`` not a tuple of ints.
            ValueError: a length is below 1.
        """
        self._values = self._check_tensor("values", values)
        if not isinstance(shape, tuple | list):
            raise TypeError(self._format_error("shape", "be a tuple", repr(shape)))
        self._shape = tuple(checks.int32(self, "shape", size, 1) for size in shape)

    def _format_error(self, argument: str, rule: str, got: str) -> str:
        """Return the text of an error about ``argument``."""
        return f"{type(self).__name__}: {argument} must {rule}, got {got}."

    def _check_tensor(self, argument: str, value: Any) -> Tensor:
        """Return ``value`` if it is a Tensor, else raise TypeError."""
        if not isinstance(value, Tensor):
            raise TypeError(self._format_error(argument, "be a Tensor", f"{value!r}"))
        return value

    def _check_indices(self, argument: str, value: Any, axes: int) -> Tensor:
        """Return ``value``, the argument ``argument``, if it is an integer Tensor with ``axes``
        axes.

        Raises:
            TypeError: it is not an integer Tensor.
            ValueError: it has a different number of axes.
        """
        indices = self._check_tensor(argument, value)
        if indices.dtype not in (mstype.int16, mstype.int32, mstype.int64):
            raise TypeError(self._format_error(argument, "be of integers", str(indices.dtype)))
        if indices.ndim != axes:
            raise ValueError(self._format_error(argument, f"have {axes} axes", str(indices.shape)))
        return indices

    @property
    def values(self) -> Tensor:
        """The stored elements; all others are 0."""
        return self._values

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the dense tensor."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def size(self) -> int:
        """The number of stored values, not that of the dense tensor."""
        return self._values.size

    @property
    def itemsize(self) -> int:
        """The size of one value in bytes."""
        return self._values.itemsize

    @property
    def ndim(self) -> int:
        """The number of axes of the dense tensor."""
        return len(self._shape)

    def astype(self, dtype: Any) -> Any:
        """Return a sparse tensor of the same positions with the values cast to ``dtype``."""
        return self.with_values(self._values.astype(dtype))

    def abs(self) -> Any:
        """Return a sparse tensor of the same positions with the absolute values."""
        return self.with_values(self._values.abs())

    def __neg__(self) -> Any:
        return self.with_values(-self._values)

    def _check_same_shape(self, other: Any) -> Any:
        """Return ``other`` if it is a sparse tensor of the same class and shape.

        Raises:
            TypeError: it has a different class.
            ValueError: it has a different shape.
        """
        if not isinstance(other, type(self)):
            raise TypeError(
                self._format_error("other", f"be a {type(self).__name__}", f"{other!r}")
            )
        if other.shape != self._shape:
            raise ValueError(
                self._format_error("other", f"have the shape {self._shape}", str(other.shape))
            )
        return other

    def _get_named_tensors(self) -> Iterable[tuple[str, Tensor]]:
        """Return the name and the tensor of each component; overridden by each subclass."""
        raise NotImplementedError

    def to_tuple(self) -> tuple[Any, ...]:
        """Return the component tensors (indices and values, before them a CSRTensor's indptr), then
        the shape.
        """
        return (*(tensor for _, tensor in self._get_named_tensors()), self._shape)

    def __repr__(self) -> str:
        tensors = ", ".join(f"{name}={_format_tensor(t)}" for name, t in self._get_named_tensors())
        shape = list(self._shape)
        return f"{type(self).__name__}(shape={shape}, dtype={self.dtype}, {tensors})"


def _format_tensor(tensor: Tensor) -> str:
    """Return the repr of a component of a sparse tensor with one line per row and no commas between
    numbers.
    """
    with np.printoptions(linewidth=1 << 20):
        head, _, numbers = repr(tensor).partition("value=")
    return f"{head}value={numbers.lstrip(' ').replace(',', '')}"


class COOTensor(SparseTensor):
    """A matrix with dense[indices[i]] = values[i], summed for equal indices, and zeros elsewhere.

    Args:
        indices (Tensor): positions, (n, 2), int16, int32 or int64.
        values (Tensor): (n,).
        shape (tuple): shape of the dense tensor, two sizes.
        coo_tensor (COOTensor, optional): the COOTensor to copy, instead of the three above.

    Raises:
        TypeError: an argument has the wrong type, or ``coo_tensor`` is combined with others.
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
        """Take indices, values and shape, or those of ``coo_tensor``; raise TypeError or ValueError
        unless they fit together.
        """
        if coo_tensor is not None:
            if not isinstance(coo_tensor, COOTensor):
                raise TypeError(
                    self._format_error("coo_tensor", "be a COOTensor", f"{coo_tensor!r}")
                )
            if any(argument is not None for argument in (indices, values, shape)):
                raise TypeError("COOTensor: takes coo_tensor or the other arguments, not both.")
            indices, values, shape = coo_tensor.to_tuple()
        super().__init__(values, shape)
        self._indices = self._check_indices("indices", indices, 2)
        if len(self._shape) != 2 or self._indices.shape[1] != 2:
            raise ValueError(self._format_error("shape", "have two sizes", str(self._shape)))
        if self._values.shape != self._indices.shape[:1]:
            rule = f"have the shape {self._indices.shape[:1]}, one for each place"
            raise ValueError(self._format_error("values", rule, str(self._values.shape)))

    @property
    def indices(self) -> Tensor:
        """The row and column of each value, (n, 2)."""
        return self._indices

    def with_values(self, values: Tensor) -> COOTensor:
        """Return a COOTensor of the same positions and shape with these values."""
        return COOTensor(self._indices, values, self._shape)

    def _get_named_tensors(self) -> Iterable[tuple[str, Tensor]]:
        return (("indices", self._indices), ("values", self._values))

    def to_dense(self) -> Tensor:
        """Return the dense tensor, in which values at equal indices are summed."""
        return ScatterNd()(self._indices, self._values, self._shape)

    def coalesce(self) -> COOTensor:
        """Return a COOTensor with one value for each position, the sum, in order of position.

        The positions are read on the host, so this cannot be part of a graph.
        """
        positions = np.ravel_multi_index(tuple(self._indices.asnumpy().T), self._shape)
        unique_positions, inverse = np.unique(positions, return_inverse=True)
        segments = Tensor(inverse, mstype.int32)
        values = UnsortedSegmentSum()(self._values, segments, len(unique_positions))
        indices = np.stack(np.unravel_index(unique_positions, self._shape), axis=1)
        return COOTensor(Tensor(indices, self._indices.dtype), values, self._shape)

    def to_csr(self) -> CSRTensor:
        """Convert to a CSRTensor on the host, so not in a graph; repeated positions stay
        repeated.
        """
        indices, index_dtype = self._indices.asnumpy(), self._indices.dtype
        order = np.lexsort((indices[:, 1], indices[:, 0]))
        row_counts = np.bincount(indices[:, 0], minlength=self._shape[0])
        indptr = Tensor(np.concatenate([[0], np.cumsum(row_counts)]), index_dtype)
        values = self._values[Tensor(order, mstype.int32)]
        return CSRTensor(indptr, Tensor(indices[order, 1], index_dtype), values, self._shape)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        """Return the sum of both, with one value per position; drop magnitudes below ``thresh``.

        The positions are read on the host, so this cannot be part of a graph.

        Raises:
            TypeError: ``other`` is not a COOTensor, or ``thresh`` is not a Tensor.
            ValueError: the shapes differ.
        """
        other_indices = self._check_same_shape(other).indices.asnumpy()
        indices = np.concatenate([self._indices.asnumpy(), other_indices])
        values, index_dtype = concat((self._values, other.values)), self._indices.dtype
        total = COOTensor(Tensor(indices, index_dtype), values, self._shape).coalesce()
        least = self._check_tensor("thresh", thresh).item()
        retained = np.flatnonzero(np.abs(total.values.asnumpy()) >= least)
        values = total.values[Tensor(retained, mstype.int32)]
        indices = total.indices.asnumpy()[retained]
        return COOTensor(Tensor(indices, index_dtype), values, self._shape)

    def _is_dense_operand(self, other: Any) -> bool:
        """Whether ``other`` is a dense tensor; raise ValueError if its shape differs."""
        if not isinstance(other, Tensor):
            return False
        if other.shape != self._shape:
            raise ValueError(
                self._format_error("other", f"have the shape {self._shape}", str(other.shape))
            )
        return True

    def _read_at_stored_positions(self, other: Any) -> Any:
        """Return the elements of a dense ``other`` where values are stored, or NotImplemented for
        anything else; raise ValueError for another shape.
        """
        return GatherNd()(other, self._indices) if self._is_dense_operand(other) else NotImplemented

    def __add__(self, other: Any) -> Any:
        """Return the dense sum with a dense tensor, or the COOTensor sum with a COOTensor."""
        if self._is_dense_operand(other):
            return TensorScatterAdd()(other, self._indices, self._values)
        return self.add(other, Tensor(0, self.dtype))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __mul__(self, other: Any) -> Any:
        elements = self._read_at_stored_positions(other)
        return elements if elements is NotImplemented else self.with_values(self._values * elements)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        elements = self._read_at_stored_positions(other)
        return elements if elements is NotImplemented else self.with_values(self._values / elements)


@method("to_coo")
def _to_coo(self: Tensor) -> COOTensor:
    """Return the non-zero elements of a matrix and their int32 positions, as a COOTensor; it cannot
    be part of a graph.

    Raises ValueError unless the tensor has 2 axes.

    >>> print(Tensor([[0.0, 2.0]]).to_coo().indices)
    [[0 1]]
    """
    if self.ndim != 2:
        raise ValueError(f"Tensor.to_coo: the tensor must have 2 axes, got shape {self.shape}.")
    indices = np.argwhere(self.asnumpy()).astype(np.int32)
    return COOTensor(Tensor(indices), GatherNd()(self, Tensor(indices)), self.shape)


@method("to_csr")
def _to_csr(self: Tensor) -> CSRTensor:
    """Return the non-zero elements of a matrix with columns and row starts, as a CSRTensor; it
    cannot be part of a graph.

    Raises ValueError unless the tensor has 2 axes.

    >>> print(Tensor([[0.0, 2.0]]).to_csr().indptr)
    [0 1]
    """
    if self.ndim != 2:
        raise ValueError(f"Tensor.to_csr: the tensor must have 2 axes, got shape {self.shape}.")
    return _to_coo(self).to_csr()


class CSRTensor(SparseTensor):
    """A matrix with dense[row, indices[i]] = values[i] for i in [indptr[row], indptr[row + 1]), and
    zeros elsewhere.

    Args:
        indptr (Tensor): where each row begins, and where the last one ends, (rows + 1,).
        indices (Tensor): columns, (n,).
        values (Tensor): (n,), or (n, ...) for a dense tensor of more than two axes.
        shape (tuple): shape of the dense tensor.
        csr_tensor (CSRTensor, optional): the CSRTensor to copy, instead of the four above.

    Raises:
        TypeError: an argument has the wrong type, or ``csr_tensor`` is combined with others.
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
        """Take the components and shape, or those of ``csr_tensor``; raise TypeError or ValueError
        unless they fit together.
        """
        if csr_tensor is not None:
            if not isinstance(csr_tensor, CSRTensor):
                raise TypeError(
                    self._format_error("csr_tensor", "be a CSRTensor", f"{csr_tensor!r}")
                )
            if any(argument is not None for argument in (indptr, indices, values, shape)):
                raise TypeError("CSRTensor: takes csr_tensor or the other arguments, not both.")
            indptr, indices, values, shape = csr_tensor.to_tuple()
        super().__init__(values, shape)
        self._indptr = self._check_indices("indptr", indptr, 1)
        self._indices = self._check_indices("indices", indices, 1)
        if self._values.ndim + 1 != len(self._shape):
            rule = f"have {len(self._shape) - 1} axes, one less than shape"
            raise ValueError(self._format_error("values", rule, str(self._values.shape)))
        if self._indptr.shape[0] != self._shape[0] + 1:
            rule = f"have the length {self._shape[0] + 1}, one more than rows"
            raise ValueError(self._format_error("indptr", rule, str(self._indptr.shape)))
        if self._values.shape[0] != self._indices.shape[0]:
            rule = f"be {self._indices.shape[0]}, one for each place"
            raise ValueError(self._format_error("values", rule, str(self._values.shape)))

    @property
    def indptr(self) -> Tensor:
        """The offset of each row's first value, and last the number of values, (rows + 1,)."""
        return self._indptr

    @property
    def indices(self) -> Tensor:
        """The column of each value, (n,)."""
        return self._indices

    def with_values(self, values: Tensor) -> CSRTensor:
        """Return a CSRTensor of the same positions and shape with these values."""
        return CSRTensor(self._indptr, self._indices, values, self._shape)

    def _get_named_tensors(self) -> Iterable[tuple[str, Tensor]]:
        return (("indptr", self._indptr), ("indices", self._indices), ("values", self._values))

    def _compute_rows(self) -> Tensor:
        """Return the row of each value, int32; it is computed on the host."""
        counts = np.diff(self._indptr.asnumpy())
        return Tensor(np.repeat(np.arange(self._shape[0]), counts), mstype.int32)

    def _compute_coordinates(self) -> Tensor:
        """Return the row and column of each value, int32 (n, 2)."""
        return stack((self._compute_rows(), self._indices.astype(mstype.int32)), axis=1)

    def to_dense(self) -> Tensor:
        """Return the dense tensor, in which values at equal positions are summed."""
        return ScatterNd()(self._compute_coordinates(), self._values, self._shape)

    def to_coo(self) -> COOTensor:
        """Convert to a COOTensor; raise ValueError unless there are 2 axes."""
        if self.ndim != 2:
            raise ValueError(self._format_error("shape", "have two sizes", str(self._shape)))
        return COOTensor(
            self._compute_coordinates().astype(self._indices.dtype), self._values, self._shape
        )

    def mv(self, dense_vector: Tensor) -> Tensor:
        """Return the dense product with a column vector, (columns, 1) -> (rows, 1).

        Raises ValueError unless the vector has ``columns`` rows.
        """
        return self.mm(dense_vector)

    def mm(self, matrix: Tensor) -> Tensor:
        """Return the dense product with a matrix, dense or a CSRTensor, (columns, k) -> (rows, k).

        Raises:
            TypeError: ``matrix`` is not a tensor.
            ValueError: it is not a matrix of ``columns`` rows.
        """
        if isinstance(matrix, CSRTensor):
            matrix = matrix.to_dense()
        if self._check_tensor("matrix", matrix).ndim != 2 or matrix.shape[0] != self._shape[1]:
            rule = f"have {self._shape[1]} rows"
            raise ValueError(self._format_error("matrix", rule, str(matrix.shape)))
        products = matrix[self._indices] * self._values.expand_dims(1)
        return UnsortedSegmentSum()(products, self._compute_rows(), self._shape[0])

    def sum(self, axis: int) -> Tensor:
        """Return the dense sums of the rows, (rows, 1); ``axis`` must be 1 or -1, else a
        ValueError.
        """
        if axis not in (1, -1):
            raise ValueError(self._format_error("axis", "be 1 or -1", repr(axis)))
        sums = UnsortedSegmentSum()(self._values, self._compute_rows(), self._shape[0])
        return sums.expand_dims(1)

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        """Return alpha * self + beta * b, with one value per position; not possible in a graph.

        Raises:
            TypeError: ``b`` is not a CSRTensor.
            ValueError: the shapes differ.
        """
        a, b_coo = self.to_coo(), self._check_same_shape(b).to_coo()
        indices = np.concatenate([a.indices.asnumpy(), b_coo.indices.asnumpy()])
        values = concat((alpha * a.values, beta * b_coo.values))
        total = COOTensor(Tensor(indices, self._indices.dtype), values, self._shape)
        return total.coalesce().to_csr()

    def __add__(self, other: Any) -> CSRTensor:
        return self.add(other, Tensor(1, self.dtype), Tensor(1, self.dtype))

    def __sub__(self, other: Any) -> CSRTensor:
        return self.add(other, Tensor(1, self.dtype), Tensor(-1, self.dtype))

    def __mul__(self, other: Any) -> CSRTensor:
        return self.with_values(self._values * self._read_at_stored_positions(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> CSRTensor:
        return self.with_values(self._values / self._read_at_stored_positions(other))

    def _read_at_stored_positions(self, other: Any) -> Any:
        """Return the elements of the broadcast dense ``other`` at the stored positions; a 0-d
        tensor or number unchanged.
        """
        if not isinstance(other, Tensor) or not other.ndim:
            return other
        return GatherNd()(broadcast_to(other, self._shape), self._compute_coordinates())
