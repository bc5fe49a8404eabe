"""Embeddings: a learned vector for each id."""

from __future__ import annotations

from typing import Any

from minispore import checks, ops
from minispore.core import dtype as mstype
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn.cell import Cell
from minispore.nn.layer.basic import ClipByNorm


class Embedding(Cell):
    """embedding_table[ids].

    Args:
        vocab_size: the number of ids.
        embedding_size: the length of a vector.
        use_one_hot: compute it as a matrix product with one-hot ids.
        embedding_table: an initializer, its name or a Tensor (vocab_size, embedding_size).
        dtype: of the one-hot ids.
        padding_idx: an id whose vector starts as zeros.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: ``padding_idx`` is no id.

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
        self.padding_idx = padding_idx
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
        if not self.use_one_hot:
            return ops.gather(self.embedding_table, ids, 0)
        one, zero = Tensor(1.0, self.dtype), Tensor(0.0, self.dtype)
        hot = ops.OneHot()(ops.reshape(ids, (-1,)), self.vocab_size, one, zero)
        found = ops.MatMul()(hot, self.embedding_table)
        return ops.reshape(found, (*ids.shape, self.embedding_size))

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
        target: ``"CPU"`` or ``"DEVICE"``; there is one memory, so it changes nothing.
        slice_mode: how the table is split; one device has nothing to split.
        manual_shapes: kept for MindSpore's sake.
        max_norm: the largest norm, or None.
        sparse: kept for MindSpore's sake: gradients are dense.
        dtype: of the table.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: an argument out of range.
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
    ) -> None:
        super().__init__()
        name = type(self).__name__
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

    def construct(self, indices: Tensor) -> Tensor:
        found = ops.gather(self.embedding_table, indices, 0)
        if self.max_norm is None:
            return found
        return ClipByNorm((indices.ndim,))(found, Tensor(self.max_norm, mstype.float32))


__all__ = ["Embedding", "EmbeddingLookup"]
