"""What attentions of inference are made of: layouts, masks, caches of blocks."""

from __future__ import annotations

from typing import Any, ClassVar

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.arithmetic import Sub
from minispore.ops.elementwise.compare import Greater, Less
from minispore.ops.network.attention import ALL
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import Cast
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.reading import (
    Side,
    ahead,
    either,
    halves,
    lengths,
    longer,
    not_counting,
    paged,
    read,
    side,
)

_TRIANGLE = (2048, 2048)  # the mask that stands for a triangle or a band of any size
# Where each layout has the axes of (B, N, S, D); BSH is split into heads first.
HEADS_SECOND = {"BSH": (0, 2, 1, 3), "BSND": (0, 2, 1, 3), "BNSD": (0, 1, 2, 3)}


class _Inference(_Composite):
    """An attention over float16 or bfloat16 that computes in float32."""

    num_heads: int = 1
    input_layout: str = "BSH"
    scale_value: float = 1.0
    num_key_value_heads: int = 0
    inner_precise: int = 1
    block_size = sparse_mode = pre_tokens = next_tokens = 0
    layouts: ClassVar[tuple[str, ...]] = ("BSH", "BNSD")
    mask_name: ClassVar[str] = "attn_mask"
    mask_types: ClassVar[tuple[str, ...]] = ("bool_", "int8", "uint8")
    one_alone: ClassVar[bool] = True  # one query has no sparse mode, and masks of its own

    def _checked(self, ints: tuple[str, ...]) -> None:
        for field in ("num_heads", "num_key_value_heads", "inner_precise", *ints):
            checks.integer(self.name, field, getattr(self, field))
        if not isinstance(self.scale_value, float):
            said = checks.format_value(self.scale_value)
            raise TypeError(checks.format_error(self.name, "scale_value", "be a float", said))
        checks.one_of(
            self.name, "input_layout", checks.string(self.name, "input_layout", self.input_layout),
            self.layouts,
        )  # fmt: skip
        groups = self.num_key_value_heads
        self._must(self.num_heads > 0, "num_heads must be > 0", self.num_heads)
        self._must(groups >= 0, "num_key_value_heads must be >= 0", groups)
        rule = f"num_key_value_heads must divide num_heads={self.num_heads}"
        self._must(not groups or not self.num_heads % groups, rule, groups)

    def _must(self, good: bool, rule: str, got: Any) -> None:
        """Raise a RuntimeError, which is what MindSpore has here for numbers and shapes."""
        if not good:
            raise RuntimeError(f"{self.name}: {rule}, got {got}.")

    def _attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        queries: Any,
        keys: tuple[str, Any],
        pse_shift: Tensor | None,
        table: Tensor | None = None,
        paddings: tuple[Any, Any] = (None, None),
    ) -> tuple[Tensor, Tensor]:
        """The attention of the heads, and the scores.

        ``queries`` are the lengths of queries, and ``keys`` the name and the lengths of keys. One
        query reads all keys that its mask leaves.
        """
        check_optional_tensors(self.name, **{self.mask_name: mask, "pse_shift": pse_shift})
        q, k, v = self._heads(query, key, value, table)
        batch, _, count, length = shape = (*q.shape[:3], k.shape[2])
        one = count == 1 and self.one_alone
        ends_q = lengths(self.name, "actual_seq_lengths", queries, batch, count)
        ends_kv = lengths(self.name, *keys, batch, length, self.one_alone)
        at = side(count, None if one else ends_q, paddings[0])
        to = side(length, ends_kv, paddings[1])
        if table is not None and mask is not None:
            mask = mask[..., :length]
        band = all(padding is None for padding in paddings)
        dropped = self._masked(mask, shape, one) if one else self._sparse(mask, shape, at, to, band)
        shift = self._shift(pse_shift, query, shape)
        return read(q, k, v, self.scale_value, shift, either(not_counting(at, to), dropped), to)

    @property
    def _groups(self) -> int:
        return self.num_key_value_heads or self.num_heads

    def _heads(self, query: Tensor, key: Tensor, value: Tensor, table: Any) -> list[Tensor]:
        """Query, key and value as (B, N, S, D), of float32."""
        halves(self.name, query=query, key=key, value=value)
        self._must(key.shape == value.shape, "value must have the shape of key", value.shape)
        q = self._split("query", query, self.num_heads)
        if table is None:
            k, v = (self._split(n, x, self._groups) for n, x in (("key", key), ("value", value)))
        else:
            self._check_blocks(key, table, q.shape[3])
            k, v = (self._cached(x, table, q.shape[3]) for x in (key, value))
        batch = q.shape[0], q.shape[3]
        rule = f"key must have the batch and the length of heads {batch} of query"
        self._must((k.shape[0], k.shape[3]) == batch, rule, (k.shape[0], k.shape[3]))
        return [q, k, v]

    def _split(self, name: str, x: Tensor, heads: int) -> Tensor:
        layout = self.input_layout[:4]
        if x.ndim != len(layout):
            rule = f"have the {len(layout)} axes of {layout}"
            raise ValueError(checks.format_error(self.name, name, rule, f"shape {x.shape}"))
        x = Cast()(x, mstype.float32)
        if layout == "BSH":
            rule = f"the last axis of {name} must be divisible by its {heads} heads"
            self._must(not x.shape[2] % heads, rule, x.shape)
            x = Reshape()(x, (*x.shape[:2], heads, -1))
        x = Transpose()(x, HEADS_SECOND[layout])
        self._must(x.shape[1] == heads, f"{name} must have {heads} heads", x.shape[1])
        return x

    def _check_blocks(self, cache: Tensor, table: Tensor, width: int) -> None:
        check_dtype(self.name, table, "block_table", "int32", "int64")
        self._must(table.ndim == 2, "block_table must have 2 axes", table.shape)
        size, groups = self.block_size, self._groups
        allowed = [(size, groups * width), (groups, size, width)]
        rule = f"key and value must be (blocks, *{allowed[0]}) or (blocks, *{allowed[1]})"
        self._must(cache.ndim > 2 and cache.shape[1:] in allowed, rule, cache.shape)

    def _cached(self, cache: Tensor, table: Tensor, width: int) -> Tensor:
        """(blocks, length, H) or (blocks, N, length, D) as (B, N, S, D), as ``table`` says."""
        found = Cast()(paged(cache, table), mstype.float32)
        batch, blocks = table.shape
        if cache.ndim == 3:  # (B, M, length, H)
            heads = Reshape()(found, (batch, blocks * cache.shape[1], self._groups, width))
            return Transpose()(heads, (0, 2, 1, 3))
        found = Transpose()(found, (0, 2, 1, 3, 4))  # (B, N, M, length, D)
        return Reshape()(found, (batch, cache.shape[1], -1, cache.shape[3]))

    def _laid(self, query: Tensor, made: Tensor, layout: str) -> Tensor:
        """(B, N, S, D) in a layout, in the dtype of the query."""
        made = Transpose()(Cast()(made, query.dtype), HEADS_SECOND[layout])
        return made if layout != "BSH" else Reshape()(made, (*made.shape[:2], -1))

    def _shift(self, shift: Tensor | None, query: Tensor, shape: tuple[int, ...]) -> Any:
        """What is added to the scores: the first of its queries and keys."""
        if shift is None:
            return None
        check_dtype(self.name, shift, "pse_shift", query.dtype.name)
        fits = shift.ndim == 4 and shift.shape[0] in (1, shape[0]) and shift.shape[1] == shape[1]
        enough = fits and shift.shape[2] >= shape[2] and shift.shape[3] >= shape[3]
        rule = f"pse_shift must have the shape {(1, *shape[1:])} or {shape}, or more rows and keys"
        self._must(enough, rule, shift.shape)
        return Cast()(shift[:, :, : shape[2], : shape[3]], mstype.float32)

    def _masked(self, mask: Tensor | None, shape: tuple[int, ...], one_query: bool) -> Any:
        """``mask`` as bools in (B or 1, 1, S1 or 1, S2)."""
        if mask is None:
            return None
        check_dtype(self.name, mask, self.mask_name, *self.mask_types)
        batch, _, queries, keys = shape
        rows: tuple[tuple[int, ...], ...] = ((batch,), (batch, 1), (batch, 1, 1))
        if not one_query:
            rows = tuple([(*b, queries) for b in ((), (1,), (batch,), (1, 1), (batch, 1))])
        allowed = [(*row, keys) for row in rows]
        rule = f"{self.mask_name} must have the shape {' or '.join(map(str, allowed))}"
        self._must(mask.shape in allowed, rule, mask.shape)
        lead = 1 if not one_query and mask.ndim == 2 else mask.shape[0]
        mask = Reshape()(mask, (lead, 1, 1 if one_query else queries, keys))
        return Cast()(mask, mstype.bool_)

    def _sparse(
        self, mask: Tensor | None, shape: tuple[int, ...], at: Side, to: Side, band: bool
    ) -> Tensor | None:
        """True where ``sparse_mode`` drops a key; ``band`` says whether mode 0 has one."""
        mode, before, behind = self.sparse_mode, self.pre_tokens, self.next_tokens
        self._must(0 <= mode <= 4, "sparse_mode must be 0 to 4", mode)
        if mode > 1:
            rule = f"{self.mask_name} must be given in sparse_mode {mode}, of shape {_TRIANGLE}"
            given = None if mask is None else mask.shape
            self._must(given in [(*(1,) * n, *_TRIANGLE) for n in range(3)], rule, given)
            check_dtype(self.name, mask, self.mask_name, *self.mask_types)
            far = ahead(at, to)
            far = far if mode == 2 else Sub()(far, longer(at, to))
            return _out_of(far, *((before, behind) if mode == 4 else (ALL, 0)))
        self._must(mode == 0 or mask is not None, f"{self.mask_name} must be given in mode 1", None)
        if mask is None:
            return None
        out = _out_of(ahead(at, to), before, behind) if band and mode == 0 else None
        return either(self._masked(mask, shape, False), out)


def _out_of(far: Tensor, before: int, behind: int) -> Tensor | None:
    return either(
        Greater()(far, behind) if behind < ALL else None,
        Less()(far, -before) if before < ALL else None,
    )


__all__: list[str] = []
