"""Attention of a single new token over cached keys and values."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.support.arguments import check_tensors
from minispore.ops.transformer.inference import _InferenceAttention
from minispore.ops.transformer.inputs import check_unquantized
from minispore.ops.transformer.reading import check_block_table, get_single_tensor


class IncreFlashAttention(_InferenceAttention):
    """softmax(scale_value * query @ key.T + pse_shift) @ value for each head, for one new token.

    Excluded keys do not count.

    Shapes are (B, S, N * D) in the layout BSH and (B, N, S, D) in BNSD; the query has S = 1. Key
    and value may have fewer heads than the query, whose heads then share them; with ``block_table``
    they are block caches, (blocks, block_size, M * D) or (blocks, M, block_size, D). The
    computation is in float32; a row whose keys are all excluded gives 0. Quantised inputs are not
    supported.

    Args:
        query: (B, 1, N * D) or (B, N, 1, D), of float16 or bfloat16.
        key: a tuple or list of one Tensor with ``num_key_value_heads`` heads.
        value: like ``key``.
        attn_mask: bool, int8 or uint8, nonzero where a key is excluded: (B, S), (B, 1, S) or (B, 1,
            1, S).
        actual_seq_lengths: the number of valid keys in each row, (B,), or one number for all rows.
        pse_shift: a bias that is added to the scores, (1, N, 1, S) or (B, N, 1, S), in the dtype of
            ``query``.
        dequant_scale1: for quantised inputs; must be None.
        quant_scale1: must be None.
        dequant_scale2: must be None.
        quant_scale2: must be None.
        quant_offset2: must be None.
        antiquant_scale: must be None.
        antiquant_offset: must be None.
        block_table: the indices of the blocks that hold the keys of each row, (B, blocks of a row)
            of int32 or int64; requires ``actual_seq_lengths`` and ``block_size``.
        kv_padding_size: the number of padding keys after the valid ones; used with
            ``actual_seq_lengths``.
        num_heads: the number of query heads.
        input_layout: see above.
        scale_value: the factor that scales the scores.
        num_key_value_heads: the number of key and value heads; 0 means ``num_heads``.
        block_size: the number of tokens in a block.
        inner_precise: reserved.

    Returns:
        A Tensor like ``query``.

    Raises:
        TypeError: the tensors are not all float16 or all bfloat16; a mask or shift has the wrong
            dtype; ``key`` or ``value`` is not a tuple or list; ``scale_value`` is not a float.
        ValueError: ``input_layout`` or a number of axes is wrong; lengths do not fit.
        NotImplementedError: an argument for quantised inputs is given.
        RuntimeError: a number is out of range; the shapes do not fit.

    Source: the behaviour of mindspore.ops.incre_flash_attention.

    >>> query = Tensor([[[1.0, 2.0]]]).half()
    >>> cache = Tensor([[[1.0, 2.0], [1.0, 2.0]]]).half()
    >>> print(IncreFlashAttention(2)(query, [cache], [cache]))
    [[[1. 2.]]]
    """

    num_heads: int = 1
    input_layout: str = "BSH"
    scale_value: float = 1.0
    num_key_value_heads: int = 0
    block_size: int = 0
    inner_precise: int = 1

    def check(self) -> None:
        """Raise a TypeError, ValueError or RuntimeError for an invalid attribute."""
        self._check_attributes(("block_size",))

    def __call__(
        self,
        query: Tensor,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        actual_seq_lengths: Any = None,
        pse_shift: Any = None,
        dequant_scale1: Any = None,
        quant_scale1: Any = None,
        dequant_scale2: Any = None,
        quant_scale2: Any = None,
        quant_offset2: Any = None,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        block_table: Any = None,
        kv_padding_size: Any = None,
    ) -> Tensor:
        """Return the output in the layout of ``query``, which has one token.

        Arguments for quantization must be None.

        Raises a RuntimeError if there are more tokens, and otherwise as the class says.
        """
        check_tensors(self.name, query=query)
        check_unquantized(
            self.name, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1,
            dequant_scale2=dequant_scale2, quant_scale2=quant_scale2, quant_offset2=quant_offset2,
            antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset,
        )  # fmt: skip
        check_block_table(self.name, block_table, actual_seq_lengths, kv_padding_size)
        self._require(query.shape[-2:-1] == (1,), "query must have one token", query.shape)
        kv_padding = kv_padding_size if actual_seq_lengths is not None else None
        output, _ = self._compute_attention(
            query, get_single_tensor(self.name, "key", key),
            get_single_tensor(self.name, "value", value), attn_mask,
            None, ("actual_seq_lengths", actual_seq_lengths), pse_shift, block_table,
            (None, kv_padding),
        )  # fmt: skip
        return self._restore_layout(query, output, self.input_layout)


def incre_flash_attention(
    query: Tensor,
    key: Any,
    value: Any,
    attn_mask: Tensor | None = None,
    actual_seq_lengths: Any = None,
    pse_shift: Tensor | None = None,
    dequant_scale1: Any = None,
    quant_scale1: Any = None,
    dequant_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    block_table: Tensor | None = None,
    num_heads: int = 1,
    input_layout: str = "BSH",
    scale_value: float = 1.0,
    num_key_value_heads: int = 0,
    block_size: int = 0,
    inner_precise: int = 1,
    kv_padding_size: Any = None,
) -> Tensor:
    """Return the attention of :class:`IncreFlashAttention`, in the shape and dtype of ``query``.

    >>> query = Tensor([[[1.0, 2.0]]]).half()
    >>> cache = Tensor([[[1.0, 2.0], [9.0, 9.0]]]).half()
    >>> print(incre_flash_attention(query, [cache], [cache], actual_seq_lengths=[1], num_heads=2))
    [[[1. 2.]]]
    """
    attention = IncreFlashAttention(
        num_heads, input_layout, scale_value, num_key_value_heads, block_size, inner_precise
    )
    return attention(
        query, key, value, attn_mask, actual_seq_lengths, pse_shift, dequant_scale1, quant_scale1,
        dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset,
        block_table, kv_padding_size,
    )  # fmt: skip


__all__ = ["IncreFlashAttention", "incre_flash_attention"]

attach_docstrings("minispore.ops", __name__)
