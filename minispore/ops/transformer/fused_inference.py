"""Attention for inference as one op, for a prompt or for one more token."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.arithmetic import Add
from minispore.ops.elementwise.compare import LessEqual
from minispore.ops.elementwise.powers import Log
from minispore.ops.index.select import Select
from minispore.ops.network.attention import ALL
from minispore.ops.support.attention import LOWEST, compute_softmax_sums
from minispore.ops.transformer.inference import _InferenceAttention
from minispore.ops.transformer.inputs import check_unquantized
from minispore.ops.transformer.reading import check_block_table, get_single_tensor

_LAYOUTS = ("BSH", "BNSD", "BSND", "BNSD_BSND")


class FusedInferAttentionScore(_InferenceAttention):
    """softmax(scale_value * query @ key.T + pse_shift) @ value for each head, and the scores'
    log-sum-exp.

    Excluded keys do not count.

    Shapes are (B, S, N * D) in the layout BSH, (B, N, S, D) in BNSD, (B, S, N, D) in BSND; in
    BNSD_BSND only the output is (B, S, N, D). Key and value may have fewer heads than the query,
    whose heads then share them. With a single query token, only the key lengths and the mask
    exclude keys: ``pre_tokens``, ``next_tokens``, ``sparse_mode`` and ``actual_seq_lengths`` have
    no effect. The computation is in float32; a query whose keys are all excluded gives 0, and its
    log-sum-exp is infinity. Quantised inputs are not supported.

    Args:
        query: in the shape of the layout, float16 or bfloat16.
        key: a tuple or list of one Tensor with ``num_key_value_heads`` heads.
        value: like ``key``.
        pse_shift: a bias that is added to the scores, (1, N, S1, S2) or (B, N, S1, S2), or longer
            along S1 and S2, in the dtype of ``query``.
        attn_mask: bool, int8 or uint8, nonzero where a key is excluded: (S1, S2), (1, S1, S2), (B,
            S1, S2), (1, 1, S1, S2) or (B, 1, S1, S2); in sparse modes 2 to 4 (2048, 2048), which
            represents the triangle, optionally with one or two leading axes of 1; for a single
            query (B, S2), (B, 1, S2) or (B, 1, 1, S2).
        actual_seq_lengths: the number of valid queries in each row, (B,).
        actual_seq_lengths_kv: the number of valid keys in each row, (B,), or one number for all
            rows.
        dequant_scale1: for quantised inputs; must be None.
        quant_scale1: must be None.
        dequant_scale2: must be None.
        quant_scale2: must be None.
        quant_offset2: must be None.
        antiquant_scale: must be None.
        antiquant_offset: must be None.
        block_table: for a single query, the indices of the blocks that hold the keys of each row,
            (B, blocks of a row) of int32 or int64; key and value are then (blocks, block_size, M *
            D) or (blocks, M, block_size, D).
        query_padding_size: the number of padding queries after the valid ones; used with
            ``actual_seq_lengths``.
        kv_padding_size: the number of padding keys after the valid ones; used with
            ``actual_seq_lengths_kv``.
        key_antiquant_scale: must be None.
        key_antiquant_offset: must be None.
        value_antiquant_scale: must be None.
        value_antiquant_offset: must be None.
        key_shared_prefix: reserved; must be None.
        value_shared_prefix: must be None.
        actual_shared_prefix_len: must be None.
        num_heads: the number of query heads.
        scale_value: the factor that scales the scores.
        pre_tokens: the number of keys before the query in the band; used in sparse mode 4 and, with
            a mask, in mode 0.
        next_tokens: the same for keys after the query.
        input_layout: see above.
        num_key_value_heads: the number of key and value heads; 0 means ``num_heads``.
        sparse_mode: as in :class:`PromptFlashAttention`; with paddings, mode 0 does not apply the
            band.
        inner_precise: reserved.
        block_size: the number of tokens in a block.
        antiquant_mode: for quantised inputs.
        softmax_lse_flag: whether to compute the log-sum-exp.
        key_antiquant_mode: for quantised inputs.
        value_antiquant_mode: for quantised inputs.

    Returns:
        ``(attention, log-sum-exp)``: the first like ``query``, or (B, S, N, D) in BNSD_BSND; the
        second (B, N, S1, 1) of float32, or a single 0.

    Raises:
        TypeError: the tensors are not all float16 or all bfloat16; a mask or shift has the wrong
            dtype; ``scale_value`` is not a float.
        ValueError: lengths or a number of axes do not fit; a block table is given for more than one
            query, together with paddings, or without lengths.
        NotImplementedError: an argument for quantised inputs, or a reserved argument, is given.
        RuntimeError: ``input_layout`` is invalid; a number is out of range; the shapes do not fit;
            the mode requires a mask.

    Source: the behaviour of mindspore.ops.fused_infer_attention_score.

    >>> x = Tensor(np.ones((1, 4, 8, 16), np.float16))
    >>> attention = FusedInferAttentionScore(4, input_layout="BNSD_BSND")
    >>> attention(x, [x], [x])[0].shape
    (1, 8, 4, 16)
    """

    num_heads: int = 1
    scale_value: float = 1.0
    pre_tokens: int = ALL
    next_tokens: int = ALL
    input_layout: str = "BSH"
    num_key_value_heads: int = 0
    sparse_mode: int = 0
    inner_precise: int = 1
    block_size: int = 0
    antiquant_mode: int = 0
    softmax_lse_flag: bool = False
    key_antiquant_mode: int = 0
    value_antiquant_mode: int = 0
    layouts = _LAYOUTS

    def check(self) -> None:
        """Raise a RuntimeError for an invalid layout or number, TypeError for an attribute of a
        wrong type.
        """
        is_valid = not isinstance(self.input_layout, str) or self.input_layout in _LAYOUTS
        self._require(is_valid, f"input_layout must be one of {_LAYOUTS}", repr(self.input_layout))
        modes = ("antiquant_mode", "key_antiquant_mode", "value_antiquant_mode")
        self._check_attributes(("pre_tokens", "next_tokens", "sparse_mode", "block_size", *modes))
        checks.boolean(self.name, "softmax_lse_flag", self.softmax_lse_flag)

    def __call__(
        self,
        query: Tensor,
        key: Any,
        value: Any,
        pse_shift: Any = None,
        attn_mask: Any = None,
        actual_seq_lengths: Any = None,
        actual_seq_lengths_kv: Any = None,
        dequant_scale1: Any = None,
        quant_scale1: Any = None,
        dequant_scale2: Any = None,
        quant_scale2: Any = None,
        quant_offset2: Any = None,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        block_table: Any = None,
        query_padding_size: Any = None,
        kv_padding_size: Any = None,
        key_antiquant_scale: Any = None,
        key_antiquant_offset: Any = None,
        value_antiquant_scale: Any = None,
        value_antiquant_offset: Any = None,
        key_shared_prefix: Any = None,
        value_shared_prefix: Any = None,
        actual_shared_prefix_len: Any = None,
    ) -> tuple[Tensor, Tensor]:
        """Return the output in its layout, and the log-sum-exp.

        Arguments for quantization and shared prefixes must be None. A padding size has no effect
        without the lengths that it belongs to.
        """
        check_unquantized(
            self.name, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1,
            dequant_scale2=dequant_scale2, quant_scale2=quant_scale2, quant_offset2=quant_offset2,
            antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset,
            key_antiquant_scale=key_antiquant_scale, key_antiquant_offset=key_antiquant_offset,
            value_antiquant_scale=value_antiquant_scale,
            value_antiquant_offset=value_antiquant_offset,
        )  # fmt: skip
        prefixes = (key_shared_prefix, value_shared_prefix, actual_shared_prefix_len)
        if any(prefix is not None for prefix in prefixes):
            raise NotImplementedError(f"{self.name}: a shared prefix must be None: it is reserved.")
        paddings = (
            query_padding_size if actual_seq_lengths is not None else None,
            kv_padding_size if actual_seq_lengths_kv is not None else None,
        )
        check_block_table(
            self.name, block_table, actual_seq_lengths_kv, query_padding_size, kv_padding_size
        )
        self._check_single_token(query, block_table)
        output, scores = self._compute_attention(
            query, get_single_tensor(self.name, "key", key),
            get_single_tensor(self.name, "value", value), attn_mask,
            actual_seq_lengths, ("actual_seq_lengths_kv", actual_seq_lengths_kv), pse_shift,
            block_table, paddings,
        )  # fmt: skip
        layout = self.input_layout.split("_")[-1]
        return self._restore_layout(query, output, layout), self._compute_logsumexp(scores)

    def _check_single_token(self, query: Tensor, table: Tensor | None) -> None:
        """Check that a query has a single token if a block table is given.

        Raises:
            ValueError: it has more tokens.
        """
        axis = self.input_layout.index("S")
        if table is not None and query.ndim > axis and query.shape[axis] > 1:
            rule = "be None where query has more than one token"
            raise ValueError(
                checks.format_error(self.name, "block_table", rule, checks.format_value(table))
            )

    def _compute_logsumexp(self, scores: Tensor) -> Tensor:
        """Return log(sum(exp(scores))) of each query, (B, N, S1, 1); inf for a query without keys.

        Without ``softmax_lse_flag``, returns a float32 Tensor of a single 0.
        """
        if not self.softmax_lse_flag:
            return Tensor(np.zeros(1, np.float32))
        largest, sums = compute_softmax_sums(scores)
        has_no_keys = LessEqual()(largest, LOWEST)  # every key is excluded
        return Select()(has_no_keys, float("inf"), Add()(largest, Log()(sums)))


def fused_infer_attention_score(
    query: Tensor,
    key: Any,
    value: Any,
    *,
    pse_shift: Tensor | None = None,
    atten_mask: Tensor | None = None,
    actual_seq_lengths: Any = None,
    actual_seq_lengths_kv: Any = None,
    dequant_scale1: Any = None,
    quant_scale1: Any = None,
    dequant_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    key_antiquant_scale: Any = None,
    key_antiquant_offset: Any = None,
    value_antiquant_scale: Any = None,
    value_antiquant_offset: Any = None,
    block_table: Tensor | None = None,
    query_padding_size: Any = None,
    kv_padding_size: Any = None,
    key_shared_prefix: Any = None,
    value_shared_prefix: Any = None,
    actual_shared_prefix_len: Any = None,
    num_heads: int = 1,
    scale: float = 1.0,
    pre_tokens: int = ALL,
    next_tokens: int = ALL,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
    block_size: int = 0,
    antiquant_mode: int = 0,
    key_antiquant_mode: int = 0,
    value_antiquant_mode: int = 0,
    softmax_lse_flag: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the attention of :class:`FusedInferAttentionScore`, and the log-sum-exp of its scores.

    Args:
        key: a Tensor, or a tuple or list of one.
        value: like ``key``.
        atten_mask: ``attn_mask`` of the op.
        scale: the factor that scales the scores.

    >>> x = Tensor(np.ones((1, 8, 64), np.float16))
    >>> attention, sums = fused_infer_attention_score(x, x, x, num_heads=4, softmax_lse_flag=True)
    >>> attention.shape, sums.shape
    ((1, 8, 64), (1, 4, 8, 1))
    """
    attention = FusedInferAttentionScore(
        num_heads, scale, pre_tokens, next_tokens, input_layout, num_key_value_heads, sparse_mode,
        inner_precise, block_size, antiquant_mode, softmax_lse_flag, key_antiquant_mode,
        value_antiquant_mode,
    )  # fmt: skip
    keys, values = (x if isinstance(x, tuple | list) else [x] for x in (key, value))
    return attention(
        query, keys, values, pse_shift, atten_mask, actual_seq_lengths, actual_seq_lengths_kv,
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale,
        antiquant_offset, block_table, query_padding_size, kv_padding_size, key_antiquant_scale,
        key_antiquant_offset, value_antiquant_scale, value_antiquant_offset, key_shared_prefix,
        value_shared_prefix, actual_shared_prefix_len,
    )  # fmt: skip


__all__ = ["FusedInferAttentionScore", "fused_infer_attention_score"]

attach_docstrings("minispore.ops", __name__)
