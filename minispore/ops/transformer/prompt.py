"""Attention over all tokens of a prompt."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.network.attention import ALL
from minispore.ops.transformer.inference import _InferenceAttention
from minispore.ops.transformer.inputs import check_unquantized


class PromptFlashAttention(_InferenceAttention):
    """softmax(scale_value * query @ key.T + pse_shift) @ value for each head, of all tokens of a
    prompt over the keys that are not excluded.

    Shapes are (B, S, N * D) in the layout BSH and (B, N, S, D) in BNSD. Key and value may have
    fewer heads, which those of the query share. It computes in float32; a query whose keys are all
    excluded, or that is beyond its row's length, gives 0. Quantised inputs are not supported.

    Args:
        query: (B, S1, N * D) or (B, N, S1, D), of float16 or bfloat16.
        key: (B, S2, M * D) or (B, M, S2, D), of ``num_key_value_heads`` heads.
        value: like ``key``.
        attn_mask: bool, int8, uint8 or float16, not 0 where a key does not count: (S1, S2),
            (1, S1, S2), (B, S1, S2), (1, 1, S1, S2) or (B, 1, S1, S2); in sparse modes 2 to 4
            (2048, 2048), with one or two axes of 1 before it, where it stands for the triangle.
        actual_seq_lengths: how many queries of each row count, (B,).
        actual_seq_lengths_kv: how many keys of each row count, (B,).
        pse_shift: what is added to the scores, (1, N, S1, S2) or (B, N, S1, S2), or larger, in the
            dtype of ``query``.
        deq_scale1: of quantised numbers; must be None.
        quant_scale1: must be None.
        deq_scale2: must be None.
        quant_scale2: must be None.
        quant_offset2: must be None.
        num_heads: heads of the query.
        scale_value: the factor of the scores.
        pre_tokens: how many keys before the query count, in sparse mode 4 and, with a mask, in 0.
        next_tokens: the same, behind it.
        input_layout: see above.
        num_key_value_heads: heads of key and value; 0: as many as the query has.
        sparse_mode: which keys of a query do not count. 0: those of the mask, and those out of
            ``pre_tokens`` and ``next_tokens``; 1: those of the mask; 2: those behind the query,
            both counted from the first; 3: the same, counted from the last that count; 4: those
            out of the band, counted from the last.
        inner_precise: reserved.

    Returns:
        A Tensor like ``query``.

    Raises:
        TypeError: the tensors are not of one dtype, float16 or bfloat16; a mask or shift is of
            another; ``scale_value`` is no float.
        ValueError: another ``input_layout`` or number of axes; lengths that do not fit.
        NotImplementedError: what is of quantised numbers is given.
        RuntimeError: a number out of range; shapes that do not fit; the mode asks for a mask.

    Source: the behaviour of mindspore.ops.prompt_flash_attention.

    >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]], mstype.float16)
    >>> PromptFlashAttention(1, input_layout="BNSD")(x, x, x).shape
    (1, 1, 2, 2)
    """

    num_heads: int = 1
    scale_value: float = 1.0
    pre_tokens: int = ALL
    next_tokens: int = 0
    input_layout: str = "BSH"
    num_key_value_heads: int = 0
    sparse_mode: int = 0
    inner_precise: int = 1
    mask_types = ("bool_", "int8", "uint8", "float16")
    has_single_query_path = False

    def check(self) -> None:
        self._check_attributes(("pre_tokens", "next_tokens", "sparse_mode"))

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Any = None,
        actual_seq_lengths: Any = None,
        actual_seq_lengths_kv: Any = None,
        pse_shift: Any = None,
        deq_scale1: Any = None,
        quant_scale1: Any = None,
        deq_scale2: Any = None,
        quant_scale2: Any = None,
        quant_offset2: Any = None,
    ) -> Tensor:
        """Return the output in the layout of ``query``; quantization must be left out."""
        check_unquantized(
            self.name, deq_scale1=deq_scale1, quant_scale1=quant_scale1, deq_scale2=deq_scale2,
            quant_scale2=quant_scale2, quant_offset2=quant_offset2,
        )  # fmt: skip
        output, _ = self._compute_attention(
            query, key, value, attn_mask, actual_seq_lengths,
            ("actual_seq_lengths_kv", actual_seq_lengths_kv), pse_shift,
        )  # fmt: skip
        return self._restore_layout(query, output, self.input_layout)

    def _split_inputs(self, query: Tensor, key: Tensor, value: Tensor, table: Any) -> list[Tensor]:
        """Return query, key and value as the base does; heads of bfloat16 must have a multiple of
        16 elements.
        """
        q, k, v = super()._split_inputs(query, key, value, table)
        has_valid_width = query.dtype is not mstype.bfloat16 or not q.shape[3] % 16
        self._require(
            has_valid_width, "the length of heads of bfloat16 must be a multiple of 16", q.shape[3]
        )
        return [q, k, v]


def prompt_flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    actual_seq_lengths: Any = None,
    actual_seq_lengths_kv: Any = None,
    pse_shift: Tensor | None = None,
    deq_scale1: Any = None,
    quant_scale1: Any = None,
    deq_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    num_heads: int = 1,
    scale_value: float = 1.0,
    pre_tokens: int = ALL,
    next_tokens: int = 0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
) -> Tensor:
    """Return the attention of :class:`PromptFlashAttention`, in the shape and dtype of ``query``.

    >>> x = Tensor([[[1.0, 2.0], [1.0, 2.0]]], mstype.float16)
    >>> print(prompt_flash_attention(x, x, x, num_heads=2))
    [[[1. 2.]
      [1. 2.]]]
    """
    attention = PromptFlashAttention(
        num_heads, scale_value, pre_tokens, next_tokens, input_layout, num_key_value_heads,
        sparse_mode, inner_precise,
    )  # fmt: skip
    return attention(
        query, key, value, attn_mask, actual_seq_lengths, actual_seq_lengths_kv, pse_shift,
        deq_scale1, quant_scale1, deq_scale2, quant_scale2, quant_offset2,
    )  # fmt: skip


__all__ = ["PromptFlashAttention", "prompt_flash_attention"]

attach_docstrings("minispore.ops", __name__)
