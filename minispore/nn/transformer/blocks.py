"""The layers of a Transformer's encoder and decoder.

Source: Vaswani et al. 2017, with the norms before each part unless told otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.transformer.layers import (
    FLOATS,
    _check_input_dtype,
    _check_past_none_input_none,
    _check_shape_equal_without_batch,
    _LayerNorm,
    a_mask,
)
from minispore.nn.transformer.moe import _check_moe_config, default_moe_config
from minispore.nn.transformer.op_parallel_config import (
    default_dpmp_config,
)
from minispore.nn.transformer.parts import FeedForward, MultiHeadAttention
from minispore.ops.support.arguments import check_optional_tensors, check_tensors

Present = tuple[Tensor, ...]


class _Layer(Cell):
    """Attention to the own row and dense layers, each with a norm and what went in added."""

    def __init__(
        self,
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        length: int,
        attention_dropout_rate: float,
        hidden_dropout_rate: float,
        post_layernorm_residual: bool,
        layernorm_compute_type: Any,
        softmax_compute_type: Any,
        param_init_type: Any,
        hidden_act: Any,
        use_past: bool,
        moe_config: Any,
        parallel_config: Any,
        source: int | None = None,
    ) -> None:
        super().__init__()
        _check_moe_config(moe_config, parallel_config)
        if batch_size or use_past:
            checks.integer(self, "batch_size", batch_size, 1)
        self.batch_size = batch_size
        self.hidden_size = checks.integer(self, "hidden_size", hidden_size, 1)
        self.use_past = checks.boolean(self, "use_past", use_past)
        self.is_first_iteration = True
        self.post_layernorm_residual = checks.boolean(
            self, "post_layernorm_residual", post_layernorm_residual
        )
        self.dtype = mstype.float16
        self._norm_type = layernorm_compute_type
        shared: dict[str, Any] = {
            "batch_size": batch_size,
            "hidden_size": hidden_size,
            "num_heads": num_heads,
            "hidden_dropout_rate": hidden_dropout_rate,
            "attention_dropout_rate": attention_dropout_rate,
            "softmax_compute_type": softmax_compute_type,
            "param_init_type": param_init_type,
            "parallel_config": parallel_config,
        }
        self.layernorm1 = self._norm()
        self.layernorm2 = self._norm()
        self.attention = MultiHeadAttention(
            src_seq_length=length, tgt_seq_length=length, use_past=use_past, **shared
        )
        if source is not None:
            self.cross_attention = MultiHeadAttention(
                src_seq_length=length, tgt_seq_length=source, **shared
            )
            self.cross_attention_layernorm = self._norm()
        self.output = FeedForward(
            hidden_size,
            ffn_hidden_size,
            hidden_dropout_rate,
            hidden_act,
            param_init_type=param_init_type,
            parallel_config=parallel_config,
        )
        self.add, self.mul, self.assign = ops.Add(), ops.Mul(), ops.Assign()
        self.key_past = self.value_past = None
        if use_past:
            size = hidden_size // num_heads
            self.key_past = self._past("key_past", (batch_size, num_heads, size, length))
            self.value_past = self._past("value_past", (batch_size, num_heads, length, size))

    def _norm(self) -> Any:
        return _LayerNorm((self.hidden_size,)).to_float(self._norm_type)

    def _past(self, name: str, shape: Any) -> Parameter:
        return Parameter(Tensor(np.zeros(shape), self.dtype), name, requires_grad=False)

    def _check(
        self,
        name: str,
        x: Tensor,
        mask: Tensor | None,
        length: int,
        init_reset: Any,
        batch_valid_length: Any,
    ) -> None:
        owner = type(self).__name__
        whole = not self.use_past or self.is_first_iteration
        asked = length if whole else 1
        check_optional_tensors(owner, input_mask=mask)
        _check_shape_equal_without_batch(x.shape, name, owner, [asked, self.hidden_size])
        _check_input_dtype(x.dtype, name, FLOATS, owner)
        a_mask(owner, "input_mask", mask, asked, length)
        known = init_reset is True
        is_tensor = isinstance(init_reset, Tensor)
        _check_past_none_input_none(self.use_past, "init_reset", owner, True, is_tensor, known)
        is_tensor, known = isinstance(batch_valid_length, Tensor), batch_valid_length is None
        _check_past_none_input_none(
            self.use_past, "batch_valid_length", owner, None, is_tensor, known
        )

    def _own(
        self,
        x: Tensor,
        mask: Tensor | None,
        init_reset: Any,
        batch_valid_length: Any,
        norm_first: bool = True,
    ) -> tuple[Tensor, Present]:
        """x with what it takes of its own row, (tokens, hidden_size), and keys and values."""
        normed = ops.cast(self.layernorm1(x) if norm_first else x, self.dtype)
        if self.use_past:
            kept = ops.cast(init_reset, self.dtype)
            self.assign(self.key_past, self.mul(self.key_past, kept))
            self.assign(self.value_past, self.mul(self.value_past, kept))
        past = self.key_past, self.value_past, batch_valid_length
        taken, present = self.attention(normed, normed, normed, mask, *past)
        if self.use_past:
            self.assign(self.key_past, present[0])
            self.assign(self.value_past, present[1])
        return self.add(normed if self.post_layernorm_residual else x, taken), present

    def _fed(self, x: Tensor, shape: tuple[int, ...]) -> Tensor:
        """x with what the dense layers make of it, in ``shape``."""
        normed = ops.cast(self.layernorm2(x), self.dtype)
        made = self.output(normed)
        out = self.add(normed if self.post_layernorm_residual else x, made)
        return ops.reshape(out, shape)


class TransformerEncoderLayer(_Layer):
    """Attention of a row to itself and dense layers, each with a norm and its input added.

    Args:
        batch_size: rows of a batch; None for any, without ``use_past``.
        hidden_size: length of a token.
        ffn_hidden_size: length between the dense layers.
        num_heads: heads of the attention.
        seq_length: tokens of a row.
        attention_dropout_rate: probability of zero in the attention, in training.
        hidden_dropout_rate: the same of what each part gives.
        post_layernorm_residual: whether norms come after what is added, not before.
        layernorm_compute_type: of the norms.
        softmax_compute_type: of the softmax.
        param_init_type: of the parameters.
        hidden_act: the activation's name or class.
        use_past: whether earlier keys and values are kept; see MultiHeadAttention.
        moe_config: settings of experts; one expert.
        parallel_config: how it would be cut over devices.

    Inputs: x (batch, seq_length, hidden_size) or (batch * seq_length, hidden_size); input_mask
        (batch, seq_length, seq_length) or None; init_reset, a bool Tensor (1,), and
        batch_valid_length (batch,) with ``use_past``.

    Returns:
        The result, shaped as x, and (keys, values).

    Raises:
        ValueError: sizes that do not fit; when called: another shape.
        TypeError: when called: another dtype.

    >>> from minispore import nn, ops
    >>> layer = nn.transformer.TransformerEncoderLayer(2, 8, 16, num_heads=2, seq_length=3)
    >>> out, (keys, values) = layer(ops.ones((2, 3, 8)), ops.ones((2, 3, 3)))
    >>> out.shape
    (2, 3, 8)
    """

    def __init__(
        self,
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        seq_length: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = mstype.float32,
        softmax_compute_type: Any = mstype.float32,
        param_init_type: Any = mstype.float32,
        hidden_act: Any = "gelu",
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        checks.integer("TransformerEncoderLayer", "seq_length", seq_length, 1)
        super().__init__(
            batch_size,
            hidden_size,
            ffn_hidden_size,
            num_heads,
            seq_length,
            attention_dropout_rate,
            hidden_dropout_rate,
            post_layernorm_residual,
            layernorm_compute_type,
            softmax_compute_type,
            param_init_type,
            hidden_act,
            use_past,
            moe_config,
            parallel_config,
        )
        self.seq_length = seq_length

    def construct(
        self,
        x: Tensor,
        input_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, Present]:
        check_tensors("TransformerEncoderLayer", x=x)
        self._check("x", x, input_mask, self.seq_length, init_reset, batch_valid_length)
        shape = x.shape
        rows = ops.reshape(x, (-1, shape[-1]))
        past = init_reset, batch_valid_length
        rows, present = self._own(rows, input_mask, *past, not self.post_layernorm_residual)
        out = self._fed(rows, shape)
        if self.post_layernorm_residual:
            out = ops.reshape(self.layernorm1(ops.reshape(out, (-1, shape[-1]))), shape)
        return out, present


class TransformerDecoderLayer(_Layer):
    """An encoder's layer with attention to the encoder's output in between.

    Args:
        hidden_size: length of a token.
        ffn_hidden_size: length between the dense layers.
        num_heads: heads of the attention.
        batch_size: rows of a batch; None for any.
        src_seq_length: tokens of the encoder's rows.
        tgt_seq_length: tokens of the decoder's rows.
        attention_dropout_rate: probability of zero in the attention, in training.
        hidden_dropout_rate: the same of what each part gives.
        post_layernorm_residual: whether norms come after what is added, not before.
        use_past: False.
        layernorm_compute_type: of the norms.
        softmax_compute_type: of the softmax.
        param_init_type: of the parameters.
        hidden_act: the activation's name or class.
        moe_config: settings of experts; one expert.
        parallel_config: how it would be cut over devices.

    Inputs: hidden_stats (batch, tgt_seq_length, hidden_size); decoder_mask (batch, tgt_seq_length,
        tgt_seq_length) or None; encoder_output (batch, src_seq_length, hidden_size) or None;
        memory_mask (batch, tgt_seq_length, src_seq_length) or None.

    Returns:
        The result, shaped as hidden_stats, and (keys, values), with an encoder's output those of
        both attentions.

    Raises:
        ValueError: sizes that do not fit, or ``use_past``; when called: another shape.
        TypeError: when called: another dtype.

    >>> from minispore import nn, ops
    >>> layer = nn.transformer.TransformerDecoderLayer(8, 16, 2, 2, 4, tgt_seq_length=3)
    >>> x, encoded = ops.ones((2, 3, 8)), ops.ones((2, 4, 8))
    >>> out, present = layer(x, ops.ones((2, 3, 3)), encoded, ops.ones((2, 3, 4)))
    >>> out.shape, len(present)
    ((2, 3, 8), 4)
    """

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        use_past: bool = False,
        layernorm_compute_type: Any = mstype.float32,
        softmax_compute_type: Any = mstype.float32,
        param_init_type: Any = mstype.float32,
        hidden_act: Any = "gelu",
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        if use_past:
            raise ValueError("TransformerDecoderLayer: use_past must be False, got True.")
        checks.integer("TransformerDecoderLayer", "src_seq_length", src_seq_length, 1)
        checks.integer("TransformerDecoderLayer", "tgt_seq_length", tgt_seq_length, 1)
        super().__init__(
            batch_size,
            hidden_size,
            ffn_hidden_size,
            num_heads,
            tgt_seq_length,
            attention_dropout_rate,
            hidden_dropout_rate,
            post_layernorm_residual,
            layernorm_compute_type,
            softmax_compute_type,
            param_init_type,
            hidden_act,
            use_past,
            moe_config,
            parallel_config,
            src_seq_length,
        )
        self.src_seq_length = src_seq_length
        self.tgt_seq_length = tgt_seq_length

    def construct(
        self,
        hidden_stats: Tensor,
        decoder_mask: Tensor | None,
        encoder_output: Tensor | None = None,
        memory_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, Present]:
        check_tensors("TransformerDecoderLayer", hidden_stats=hidden_stats)
        check_optional_tensors(
            "TransformerDecoderLayer", encoder_output=encoder_output, memory_mask=memory_mask
        )
        shape = hidden_stats.shape
        length = self.tgt_seq_length
        self._check(
            "hidden_stats", hidden_stats, decoder_mask, length, init_reset, batch_valid_length
        )
        rows = ops.reshape(hidden_stats, (-1, shape[-1]))
        rows, present = self._own(rows, decoder_mask, init_reset, batch_valid_length)
        if encoder_output is not None:
            normed = ops.cast(self.cross_attention_layernorm(rows), self.dtype)
            source = ops.cast(encoder_output, self.dtype)
            taken, more = self.cross_attention(normed, source, source, memory_mask)
            present += more
            rows = (normed if self.post_layernorm_residual else rows) + taken
        return self._fed(rows, shape), present


__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]
