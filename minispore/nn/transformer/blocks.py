"""The layers of a Transformer's encoder and decoder.

Source: Vaswani et al. 2017, but with pre-norm sublayers by default.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.transformer.layers import (
    FLOATS,
    _check_input_dtype,
    _check_past_none_input_none,
    _check_shape_equal_without_batch,
    _LayerNorm,
    check_mask,
)
from minispore.nn.transformer.moe import _check_moe_config, default_moe_config
from minispore.nn.transformer.op_parallel_config import (
    default_dpmp_config,
)
from minispore.nn.transformer.parts import FeedForward, MultiHeadAttention
from minispore.ops.support.arguments import check_optional_tensors, check_tensors

Present = tuple[Tensor, ...]


class _TransformerLayer(Cell):
    """Base of encoder and decoder layers: attention and feed-forward with norms and residuals."""

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
        self.layernorm1 = self._make_norm()
        self.layernorm2 = self._make_norm()
        self.attention = MultiHeadAttention(
            src_seq_length=length, tgt_seq_length=length, use_past=use_past, **shared
        )
        if source is not None:
            self.cross_attention = MultiHeadAttention(
                src_seq_length=length, tgt_seq_length=source, **shared
            )
            self.cross_attention_layernorm = self._make_norm()
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
            self.key_past = self._make_past("key_past", (batch_size, num_heads, size, length))
            self.value_past = self._make_past("value_past", (batch_size, num_heads, length, size))

    def _make_norm(self) -> Any:
        return _LayerNorm((self.hidden_size,)).to_float(self._norm_type)

    def _make_past(self, name: str, shape: Any) -> Parameter:
        """Return a Parameter of zeros for past keys or values."""
        return Parameter(Tensor(np.zeros(shape), self.dtype), name, requires_grad=False)

    def _check_inputs(
        self,
        name: str,
        x: Tensor,
        mask: Tensor | None,
        length: int,
        init_reset: Any,
        batch_valid_length: Any,
    ) -> None:
        """Check the inputs of a call.

        With ``use_past``, iterations after the first take one token per sequence, and
        ``init_reset`` and ``batch_valid_length`` must be Tensors.

        Raises:
            TypeError, ValueError: the type, dtype or shape of an input is wrong.
        """
        api_name = type(self).__name__
        is_full_sequence = not self.use_past or self.is_first_iteration
        n_tokens = length if is_full_sequence else 1
        check_optional_tensors(api_name, input_mask=mask)
        _check_shape_equal_without_batch(x.shape, name, api_name, [n_tokens, self.hidden_size])
        _check_input_dtype(x.dtype, name, FLOATS, api_name)
        check_mask(api_name, "input_mask", mask, n_tokens, length)
        is_default = init_reset is True
        is_tensor = isinstance(init_reset, Tensor)
        _check_past_none_input_none(
            self.use_past, "init_reset", api_name, True, is_tensor, is_default
        )
        is_tensor, is_default = isinstance(batch_valid_length, Tensor), batch_valid_length is None
        _check_past_none_input_none(
            self.use_past, "batch_valid_length", api_name, None, is_tensor, is_default
        )

    def _self_attend(
        self,
        x: Tensor,
        mask: Tensor | None,
        init_reset: Any,
        batch_valid_length: Any,
        norm_first: bool = True,
    ) -> tuple[Tensor, Present]:
        """Return x (tokens, hidden_size) plus its self-attention, and the keys and values.

        With ``use_past``, the cached keys and values are multiplied by ``init_reset`` and then
        updated, in place.
        """
        normed = ops.cast(self.layernorm1(x) if norm_first else x, self.dtype)
        if self.use_past:
            keep_factor = ops.cast(init_reset, self.dtype)
            self.assign(self.key_past, self.mul(self.key_past, keep_factor))
            self.assign(self.value_past, self.mul(self.value_past, keep_factor))
        past = self.key_past, self.value_past, batch_valid_length
        attended, present = self.attention(normed, normed, normed, mask, *past)
        if self.use_past:
            self.assign(self.key_past, present[0])
            self.assign(self.value_past, present[1])
        return self.add(normed if self.post_layernorm_residual else x, attended), present

    def _feed_forward(self, x: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Return x plus the output of the feed-forward layers, in ``shape``."""
        normed = ops.cast(self.layernorm2(x), self.dtype)
        out = self.add(normed if self.post_layernorm_residual else x, self.output(normed))
        return ops.reshape(out, shape)


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and feed-forward layers, each with a norm and a residual connection.

    Args:
        batch_size: sequences in a batch; None for any number, without ``use_past``.
        hidden_size: length of a token vector.
        ffn_hidden_size: length of the hidden vectors of the feed-forward layers.
        num_heads: number of attention heads.
        seq_length: tokens in a sequence.
        attention_dropout_rate: dropout probability of the attention weights, in training.
        hidden_dropout_rate: dropout probability of each sublayer's output, in training.
        post_layernorm_residual: whether residual connections start after the norms, not before.
        layernorm_compute_type: dtype of the norms.
        softmax_compute_type: dtype of the softmax.
        param_init_type: dtype of the parameters.
        hidden_act: the activation's name or class.
        use_past: whether keys and values of earlier tokens are cached; see MultiHeadAttention.
        moe_config: settings of the experts; only one expert is supported.
        parallel_config: how the computation would be sharded over devices.

    Inputs: x (batch, seq_length, hidden_size) or (batch * seq_length, hidden_size); input_mask
        (batch, seq_length, seq_length) or None; init_reset, a bool Tensor (1,), and
        batch_valid_length (batch,) with ``use_past``.

    Returns:
        The result, shaped as x, and (keys, values).

    Raises:
        ValueError: the sizes do not fit; when called: a shape is wrong.
        TypeError: when called: a dtype is wrong.

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
        """Return the layer's output, and the keys and values of its self-attention."""
        check_tensors("TransformerEncoderLayer", x=x)
        self._check_inputs("x", x, input_mask, self.seq_length, init_reset, batch_valid_length)
        shape = x.shape
        rows = ops.reshape(x, (-1, shape[-1]))
        past = init_reset, batch_valid_length
        rows, present = self._self_attend(rows, input_mask, *past, not self.post_layernorm_residual)
        out = self._feed_forward(rows, shape)
        if self.post_layernorm_residual:
            out = ops.reshape(self.layernorm1(ops.reshape(out, (-1, shape[-1]))), shape)
        return out, present


class TransformerDecoderLayer(_TransformerLayer):
    """An encoder layer with attention to the encoder's output before the feed-forward layers.

    Args:
        hidden_size: length of a token vector.
        ffn_hidden_size: length of the hidden vectors of the feed-forward layers.
        num_heads: number of attention heads.
        batch_size: sequences in a batch; None for any number.
        src_seq_length: tokens in a sequence of the encoder.
        tgt_seq_length: tokens in a sequence of the decoder.
        attention_dropout_rate: dropout probability of the attention weights, in training.
        hidden_dropout_rate: dropout probability of each sublayer's output, in training.
        post_layernorm_residual: whether residual connections start after the norms, not before.
        use_past: must be False.
        layernorm_compute_type: dtype of the norms.
        softmax_compute_type: dtype of the softmax.
        param_init_type: dtype of the parameters.
        hidden_act: the activation's name or class.
        moe_config: settings of the experts; only one expert is supported.
        parallel_config: how the computation would be sharded over devices.

    Inputs: hidden_stats (batch, tgt_seq_length, hidden_size); decoder_mask (batch, tgt_seq_length,
        tgt_seq_length) or None; encoder_output (batch, src_seq_length, hidden_size) or None;
        memory_mask (batch, tgt_seq_length, src_seq_length) or None.

    Returns:
        The result, shaped as hidden_stats, and (keys, values); with an encoder's output, the keys
        and values of both attentions.

    Raises:
        ValueError: the sizes do not fit, or ``use_past`` is set; when called: a shape is wrong.
        TypeError: when called: a dtype is wrong.

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
        """Return the output, and the keys and values of self-attention and of any
        cross-attention.
        """
        check_tensors("TransformerDecoderLayer", hidden_stats=hidden_stats)
        check_optional_tensors(
            "TransformerDecoderLayer", encoder_output=encoder_output, memory_mask=memory_mask
        )
        shape = hidden_stats.shape
        length = self.tgt_seq_length
        self._check_inputs(
            "hidden_stats", hidden_stats, decoder_mask, length, init_reset, batch_valid_length
        )
        rows = ops.reshape(hidden_stats, (-1, shape[-1]))
        rows, present = self._self_attend(rows, decoder_mask, init_reset, batch_valid_length)
        if encoder_output is not None:
            normed = ops.cast(self.cross_attention_layernorm(rows), self.dtype)
            source = ops.cast(encoder_output, self.dtype)
            attended, cross_present = self.cross_attention(normed, source, source, memory_mask)
            present += cross_present
            rows = (normed if self.post_layernorm_residual else rows) + attended
        return self._feed_forward(rows, shape), present


__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]
