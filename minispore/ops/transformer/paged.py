"""Attention over keys and values in cache blocks, which block tables assign to sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Add, Sub
from minispore.ops.elementwise.compare import Greater
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.network.attention import locate_tokens, to_int32
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.scan import CumSum
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.inputs import check_unquantized
from minispore.ops.transformer.reading import (
    Side,
    attend_to_valid,
    check_half_dtypes,
    combine_masks,
    gather_blocks,
    make_exclusion_mask,
    make_side,
    subtract_lengths,
    subtract_positions,
)

_QUANTISED = ("DEFAULT", "PERTOKEN")
_MASKS = ("MASK_DEFAULT", "TRAPEZOIDAL")


class PagedAttention(_Composite):
    """softmax(scale_value * query @ keys.T + masks) @ values for each head, with a block cache.

    Row b of ``block_tables`` holds the indices of the blocks of sequence b, of which the first
    ``context_lens[b]`` keys are used. The queries are (B, S, N * D), (B, N, S, D), (B, N, D) or,
    for packed sequences, (tokens, N * D). The query heads share the heads of the cache. The
    computation is in float32; a sequence without keys gives 0. Quantised inputs are not supported.

    Args:
        query: float16 or bfloat16.
        key_cache: (blocks, block_size, M, D) of that dtype, where M is ``kv_head_num``.
        value_cache: like ``key_cache``.
        block_tables: (B, maximum number of blocks of a sequence), of int32 or int64.
        context_lens: the number of valid keys of each sequence, (B,), of int32 or int64.
        antiquant_scale: for quantised inputs; must be None.
        antiquant_offset: must be None.
        attn_mask: a mask that is added to the scores, (B, S, keys), (S, keys) or (tokens, keys); as
            on Ascend, it is ignored for sequences with a single query.
        q_seq_lens: the number of queries of each sequence, (B,). It splits a ``query`` (tokens, N *
            D) into sequences; without it, each token is a sequence.
        alibi_mask: a bias that is added to the scores of each head, (B, N, S, keys).
        head_num: the number of query heads.
        scale_value: the factor that scales the scores.
        kv_head_num: the number of heads of the cache.
        kv_cache_quant_mode: for quantised inputs.
        mask_mode: TRAPEZOIDAL excludes the keys after each query, with positions counted from the
            last token.
        mla_v_dim: if not 0, values are cut to their first ``mla_v_dim`` elements; without
            ``value_cache``, the keys serve as values.

    Returns:
        A Tensor like ``query``; with ``mla_v_dim``, this is the length of its heads.

    Raises:
        TypeError: a tensor is missing or has the wrong dtype; ``scale_value`` is not a float.
        ValueError: a mode is invalid; the shapes do not fit.
        NotImplementedError: an argument for quantised inputs is given.

    Source: Kwon et al., https://arxiv.org/abs/2309.06180; the behaviour of mindspore's
    PagedAttention.

    >>> cache = Tensor(np.ones((3, 16, 1, 8), np.float16))
    >>> tables, lens = Tensor([[2, 0], [1, -1]], mstype.int32), Tensor([20, 3], mstype.int32)
    >>> query = Tensor(np.ones((2, 32), np.float16))
    >>> PagedAttention(4, 0.5, 1)(query, cache, cache, tables, lens).shape
    (2, 32)
    """

    is_one_kernel = True

    head_num: int
    scale_value: float
    kv_head_num: int
    kv_cache_quant_mode: str = "DEFAULT"
    mask_mode: str = "MASK_DEFAULT"
    mla_v_dim: int = 0

    def check(self) -> None:
        """Check numbers and modes, and that ``kv_head_num`` divides ``head_num``.

        Raises a TypeError for a wrong type, ValueError for a value.
        """
        for field, least in (("head_num", 1), ("kv_head_num", 1), ("mla_v_dim", 0)):
            checks.integer(self.name, field, getattr(self, field), least)
        if not isinstance(self.scale_value, float):
            actual = checks.format_value(self.scale_value)
            raise TypeError(checks.format_error(self.name, "scale_value", "be a float", actual))
        for field, allowed in (("kv_cache_quant_mode", _QUANTISED), ("mask_mode", _MASKS)):
            value = checks.string(self.name, field, getattr(self, field))
            checks.one_of(self.name, field, value, allowed)
        if self.head_num % self.kv_head_num:
            rule = f"divide head_num={self.head_num}"
            raise ValueError(
                checks.format_error(self.name, "kv_head_num", rule, str(self.kv_head_num))
            )

    def __call__(
        self,
        query: Tensor,
        key_cache: Tensor,
        value_cache: Any = None,
        block_tables: Any = None,
        context_lens: Any = None,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        attn_mask: Any = None,
        q_seq_lens: Any = None,
        alibi_mask: Any = None,
    ) -> Tensor:
        """Return the output in the shape and dtype of ``query``.

        Packed queries (tokens, N * D) are treated as sequences of one token; ``q_seq_lens`` tells
        which of them share blocks. Raises as the class says.
        """
        check_unquantized(
            self.name, antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset
        )
        check_optional_tensors(
            self.name, attn_mask=attn_mask, q_seq_lens=q_seq_lens, alibi_mask=alibi_mask
        )
        values = key_cache if value_cache is None and self.mla_v_dim else value_cache
        check_half_dtypes(self.name, query=query, key_cache=key_cache, value_cache=values)
        for name, x in (("block_tables", block_tables), ("context_lens", context_lens)):
            check_dtype(self.name, x, name, "int32", "int64")
        self._check_caches(key_cache, values)
        q = self._query_to_bnsd(query, key_cache.shape[3])
        positions = None
        if query.ndim == 2 and q_seq_lens is not None:  # each query becomes a separate sequence
            ends = CumSum()(Cast()(q_seq_lens, mstype.int32), 0)
            positions, sequence, _ = locate_tokens(q.shape[0], ends)
            block_tables, context_lens, q_seq_lens = (
                Gather()(x, sequence, 0) for x in (block_tables, context_lens, q_seq_lens)
            )
        self._check_tables(block_tables, context_lens, q.shape[0])
        k, v = (self._gather_cache(x, block_tables) for x in (key_cache, values))
        if self.mla_v_dim:
            v = v[..., : self.mla_v_dim]
        query_side = make_side(q.shape[2], None)
        key_side = make_side(k.shape[2], Cast()(context_lens, mstype.int32))
        if positions is not None:
            query_side = query_side._replace(position=ExpandDims()(positions, 1))
        if q_seq_lens is not None:
            query_side = query_side._replace(length=Reshape()(to_int32(q_seq_lens), (-1, 1)))
        excluded = make_exclusion_mask(make_side(q.shape[2], None), key_side)
        if self.mask_mode == "TRAPEZOIDAL":
            difference = subtract_positions(query_side, key_side)
            difference = Sub()(difference, subtract_lengths(query_side, key_side))
            excluded = combine_masks(excluded, Greater()(difference, 0))  # keys after the query
        shape = (*q.shape[:3], k.shape[2])
        shift = None if alibi_mask is None else self._convert_alibi(alibi_mask, shape)
        if attn_mask is not None and (q.shape[2] > 1 or positions is not None):
            shift = self._add_mask(attn_mask, shape, query_side, shift)
        output, _ = attend_to_valid(q, k, v, self.scale_value, shift, excluded, key_side)
        output = Cast()(output, query.dtype)
        if query.ndim == 4:
            return output
        return Reshape()(Transpose()(output, (0, 2, 1, 3)), (*query.shape[:-1], -1))

    def _make_argument_error(self, name: str, rule: str, actual: Any) -> ValueError:
        """Return the ValueError for the argument ``name`` that breaks ``rule``."""
        return ValueError(checks.format_error(self.name, name, rule, str(actual)))

    def _check_caches(self, keys: Tensor, values: Tensor) -> None:
        """Check that both caches have equally many blocks of the same size, with ``kv_head_num``
        heads, and that ``mla_v_dim`` is at most the length of a head; raise ValueError otherwise.
        """
        for name, x in (("key_cache", keys), ("value_cache", values)):
            if x.ndim != 4 or x.shape[2] != self.kv_head_num or x.shape[:2] != keys.shape[:2]:
                rule = f"be (blocks, block_size, {self.kv_head_num}, D), both of one such shape"
                raise self._make_argument_error(name, rule, x.shape)
        if self.mla_v_dim > keys.shape[3]:
            raise self._make_argument_error(
                "mla_v_dim", f"be at most {keys.shape[3]}", self.mla_v_dim
            )

    def _check_tables(self, tables: Tensor, lens: Tensor, batch: int) -> None:
        """Raise ValueError unless there is a row of blocks and a length for each of ``batch``
        sequences.
        """
        if tables.ndim != 2 or tables.shape[0] != batch:
            rule = f"be ({batch}, blocks), a row a sequence"
            raise self._make_argument_error("block_tables", rule, tables.shape)
        if lens.shape != (batch,):
            raise self._make_argument_error(
                "context_lens", f"be ({batch},), one a sequence", lens.shape
            )

    def _query_to_bnsd(self, query: Tensor, width: int) -> Tensor:
        """Return the query as float32 (B, N, S, D), where D is ``width``.

        A query (tokens, N * D) or (B, N, D) becomes sequences of one token.

        Raises:
            ValueError: its shape does not fit.
        """
        x, heads, shape = Cast()(query, mstype.float32), self.head_num, query.shape
        if query.ndim == 4 and shape[1::2] == (heads, width):
            return x
        tokens = shape[1] if query.ndim == 3 and shape[2] == heads * width else 1
        if query.ndim not in (2, 3) or query.size != shape[0] * tokens * heads * width:
            rule = f"be (B, S, H), (tokens, H), (B, N, D) or (B, N, S, D), N={heads} and D={width}"
            raise self._make_argument_error("query", rule, shape)
        return Transpose()(Reshape()(x, (-1, tokens, heads, width)), (0, 2, 1, 3))

    def _gather_cache(self, cache: Tensor, tables: Tensor) -> Tensor:
        """Gather the cache blocks of each sequence as float32 (B, N, S, D)."""
        blocks_in_order = Cast()(gather_blocks(cache, tables), mstype.float32)
        batch, blocks, length, *head_shape = blocks_in_order.shape
        blocks_in_order = Reshape()(blocks_in_order, (batch, blocks * length, *head_shape))
        return Transpose()(blocks_in_order, (0, 2, 1, 3))

    def _convert_alibi(self, mask: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Return alibi_mask for all keys, as float32; raise ValueError unless it has the ``shape``
        (B, N, S, keys), or a different number of keys.
        """
        if mask.shape[:-1] != shape[:-1]:
            rule = f"have the shape {shape}, or other keys"
            raise self._make_argument_error("alibi_mask", rule, mask.shape)
        return self._fit_to_keys("alibi_mask", mask, shape[3])

    def _add_mask(
        self, mask: Tensor, shape: tuple[int, ...], query_side: Side, shift: Tensor | None
    ) -> Tensor:
        """Return ``attn_mask``, 0 for sequences of a single query, plus ``shift`` unless that is
        None.

        Raises:
            ValueError: the mask does not have the shape of queries and keys, as in ``shape``
                (B, N, S, keys).
        """
        batch, _, queries, keys = shape
        allowed = [(batch, queries), (queries,)] if queries > 1 else [(batch,)]
        if mask.shape[:-1] not in allowed:
            shapes = " or ".join(str((*a, keys)) for a in allowed)
            raise self._make_argument_error(
                "attn_mask", f"have the shape {shapes}, or other keys", mask.shape
            )
        leading_shape = (1 if mask.ndim == 2 and queries > 1 else batch, 1, queries)
        mask = Reshape()(mask, (*leading_shape, mask.shape[-1]))
        mask = self._fit_to_keys("attn_mask", mask, keys)
        if queries == 1:
            has_many_queries = Reshape()(Greater()(query_side.length, 1), (-1, 1, 1, 1))
            mask = Select()(has_many_queries, mask, 0.0)
        return mask if shift is None else Add()(shift, mask)

    def _fit_to_keys(self, name: str, mask: Tensor, keys: int) -> Tensor:
        """Return a float mask as float32, cut or padded with zeros to the number of keys."""
        mask = check_dtype(self.name, mask, name, "float16", "bfloat16", "float32")
        mask = Cast()(mask, mstype.float32)[..., :keys]
        padding = Tensor(np.zeros((*mask.shape[:-1], keys - mask.shape[-1]), np.float32))
        return Concat(-1)((mask, padding)) if padding.size else mask


class PagedAttentionMask(_Composite):
    """:class:`PagedAttention` with ``alibi_mask``, which is added to the scores of each head.

    Args:
        query: (B, S, N * D), (B, N, S, D), (B, N, D) or (B, N * D), of float16 or bfloat16.
        key_cache: (blocks, block_size, M, D) of that dtype, where M is ``kv_head_num``.
        value_cache: like ``key_cache``.
        block_tables: the indices of the blocks that hold the keys of each sequence, (B, maximum
            number of blocks of a sequence).
        context_lens: the number of valid keys of each sequence, (B,).
        antiquant_scale: for quantised inputs; must be None.
        antiquant_offset: must be None.
        alibi_mask: (B, N, S, keys).
        head_num: the number of query heads.
        scale_value: the factor that scales the scores.
        kv_head_num: the number of heads of the cache.
        kv_cache_quant_mode: for quantised inputs.

    Returns:
        A Tensor like ``query``.

    >>> cache = Tensor(np.ones((3, 16, 1, 8), np.float16))
    >>> tables, lens = Tensor([[2, 0]], mstype.int32), Tensor([20], mstype.int32)
    >>> query = Tensor(np.ones((1, 1, 32), np.float16))
    >>> PagedAttentionMask(4, 0.5, 1)(query, cache, cache, tables, lens).shape
    (1, 1, 32)
    """

    is_one_kernel = True

    head_num: int
    scale_value: float
    kv_head_num: int
    kv_cache_quant_mode: str = "DEFAULT"

    def check(self) -> None:
        """Raise a TypeError or ValueError for attributes that :class:`PagedAttention` does not
        accept.
        """
        self._make_attention()

    def _make_attention(self) -> PagedAttention:
        """Return the PagedAttention with this op's attributes."""
        return PagedAttention(
            self.head_num, self.scale_value, self.kv_head_num, self.kv_cache_quant_mode
        )

    def __call__(
        self,
        query: Tensor,
        key_cache: Tensor,
        value_cache: Tensor,
        block_tables: Tensor,
        context_lens: Tensor,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        alibi_mask: Any = None,
    ) -> Tensor:
        """Return the output of :class:`PagedAttention` in the shape and dtype of ``query``."""
        return self._make_attention()(
            query, key_cache, value_cache, block_tables, context_lens, antiquant_scale,
            antiquant_offset, alibi_mask=alibi_mask,
        )  # fmt: skip


__all__ = ["PagedAttention", "PagedAttentionMask"]

attach_docstrings("minispore.ops", __name__)
