"""Embeddings: a learned vector for each id."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.basic import ClipByNorm


class Embedding(Cell):
    """embedding_table[ids].

    Args:
        vocab_size: the number of ids.
        embedding_size: the length of a vector.
        use_one_hot: compute the lookup as a matrix product with one-hot ids.
        embedding_table: an initializer, its name or a Tensor (vocab_size, embedding_size).
        dtype: the dtype of the one-hot ids.
        padding_idx: an id whose vector is initialised to zeros.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``padding_idx`` is not an id.

    Shape: ids (...) of ints -> (..., embedding_size).

    >>> Embedding(10, 4)(Tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: Any = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = checks.integer("Embedding", "vocab_size", vocab_size, 1)
        self.embedding_size = checks.integer("Embedding", "embedding_size", embedding_size, 1)
        self.use_one_hot = checks.boolean("Embedding", "use_one_hot", use_one_hot)
        self.dtype = dtype
        table = initializer(embedding_table, (vocab_size, embedding_size))
        self.padding_idx = padding_idx = check.to_python_number(padding_idx)
        if padding_idx is not None:
            checks.integer("Embedding", "padding_idx", padding_idx, 0)
            if padding_idx >= vocab_size:
                raise ValueError(
                    f"Embedding: padding_idx must be below vocab_size={vocab_size}, got "
                    f"{padding_idx}."
                )
            rows = table.asnumpy().copy()
            rows[padding_idx] = 0
            table = Tensor(rows)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids: Tensor) -> Tensor:
        """Look up the vectors; with ``use_one_hot`` by a product with one-hot rows."""
        if not self.use_one_hot:
            return ops.gather(self.embedding_table, ids, 0)
        one, zero = Tensor(1.0, self.dtype), Tensor(0.0, self.dtype)
        onehot = ops.OneHot()(ops.reshape(ids, (-1,)), self.vocab_size, one, zero)
        vectors = ops.MatMul()(onehot, self.embedding_table)
        return ops.reshape(vectors, (*ids.shape, self.embedding_size))

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class EmbeddingLookup(Cell):
    """embedding_table[indices], each vector scaled down to the norm ``max_norm`` if it is longer.

    Args:
        vocab_size: the number of indices.
        embedding_size: the length of a vector.
        param_init: an initializer, its name or a Tensor.
        target: with ``"CPU"`` an index outside the table gives zeros; with ``"DEVICE"`` a negative
            index counts from the end, and an index past the end is an error.
        slice_mode: how the table is split over devices; no effect on one device.
        manual_shapes: accepted as in MindSpore, but has no effect.
        max_norm: the largest norm of a vector, or None.
        sparse: whether the gradient holds only the rows that were looked up; LazyAdam, FTRL and
            ProximalAdagrad then update only these rows.
        dtype: the dtype of the table.
        vocab_cache_size: the number of vectors that a device caches, in MindSpore before 2.10; no
            effect, since there is a single memory.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: Any = mstype.float32,
        *,
        vocab_cache_size: int = 0,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        checks.integer(name, "vocab_cache_size", vocab_cache_size, 0)
        self.vocab_size = checks.integer(name, "vocab_size", vocab_size, 1)
        self.embedding_size = checks.integer(name, "embedding_size", embedding_size, 1)
        self.target = checks.one_of(name, "target", target, ("CPU", "DEVICE"))
        self.sparse = checks.boolean(name, "sparse", sparse)
        if not sparse and target == "CPU":
            raise ValueError(f"{name}: sparse must be True when target is 'CPU', got False.")
        modes = (self.BATCH_SLICE, self.FIELD_SLICE, self.TABLE_ROW_SLICE, self.TABLE_COLUMN_SLICE)
        self.slice_mode = checks.one_of(name, "slice_mode", slice_mode, modes)
        if max_norm is not None:
            checks.number(name, "max_norm", max_norm, 0.0, closed="(]")
        self.max_norm = max_norm
        self.embedding_table = Parameter(
            initializer(param_init, (vocab_size, embedding_size), dtype), name="embedding_table"
        )
        self.gatherv2 = ops.SparseGatherV2() if sparse else ops.Gather()
        self.embeddinglookup = ops.EmbeddingLookup()

    def construct(self, indices: Tensor) -> Tensor:
        """Look up the vectors, and scale those down that are longer than ``max_norm``."""
        look_up = self.embeddinglookup if self.target == "CPU" else self.gatherv2
        vectors = look_up(self.embedding_table, indices, 0)
        if self.max_norm is None:
            return vectors
        return ClipByNorm((indices.ndim,))(vectors, Tensor(self.max_norm, mstype.float32))


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """The sum, mean or maximum of value * embedding_table[index] over the entries of each field.

    The mean is weighted by the values. A field without entries, or with values that are all 0,
    gives zeros. A value of 0 therefore pads a row.

    Args:
        vocab_size: the number of indices.
        embedding_size: the length of a vector.
        field_size: the number of fields.
        param_init: an initializer, its name or a Tensor.
        target: see :class:`EmbeddingLookup`.
        slice_mode: how the table is split over devices; no effect on one device.
        feature_num_list: accepted as in MindSpore, but has no effect.
        max_norm: the largest norm of a vector, or None.
        sparse: see :class:`EmbeddingLookup`.
        operator: ``"SUM"``, ``"MEAN"`` or ``"MAX"``.
        dtype: the dtype of the table.

    Raises:
        TypeError: an argument has the wrong type; when called: the indices are not int32 or int64,
            the values are not float32, or the field ids are not int32.
        ValueError: an argument is out of range; when called: an input does not have two axes.

    Shape: indices, values and field ids (B, L) -> (B, field_size, embedding_size).

    >>> from minispore import float32, int32
    >>> lookup = MultiFieldEmbeddingLookup(10, 2, 2, param_init="ones")
    >>> indices, fields = Tensor([[2, 4, 6, 0]], int32), Tensor([[0, 1, 1, 0]], int32)
    >>> print(lookup(indices, Tensor([[1, 1, 3, 0]], float32), fields))
    [[[1. 1.]
      [4. 4.]]]
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        field_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        feature_num_list: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        operator: str = "SUM",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list, max_norm,
            sparse, dtype,
        )  # fmt: skip
        name = type(self).__name__
        operators = (self.OPERATOR_SUM, self.OPERATOR_MAX, self.OPERATOR_MEAN)
        self.field_size = checks.integer(name, "field_size", field_size, 1)
        self.operator = checks.one_of(name, "operator", operator, operators)

    def construct(  # type: ignore[override]
        self, input_indices: Tensor, input_values: Tensor, field_ids: Tensor
    ) -> Tensor:
        """Return the reduced vectors of each row and field: (B, field_size, embedding_size)."""
        inputs = input_indices, input_values, field_ids
        allowed = (mstype.int32, mstype.int64), (mstype.float32,), (mstype.int32,)
        names = "input_indices", "input_values", "field_ids"
        for name, x in zip(names, inputs, strict=True):
            check.check_ndim(type(self).__name__, name, x, 2)
        for name, x, dtypes in zip(names, inputs, allowed, strict=True):
            self._check_dtype(name, x, dtypes)
        rows = input_indices.shape[0]
        segments = rows * self.field_size
        starts = ops.reshape(Tensor(range(0, segments, self.field_size), mstype.int32), (rows, 1))
        # The entries of row r and field f are reduced as segment r * field_size + f.
        ids = field_ids + starts
        weights = ops.expand_dims(input_values, 2)
        vectors = weights * super().construct(input_indices)
        if self.operator == self.OPERATOR_MAX:
            # Entries of value 0 are padding: adding the lowest number keeps them from being the
            # maximum.
            penalty = ops.cast(ops.equal(weights, 0.0), mstype.float32) * _LOWEST
            flat = ops.reshape(vectors + penalty, (-1, self.embedding_size))
            reduced = ops.unsorted_segment_max(flat, ops.reshape(ids, (-1,)), segments)
        else:
            reduced = ops.unsorted_segment_sum(vectors, ids, segments)
        if self.operator != self.OPERATOR_SUM:
            total = ops.expand_dims(
                ops.unsorted_segment_sum(ops.abs(input_values), ids, segments), 1
            )
            if self.operator == self.OPERATOR_MEAN:
                reduced = ops.DivNoNan()(reduced, total)
            else:
                reduced = reduced * ops.cast(ops.not_equal(total, 0.0), mstype.float32)
        return ops.reshape(reduced, (rows, self.field_size, self.embedding_size))

    def _check_dtype(self, name: str, x: Tensor, allowed: tuple[Any, ...]) -> None:
        """Check that the dtype of ``x`` is one of ``allowed``.

        Raises:
            TypeError: the dtype is not one of these.
        """
        if x.dtype not in allowed:
            allowed_text = " or ".join(str(dtype) for dtype in allowed)
            raise TypeError(
                f"{type(self).__name__}: {name} must be of {allowed_text}, got {x.dtype}. Cast it."
            )


_LOWEST = float(np.finfo(np.float32).min)

__all__ = ["Embedding", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]
