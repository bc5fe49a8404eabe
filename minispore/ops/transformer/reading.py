"""What the attentions of inference share: which tokens of a batch count, and how caches lie."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.arithmetic import Sub
from minispore.ops.elementwise.compare import GreaterEqual, Less, LogicalAnd, LogicalNot, LogicalOr
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.network.attention import integers
from minispore.ops.shape.views import Reshape
from minispore.ops.shape.whole import Cast
from minispore.ops.support.arguments import check_dtype, check_optional_tensors, check_tensor_list
from minispore.ops.support.attention import compute_attention
from minispore.ops.transformer.inputs import NOT_QUANTISED


class Side(NamedTuple):
    """The queries or the keys of a batch, as (B or 1, S).

    Attributes:
        place: of each token among those that count.
        length: how many count, (B or 1, 1).
        counts: whether the token does; None: all do.
    """

    place: Tensor
    length: Tensor
    counts: Tensor | None


def side(count: int, lengths: Tensor | None, padding: Any = None) -> Side:
    """``count`` tokens a row, of which the first ``lengths`` count; with ``padding``, the last ones
    before that many others, and none where there are not so many.
    """
    place = Tensor(np.arange(count, dtype=np.int32)[None])
    if lengths is None:
        return Side(place, Tensor(np.full((1, 1), count, np.int32)), None)
    lengths = Reshape()(lengths, (-1, 1))
    enough = None
    if padding is not None:
        behind = Maximum()(Reshape()(integers(padding), (1, 1)), 0)
        start = Sub()(Sub()(count, behind), lengths)
        place, enough = Sub()(place, start), GreaterEqual()(start, 0)
    inside = LogicalAnd()(GreaterEqual()(place, 0), Less()(place, lengths))
    if enough is not None:
        inside = LogicalAnd()(inside, enough)
    return Side(place, lengths, inside)


def lengths(
    op: str, name: str, given: Any, batch: int, longest: int, one: bool = False
) -> Tensor | None:
    """``given`` as an int for each of ``batch`` rows; where ``one`` says so, one may do for all.

    Raises:
        TypeError: it is no Tensor, tuple or list of ints.
        ValueError: as many as there are rows are not given, or one is out of range.
    """
    if given is None:
        return None
    if isinstance(given, tuple | list):
        for i, x in enumerate(given):
            checks.integer(op, f"{name}[{i}]", x)
            if not 0 <= x <= longest:
                raise ValueError(
                    checks.format_error(op, f"{name}[{i}]", f"be in [0, {longest}]", str(x))
                )
    elif not isinstance(given, Tensor):
        raise TypeError(
            checks.format_error(op, name, "be a Tensor or ints", checks.format_value(given))
        )
    made = Reshape()(integers(given), (-1,))
    if made.size not in ((1, batch) if one else (batch,)):
        rule = f"hold one length for each of the {batch} rows of query"
        raise ValueError(checks.format_error(op, name, rule, f"{made.size}"))
    return made


def either(*dropped: Tensor | None) -> Tensor | None:
    """Where one of them holds; None holds nowhere."""
    made = None
    for more in dropped:
        if more is not None:
            made = more if made is None else LogicalOr()(made, more)
    return made


def not_counting(at: Side, to: Side) -> Tensor | None:
    """True, in (B, 1, S1, S2), where the query or the key does not count."""
    queries = None if at.counts is None else _column(at.counts)
    keys = None if to.counts is None else _row(to.counts)
    return either(*(None if x is None else LogicalNot()(x) for x in (queries, keys)))


def _column(x: Tensor) -> Tensor:
    return Reshape()(x, (x.shape[0], 1, x.shape[1], 1))


def _row(x: Tensor) -> Tensor:
    return Reshape()(x, (x.shape[0], 1, 1, x.shape[1]))


def ahead(at: Side, to: Side) -> Tensor:
    """How far behind each query each key is, counted from the first of both: (B, 1, S1, S2)."""
    return Sub()(_row(to.place), _column(at.place))


def longer(at: Side, to: Side) -> Tensor:
    """How many more keys count than queries, (B, 1, 1, 1)."""
    return Reshape()(Sub()(to.length, at.length), (-1, 1, 1, 1))


def read(
    q: Tensor, k: Tensor, v: Tensor, scale: float, shift: Tensor | None, dropped: Tensor | None,
    to: Side,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The attention of float32 heads; what stands where no key counts is never read."""
    if to.counts is not None:
        v = Select()(_column(to.counts), v, 0.0)
    return compute_attention(q, k, v, scale, shift, dropped)


def paged(cache: Tensor, table: Tensor) -> Tensor:
    """The blocks of ``cache`` that ``table``, (B, M), names, one after the other: (B, M, ...).

    What the table has below 0 stands for no block; any one does for it.
    """
    rows = Maximum()(Cast()(table, mstype.int32), 0)
    return Gather()(cache, rows, 0)


def paged_by(op: str, table: Any, lengths_kv: Any, *paddings: Any) -> None:
    """Raise a ValueError if a table of blocks has no lengths beside it, or a padding has one."""
    if table is None:
        return
    check_optional_tensors(op, block_table=table)
    if lengths_kv is None or any(padding is not None for padding in paddings):
        rule = "be given with the lengths of keys, and without paddings"
        raise ValueError(checks.format_error(op, "block_table", rule, checks.format_value(table)))


def the_one(op: str, name: str, given: Any) -> Tensor:
    """The Tensor that a tuple or list of one holds.

    Raises:
        TypeError: it is no tuple or list of Tensors.
        RuntimeError: it holds another number of them.
    """
    held = check_tensor_list(op, given, name)
    if len(held) != 1:
        raise RuntimeError(checks.format_error(op, name, "hold one Tensor", f"{len(held)}"))
    return held[0]


def halves(op: str, **given: Tensor) -> None:
    """Raise unless all are of one dtype, float16 or bfloat16.

    Raises:
        TypeError: they are of another, or of two.
        NotImplementedError: one is int8, which is quantised.
    """
    first, *_ = given
    for name, x in given.items():
        if isinstance(x, Tensor) and x.dtype is mstype.int8:
            rule = "be of float16 or bfloat16"
            raise NotImplementedError(
                checks.format_error(op, name, rule, f"{x.dtype}", NOT_QUANTISED)
            )
        check_dtype(op, x, name, "float16", "bfloat16")
        if x.dtype is not given[first].dtype:
            raise TypeError(
                f"{op}: {name} must be of the dtype of {first}, got {x.dtype} for "
                f"{given[first].dtype}. Cast it."
            )


__all__: list[str] = []
