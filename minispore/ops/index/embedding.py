"""Embeddings (rows of a table looked up by index), and products with sparse matrices."""

from __future__ import annotations

from typing import Any

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.primitive import Cotangents
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.control.effects import Assign
from minispore.ops.control.hooks import InsertGradientOf
from minispore.ops.elementwise.arithmetic import FloorMod
from minispore.ops.elementwise.compare import Equal, Greater, GreaterEqual, Less, LogicalAnd
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Abs
from minispore.ops.index.gather import Gather, ScatterNd
from minispore.ops.index.segment import UnsortedSegmentSum
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, Ones, StopGradient
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_tensors, to_static
from minispore.ops.support.derive import _Composite


class SparseGatherV2(Gather):
    """:class:`Gather` along the first axis, whose gradient holds only the gathered rows.

    LazyAdam, FTRL and ProximalAdagrad then update only these rows.

    Args:
        batch_dims: number of leading axes that both share as batch axes.
        input_params: the table.
        input_indices: integers of any shape; negative ones count from the end.

    >>> print(SparseGatherV2()(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([2, 0]), 0))
    [[5 6]
     [1 2]]
    """

    def vjp(
        self, x: Tensor, indices: Tensor, axis: int, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return a function that makes a RowGradient of the table.

        Returns that of the dense gradient for an axis other than 0, with batch axes, or while a
        tape records, as the gradient may be differentiated again.
        """
        # A RowGradient cannot be differentiated again.
        if axis % x.ndim or self.batch_dims or interpreter.tapes():
            return super().vjp(x, indices, axis, out=out, dout=dout)

        def make_row_gradient() -> RowGradient:
            """Return the gradient of x as rows: ``dout`` for each gathered row; repeated rows are
            not summed.
            """
            row_indices = self.normalize_rows(Reshape()(indices, (-1,)), x.shape[0])
            return RowGradient(row_indices, Reshape()(dout, (-1, *x.shape[1:])), x.shape)

        return (make_row_gradient,)

    def normalize_rows(self, indices: Tensor, count: int) -> Tensor:
        """Return ``indices`` as rows in [0, count); negative ones count from the end."""
        return FloorMod()(indices, count)


class GatherValidRows(SparseGatherV2):
    """:class:`SparseGatherV2` in which index -1 means no row and gets no gradient.

    The forward result at -1 is an arbitrary row, which the caller must mask out.

    >>> print(GatherValidRows()(Tensor([[1, 2], [3, 4]]), Tensor([0]), 0))
    [[1 2]]
    """

    def normalize_rows(self, indices: Tensor, count: int) -> Tensor:
        """Return ``indices`` unchanged, since -1 means no row."""
        return indices


class EmbeddingLookup(_Composite):
    """The rows ``input_indices - offset`` of a table, with zeros for indices outside the table.

    Its gradient is that of :class:`SparseGatherV2`, limited to rows in the table.

    Args:
        input_params: the table (N, ...).
        input_indices: integers of any shape.
        offset: subtracted from each index first.

    >>> print(EmbeddingLookup()(Tensor([[1, 2], [3, 4]]), Tensor([5, 4, 9]), 4))
    [[3 4]
     [1 2]
     [0 0]]
    """

    def __call__(self, input_params: Tensor, input_indices: Tensor, offset: Any) -> Tensor:
        """Gather the rows of valid indices, and set the rows of all other indices to 0."""
        check_tensors(self.name, input_params=input_params, input_indices=input_indices)
        if input_params.ndim not in (1, 2):
            raise ValueError(
                f"{self.name}: input_params must have 1 or 2 axes, got shape {input_params.shape}."
            )
        if input_indices.dtype.kind not in "iu":
            raise TypeError(
                f"{self.name}: input_indices must be an integer tensor, got {input_indices.dtype}."
            )
        is_signed = input_indices.dtype.kind == "i"
        row_indices = input_indices if is_signed else Cast()(input_indices, mstype.int64)
        row_indices, n = row_indices - to_static(offset), input_params.shape[0]
        is_in_table = LogicalAnd()(GreaterEqual()(row_indices, 0), Less()(row_indices, n))
        rows = GatherValidRows()(input_params, Select()(is_in_table, row_indices, -1), 0)
        shape = is_in_table.shape + (1,) * (rows.ndim - is_in_table.ndim)
        return Select()(Reshape()(is_in_table, shape), rows, 0)


class SparseToDense(_Composite):
    """The tensor of ``sparse_shape`` that has ``values`` at ``indices`` (N, rank), 0 elsewhere.

    >>> print(SparseToDense()(Tensor([[0, 1]]), Tensor([5.0]), (1, 2)))
    [[0. 5.]]
    """

    def __call__(self, indices: Tensor, values: Tensor, sparse_shape: Any) -> Tensor:
        return ScatterNd()(indices, values, to_static(sparse_shape))


class SparseTensorDenseMatmul(_Composite):
    """The product of a sparse matrix, passed as its elements, and a dense matrix.

    >>> at, values = Tensor([[0, 1]]), Tensor([5.0])
    >>> print(SparseTensorDenseMatmul()(at, values, (1, 2), Tensor([[1.0], [2.0]])))
    [[10.]]
    """

    adjoint_st: bool = False
    adjoint_dt: bool = False

    def __call__(self, indices: Tensor, values: Tensor, sparse_shape: Any, dense: Tensor) -> Tensor:
        """Multiply each value by a row of ``dense``, and sum the products by output row."""
        m, n = checks.integers(self.name, "sparse_shape", to_static(sparse_shape), 2, 0)
        rows, columns = indices[:, 0], indices[:, 1]
        if self.adjoint_st:
            rows, columns, m, n = columns, rows, n, m
        if self.adjoint_dt:
            dense = Transpose()(dense, (1, 0))
        if dense.ndim != 2 or dense.shape[0] != n:
            raise ValueError(f"{self.name}: dense must have {n} rows, got shape {dense.shape}.")
        products = Reshape()(values, (-1, 1)) * Gather()(dense, columns, 0)
        return UnsortedSegmentSum()(products, rows, m)


# -- functions ------------------------------------------------------------------------------------


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """Look up the rows ``input`` of the table ``weight``.

    Args:
        input: integers.
        weight: (rows, width).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up are first scaled down in place to at most this norm.
        norm_type: p of the norm.
        scale_grad_by_freq: divide a row's gradient by the number of its occurrences in ``input``.

    Raises:
        ValueError: ``weight`` is not a matrix, or ``padding_idx`` is not one of its rows.
        TypeError: ``max_norm`` is given and ``weight`` is not a Parameter.

    >>> print(embedding(Tensor([1, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[3. 4.]
     [3. 4.]]
    """
    check_tensors("embedding", input=input, weight=weight)
    if weight.ndim != 2:
        raise ValueError(f"embedding: weight must be a matrix, got shape {weight.shape}.")
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise ValueError(f"embedding: padding_idx must be in [{-rows}, {rows}), got {padding_idx}.")
    if max_norm is not None:
        if not isinstance(weight, Parameter):
            raise TypeError("embedding: weight must be a Parameter when max_norm is given.")
        _limit_norms(weight, input, float(max_norm), float(norm_type))
    output = Gather()(weight, input, 0)
    if scale_grad_by_freq:
        ones = Ones()(input.shape, weight.dtype)
        counts = Gather()(UnsortedSegmentSum()(ones, input, rows), input, 0)
        occurrences = Reshape()(counts, (*input.shape, 1))
        output = InsertGradientOf(lambda d: d / occurrences)(output)
    if padding_idx is not None:
        is_padding = Reshape()(Equal()(input, padding_idx % rows), (*input.shape, 1))
        output = Select()(is_padding, StopGradient()(output), output)
    return output


def _limit_norms(weight: Parameter, indices: Tensor, max_norm: float, p: float) -> None:
    """Scale the rows ``indices`` of ``weight`` in place so that no p-norm exceeds ``max_norm``."""
    norms = Pow()(ReduceSum()(Pow()(Abs()(weight), p), (1,)), 1 / p)
    scale = Minimum()(max_norm / (norms + 1e-7), 1.0)
    ones = Ones()(indices.shape, weight.dtype)
    counts = UnsortedSegmentSum()(ones, indices, weight.shape[0])
    scale = Select()(Greater()(counts, 0), scale, 1.0)
    Assign()(weight, Cast()(weight * Reshape()(scale, (-1, 1)), weight.dtype))


__all__ = [
    "EmbeddingLookup",
    "SparseGatherV2",
    "SparseTensorDenseMatmul",
    "SparseToDense",
    "embedding",
]
