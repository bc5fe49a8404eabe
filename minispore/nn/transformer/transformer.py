"""Transformer, and all names of the package, which user scripts import from this module.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.transformer import blocks, op_parallel_config, parts, stacks
from minispore.nn.transformer.blocks import *  # noqa: F403
from minispore.nn.transformer.moe import MoEConfig as MoEConfig
from minispore.nn.transformer.moe import default_moe_config as default_moe_config
from minispore.nn.transformer.op_parallel_config import *  # noqa: F403
from minispore.nn.transformer.op_parallel_config import default_dpmp_config as default_dpmp_config
from minispore.nn.transformer.op_parallel_config import (
    default_embedding_parallel_config as default_embedding_parallel_config,
)
from minispore.nn.transformer.op_parallel_config import (
    default_transformer_config as default_transformer_config,
)
from minispore.nn.transformer.op_parallel_config import (
    default_transformer_recompute_config as default_transformer_recompute_config,
)
from minispore.nn.transformer.parts import *  # noqa: F403
from minispore.nn.transformer.stacks import *  # noqa: F403
from minispore.nn.transformer.stacks import TransformerDecoder, TransformerEncoder
from minispore.nn.transformer.stacks import _get_lambda_func as _get_lambda_func


class Transformer(Cell):
    """An encoder, and a decoder that attends to its output.

    Args:
        hidden_size: length of a token vector.
        batch_size: sequences in a batch; None for any number, without ``use_past``.
        ffn_hidden_size: length of the hidden vectors of the feed-forward layers.
        src_seq_length: tokens in a sequence of the encoder.
        tgt_seq_length: tokens in a sequence of the decoder.
        encoder_layers: number of encoder layers, at least 1.
        decoder_layers: number of decoder layers; 0 for no decoder.
        num_heads: number of attention heads.
        attention_dropout_rate: dropout probability of the attention weights, in training.
        hidden_dropout_rate: dropout probability of each sublayer's output, in training.
        hidden_act: the activation's name or class.
        post_layernorm_residual: whether residual connections start after the norms, not before.
        layernorm_compute_type: dtype of the norms.
        softmax_compute_type: dtype of the softmax.
        param_init_type: dtype of the parameters.
        lambda_func: a function that is called with each layer; see TransformerEncoder.
        use_past: whether keys and values of earlier tokens are cached; only without a decoder.
        moe_config: settings of the experts; only one expert is supported.
        parallel_config: how the computation would be sharded over devices.

    Inputs: encoder_inputs (batch, src_seq_length, hidden_size) and encoder_masks; decoder_inputs
        (batch, tgt_seq_length, hidden_size), decoder_masks and memory_mask, as in
        TransformerDecoderLayer.

    Returns:
        The output of the decoder (or of the encoder without one), and (keys, values, ...) of each
        layer of both.

    Raises:
        ValueError: the sizes or options do not fit; when called: a shape is wrong.
        TypeError: when called: a dtype is wrong.

    >>> from minispore import nn, ops
    >>> net = nn.transformer.Transformer(8, 2, 16, 4, 3, encoder_layers=1, decoder_layers=1)
    >>> source, target = ops.ones((2, 4, 8)), ops.ones((2, 3, 8))
    >>> masks = ops.ones((2, 4, 4)), ops.ones((2, 3, 3)), ops.ones((2, 3, 4))
    >>> out, encoded, decoded = net(source, masks[0], target, masks[1], masks[2])
    >>> out.shape
    (2, 3, 8)
    """

    def __init__(
        self,
        hidden_size: int,
        batch_size: int | None,
        ffn_hidden_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        encoder_layers: int = 3,
        decoder_layers: int = 3,
        num_heads: int = 2,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        hidden_act: Any = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = mstype.float32,
        softmax_compute_type: Any = mstype.float32,
        param_init_type: Any = mstype.float32,
        lambda_func: Any = None,
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_transformer_config,
    ) -> None:
        super().__init__()
        hint = "A decoder alone is TransformerDecoder."
        if checks.integer(self, "encoder_layers", encoder_layers) <= 0 < decoder_layers:
            raise ValueError(
                checks.format_error(self, "encoder_layers", "be >= 1", str(encoder_layers), hint)
            )
        checks.integer(self, "decoder_layers", decoder_layers, 0)
        if use_past and decoder_layers:
            raise ValueError(
                checks.format_error(self, "use_past", "be False with a decoder", "True")
            )
        shared: dict[str, Any] = {
            "batch_size": batch_size,
            "hidden_size": hidden_size,
            "ffn_hidden_size": ffn_hidden_size,
            "num_heads": num_heads,
            "attention_dropout_rate": attention_dropout_rate,
            "hidden_dropout_rate": hidden_dropout_rate,
            "hidden_act": hidden_act,
            "post_layernorm_residual": post_layernorm_residual,
            "layernorm_compute_type": layernorm_compute_type,
            "softmax_compute_type": softmax_compute_type,
            "param_init_type": param_init_type,
            "lambda_func": lambda_func or _get_lambda_func(encoder_layers + decoder_layers),
            "use_past": use_past,
            "moe_config": moe_config,
            "parallel_config": parallel_config,
        }
        self.encoder = TransformerEncoder(
            num_layers=encoder_layers, seq_length=src_seq_length, **shared
        )
        self.decoder = None
        if decoder_layers:
            self.decoder = TransformerDecoder(
                num_layers=decoder_layers,
                src_seq_length=src_seq_length,
                tgt_seq_length=tgt_seq_length,
                offset=encoder_layers,
                **shared,
            )

    def construct(
        self,
        encoder_inputs: Tensor,
        encoder_masks: Tensor | None,
        decoder_inputs: Tensor | None = None,
        decoder_masks: Tensor | None = None,
        memory_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, Any, Any]:
        """Return the output, and the keys and values of encoder and decoder (None without a
        decoder).
        """
        past = init_reset, batch_valid_length
        out, encoded = self.encoder(encoder_inputs, encoder_masks, *past)
        if self.decoder is None:
            return out, encoded, None
        out, decoded = self.decoder(decoder_inputs, decoder_masks, out, memory_mask, *past)
        return out, encoded, decoded


__all__ = [
    "Transformer",
    *blocks.__all__,
    *op_parallel_config.__all__,
    *parts.__all__,
    *stacks.__all__,
]
