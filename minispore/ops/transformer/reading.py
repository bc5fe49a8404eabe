"""Helpers of attention for inference: valid tokens of a batch, and cache blocks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Sub
from minispore.ops.elementwise.compare import GreaterEqual, Less, LogicalAnd, LogicalNot, LogicalOr
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.network.attention import to_int32
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_dtype, check_optional_tensors, check_tensor_list
from minispore.ops.support.attention import compute_attention
from minispore.ops.transformer.inputs import QUANTIZED_HINT


class Side(NamedTuple):
    """The queries or the keys of a batch: which tokens are valid, and their positions.

    Attributes:
        position: the position of each token among the valid tokens, (B or 1, S).
        length: the number of valid tokens, (B or 1, 1).
        is_valid: whether the token is valid, (B or 1, S); None if all tokens are.
    """

    position: Tensor
    length: Tensor
    is_valid: Tensor | None


def make_side(count: int, lengths: Tensor | None, padding: Any = None) -> Side:
    """Make a Side of ``count`` tokens per row, of which the first ``lengths`` are valid.

    With ``padding``, the valid tokens precede this number of padding tokens (at least 0) at the end
    of the row, and positions are counted from the first valid token. A row that is too short for
    both has no valid tokens. Without ``lengths`` all tokens are valid, and ``padding`` has no
    effect.
    """
    positions = Tensor(np.arange(count, dtype=np.int32)[None])
    if lengths is None:
        return Side(positions, Tensor(np.full((1, 1), count, np.int32)), None)
    lengths = Reshape()(lengths, (-1, 1))
    has_room = None
    if padding is not None:
        padding_count = Maximum()(Reshape()(to_int32(padding), (1, 1)), 0)
        start = Sub()(Sub()(count, padding_count), lengths)
        positions, has_room = Sub()(positions, start), GreaterEqual()(start, 0)
    is_valid = LogicalAnd()(GreaterEqual()(positions, 0), Less()(positions, lengths))
    if has_room is not None:
        is_valid = LogicalAnd()(is_valid, has_room)
    return Side(positions, lengths, is_valid)


def normalize_lengths(
    op: str, name: str, values: Any, batch: int, longest: int, allows_one: bool = False
) -> Tensor | None:
    """Return the lengths of ``batch`` rows as int32, or None if ``values`` is None.

    Args:
        op: the public name that error messages begin with.
        name: the name of the argument.
        values: a Tensor, or a tuple or list of ints.
        batch: the number of rows.
        longest: the largest valid length.
        allows_one: whether a single length for all rows is allowed; it is returned as (1,).

    Raises:
        TypeError: ``values`` is not a Tensor, tuple or list of ints.
        ValueError: the number of lengths is wrong, or a length in a tuple or list is out of range;
            those of a Tensor are not checked.
    """
    if values is None:
        return None
    if isinstance(values, tuple | list):
        for i, x in enumerate(values):
            checks.integer(op, f"{name}[{i}]", x)
            if not 0 <= x <= longest:
                raise ValueError(
                    checks.format_error(op, f"{name}[{i}]", f"be in [0, {longest}]", str(x))
                )
    elif not isinstance(values, Tensor):
        raise TypeError(
            checks.format_error(op, name, "be a Tensor or ints", checks.format_value(values))
        )
    tensor = Reshape()(to_int32(values), (-1,))
    allowed_sizes = (1, batch) if allows_one else (batch,)
    if tensor.size not in allowed_sizes:
        rule = f"hold one length for each of the {batch} rows of query"
        raise ValueError(checks.format_error(op, name, rule, f"{tensor.size}"))
    return tensor


def combine_masks(*masks: Tensor | None) -> Tensor | None:
    """Return the logical or of the masks; a mask may be None, which excludes nothing. None if all
    are.
    """
    combined = None
    for mask in masks:
        if mask is not None:
            combined = mask if combined is None else LogicalOr()(combined, mask)
    return combined


def make_exclusion_mask(query_side: Side, key_side: Side) -> Tensor | None:
    """Return a mask (B, 1, S1, S2) that is True for invalid queries or keys; None if all are
    valid.
    """
    queries = None if query_side.is_valid is None else _as_query_axis(query_side.is_valid)
    keys = None if key_side.is_valid is None else _as_key_axis(key_side.is_valid)
    return combine_masks(*(None if x is None else LogicalNot()(x) for x in (queries, keys)))


def _as_query_axis(x: Tensor) -> Tensor:
    """Reshape (B, S) to (B, 1, S, 1), to broadcast over keys."""
    return Reshape()(x, (x.shape[0], 1, x.shape[1], 1))


def _as_key_axis(x: Tensor) -> Tensor:
    """Reshape (B, S) to (B, 1, 1, S), to broadcast over queries."""
    return Reshape()(x, (x.shape[0], 1, 1, x.shape[1]))


def subtract_positions(query_side: Side, key_side: Side) -> Tensor:
    """Return the position of each key minus the position of each query: (B, 1, S1, S2)."""
    return Sub()(_as_key_axis(key_side.position), _as_query_axis(query_side.position))


def subtract_lengths(query_side: Side, key_side: Side) -> Tensor:
    """Return the number of keys minus the number of queries of each row: (B, 1, 1, 1)."""
    return Reshape()(Sub()(key_side.length, query_side.length), (-1, 1, 1, 1))


def attend_to_valid(
    q: Tensor, k: Tensor, v: Tensor, scale: float, shift: Tensor | None, excluded: Tensor | None,
    key_side: Side,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the output and the scores of attention over float32 heads, with the values of invalid
    keys replaced by zeros.

    These may be NaN or infinite, which a weight of 0 would not remove.
    """
    if key_side.is_valid is not None:
        v = Select()(_as_query_axis(key_side.is_valid), v, 0.0)
    return compute_attention(q, k, v, scale, shift, excluded)


def gather_blocks(cache: Tensor, table: Tensor) -> Tensor:
    """Return the cache blocks at the indices ``table`` (B, M), as (B, M, ...).

    A negative index means no block: it reads block 0, which the caller must mask.
    """
    rows = Maximum()(Cast()(table, mstype.int32), 0)
    return Gather()(cache, rows, 0)


def check_block_table(op: str, table: Any, lengths_kv: Any, *paddings: Any) -> None:
    """Check that a block table comes with key lengths and without paddings.

    Raises:
        TypeError: ``table`` is neither None nor a Tensor.
        ValueError: there is a table, and the lengths are None or a padding is not.
    """
    if table is None:
        return
    check_optional_tensors(op, block_table=table)
    if lengths_kv is None or any(padding is not None for padding in paddings):
        rule = "be given with the lengths of keys, and without paddings"
        raise ValueError(checks.format_error(op, "block_table", rule, checks.format_value(table)))


def get_single_tensor(op: str, name: str, values: Any) -> Tensor:
    """Return the Tensor of a tuple or list with one element.

    Raises:
        TypeError: ``values`` is not a tuple or list of Tensors.
        RuntimeError: it holds a different number of Tensors.
    """
    tensors = check_tensor_list(op, values, name)
    if len(tensors) != 1:
        raise RuntimeError(checks.format_error(op, name, "hold one Tensor", f"{len(tensors)}"))
    return tensors[0]


def check_half_dtypes(op: str, **tensors: Tensor) -> None:
    """Check that all tensors have the same dtype, float16 or bfloat16.

    Raises:
        TypeError: one is not a Tensor, has a different dtype, or two dtypes differ.
        NotImplementedError: a tensor is int8, which is quantized.
    """
    first_name, *_ = tensors
    for name, x in tensors.items():
        if isinstance(x, Tensor) and x.dtype is mstype.int8:
            rule = "be of float16 or bfloat16"
            raise NotImplementedError(
                checks.format_error(op, name, rule, f"{x.dtype}", QUANTIZED_HINT)
            )
        check_dtype(op, x, name, "float16", "bfloat16")
        if x.dtype is not tensors[first_name].dtype:
            raise TypeError(
                f"{op}: {name} must be of the dtype of {first_name}, got {x.dtype} for "
                f"{tensors[first_name].dtype}. Cast it."
            )


__all__: list[str] = []
