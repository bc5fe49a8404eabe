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
    """softmax(scale_value * query @ key.T + pse_shift) @ value for each head, for all tokens of a
    prompt.

    Excluded keys do not count.

    Shapes are (B, S, N * D) in the layout BSH and (B, N, S, D) in BNSD. Key and value may have
    fewer heads than the query, whose heads then share them. The computation is in float32; a query
    whose keys are all excluded, or whose position exceeds its row's length, gives 0. Quantised
    inputs are not supported.

    Args:
        query: (B, S1, N * D) or (B, N, S1, D), of float16 or bfloat16.
        key: (B, S2, M * D) or (B, M, S2, D), of ``num_key_value_heads`` heads.
        value: like ``key``.
        attn_mask: bool, int8, uint8 or float16, nonzero where a key is excluded: (S1, S2), (1, S1,
            S2), (B, S1, S2), (1, 1, S1, S2) or (B, 1, S1, S2); in sparse modes 2 to 4 (2048, 2048),
            which represents the triangle, optionally with one or two leading axes of 1.
        actual_seq_lengths: the number of valid queries in each row, (B,).
        actual_seq_lengths_kv: the number of valid keys in each row, (B,).
        pse_shift: a bias that is added to the scores, (1, N, S1, S2) or (B, N, S1, S2), or longer
            along S1 and S2, in the dtype of ``query``.
        deq_scale1: for quantised inputs; must be None.
        quant_scale1: must be None.
        deq_scale2: must be None.
        quant_scale2: must be None.
        quant_offset2: must be None.
        num_heads: the number of query heads.
        scale_value: the factor that scales the scores.
        pre_tokens: the number of keys before the query in the band; used in sparse mode 4 and, with
            a mask, in mode 0.
        next_tokens: the same for keys after the query.
        input_layout: see above.
        num_key_value_heads: the number of key and value heads; 0 means ``num_heads``.
        sparse_mode: which keys a query excludes. 0: masked keys and, with a mask, keys outside the
            band of ``pre_tokens`` and ``next_tokens``; 1: masked keys; 2: keys after the query,
            with positions counted from the first token; 3: the same, counted from the last valid
            token; 4: keys outside the band, counted from the last valid token.
        inner_precise: reserved.

    Returns:
        A Tensor like ``query``.

    Raises:
        TypeError: the tensors are not all float16 or all bfloat16; a mask or shift has the wrong
            dtype; ``scale_value`` is not a float.
        ValueError: ``input_layout`` or a number of axes is wrong; lengths do not fit.
        NotImplementedError: an argument for quantised inputs is given.
        RuntimeError: a number is out of range; the shapes do not fit; the mode requires a mask.

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
        """Raise a TypeError, ValueError or RuntimeError for an invalid attribute."""
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
        """Return the output in the layout and dtype of ``query``; arguments for quantization must
        be None.

        Raises as the class says.
        """
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
        """Return query, key and value as the base does; raise RuntimeError if the length of
        bfloat16 heads is not a multiple of 16.
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
