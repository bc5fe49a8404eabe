"""The encoder and the decoder of a Transformer: stacks of layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.layer.container import CellList
from minispore.nn.transformer.blocks import (
    Present,
    TransformerDecoderLayer,
    TransformerEncoderLayer,
)
from minispore.nn.transformer.moe import _check_moe_config, default_moe_config
from minispore.nn.transformer.op_parallel_config import _check_config, default_transformer_config


def _get_lambda_func(total_layer: int | None = None) -> Callable[..., None]:
    """Return the default ``lambda_func``, called with each new layer of a stack.

    On one device there is nothing to set, so it only compares the number of layers with the stages.
    """

    def check_layer_count(
        network: Cell, layer_id: int, offset: int, parallel_config: Any, layers: int
    ) -> None:
        """Check that there are at least as many layers as pipeline stages.

        Raises:
            ValueError: there are fewer.
        """
        n_stages, n_layers = parallel_config.pipeline_stage, total_layer or layers
        if n_layers < n_stages:
            rule = f"be >= {n_stages}, the pipeline's stages"
            raise ValueError(checks.format_error("Transformer", "num_layers", rule, str(n_layers)))

    return check_layer_count


def _make_layers(
    make_layer: Callable[[], Cell],
    num_layers: int,
    lambda_func: Any,
    offset: int,
    parallel_config: Any,
) -> CellList:
    """Return ``num_layers`` new layers, each passed to ``lambda_func`` when it is created.

    Without a ``lambda_func``, only their number is compared with that of the pipeline stages.
    """
    _check_config(parallel_config)
    set_layer = lambda_func or _get_lambda_func()
    blocks = CellList()
    for i in range(num_layers):
        block = make_layer()
        set_layer(
            block, layer_id=i, layers=num_layers, offset=offset, parallel_config=parallel_config
        )
        blocks.append(block)
    return blocks


class TransformerEncoder(Cell):
    """``num_layers`` TransformerEncoderLayers in sequence.

    Args:
        batch_size: sequences in a batch; None for any number, without ``use_past``.
        num_layers: number of layers.
        hidden_size: length of a token vector.
        ffn_hidden_size: length of the hidden vectors of the feed-forward layers.
        seq_length: tokens in a sequence.
        num_heads: number of attention heads.
        attention_dropout_rate: dropout probability of the attention weights, in training.
        hidden_dropout_rate: dropout probability of each sublayer's output, in training.
        hidden_act: the activation's name or class.
        post_layernorm_residual: whether residual connections start after the norms, not before.
        layernorm_compute_type: dtype of the norms.
        softmax_compute_type: dtype of the softmax.
        param_init_type: dtype of the parameters.
        lambda_func: a function that is called with each layer, ``layer_id``, ``layers``, ``offset``
            and ``parallel_config``.
        offset: the number of layers before this stack, for ``lambda_func``.
        use_past: whether keys and values of earlier tokens are cached; see MultiHeadAttention.
        moe_config: settings of the experts; only one expert is supported.
        parallel_config: how the computation would be sharded over devices.

    Inputs: hidden_states (batch, seq_length, hidden_size); attention_mask (batch, seq_length,
        seq_length) or None; init_reset and batch_valid_length with ``use_past``.

    Returns:
        The result, shaped as hidden_states, and (keys, values) of each layer.

    Raises:
        ValueError: the sizes do not fit; when called: a shape is wrong.
        TypeError: when called: a dtype is wrong.

    >>> from minispore import nn, ops
    >>> encoder = nn.transformer.TransformerEncoder(2, 2, 8, 16, seq_length=3, num_heads=2)
    >>> out, present = encoder(ops.ones((2, 3, 8)), ops.ones((2, 3, 3)))
    >>> out.shape, len(present)
    ((2, 3, 8), 2)
    """

    def __init__(
        self,
        batch_size: int | None,
        num_layers: int,
        hidden_size: int,
        ffn_hidden_size: int,
        seq_length: int,
        num_heads: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        hidden_act: Any = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = mstype.float32,
        softmax_compute_type: Any = mstype.float32,
        param_init_type: Any = mstype.float32,
        lambda_func: Any = None,
        offset: int = 0,
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_transformer_config,
    ) -> None:
        super().__init__()
        _check_moe_config(moe_config, parallel_config)
        self.num_layers = checks.integer(self, "num_layers", num_layers, 1)
        checks.integer(self, "offset", offset, 0)

        def make_layer() -> Cell:
            """Return a new encoder layer with the arguments of this stack."""
            return TransformerEncoderLayer(
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
                parallel_config.dp_mp_config,
            )

        self.blocks = _make_layers(make_layer, num_layers, lambda_func, offset, parallel_config)

    def construct(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Present, ...]]:
        """Return the last layer's output, and the keys and values of all layers."""
        presents: tuple[Present, ...] = ()
        for block in self.blocks:
            hidden_states, present = block(
                hidden_states, attention_mask, init_reset, batch_valid_length
            )
            presents += (present,)
        return hidden_states, presents


class TransformerDecoder(Cell):
    """``num_layers`` TransformerDecoderLayers in sequence.

    Args:
        num_layers: number of layers.
        batch_size: sequences in a batch; None for any number.
        hidden_size: length of a token vector.
        ffn_hidden_size: length of the hidden vectors of the feed-forward layers.
        src_seq_length: tokens in a sequence of the encoder.
        tgt_seq_length: tokens in a sequence of the decoder.
        num_heads: number of attention heads.
        attention_dropout_rate: dropout probability of the attention weights, in training.
        hidden_dropout_rate: dropout probability of each sublayer's output, in training.
        post_layernorm_residual: whether residual connections start after the norms, not before.
        layernorm_compute_type: dtype of the norms.
        softmax_compute_type: dtype of the softmax.
        param_init_type: dtype of the parameters.
        hidden_act: the activation's name or class.
        lambda_func: a function that is called with each layer, ``layer_id``, ``layers``, ``offset``
            and ``parallel_config``.
        use_past: must be False.
        offset: the number of layers before this stack, for ``lambda_func``.
        moe_config: settings of the experts; only one expert is supported.
        parallel_config: how the computation would be sharded over devices.

    Inputs: hidden_states (batch, tgt_seq_length, hidden_size), attention_mask, encoder_output
        (batch, src_seq_length, hidden_size) and memory_mask, as in TransformerDecoderLayer.

    Returns:
        The result, shaped as hidden_states, and (keys, values, ...) of each layer.

    Raises:
        ValueError: the sizes do not fit, or ``use_past`` is set; when called: a shape is wrong.
        TypeError: when called: a dtype is wrong.

    >>> from minispore import nn, ops
    >>> decoder = nn.transformer.TransformerDecoder(1, 2, 8, 16, 4, 3, num_heads=2)
    >>> x, encoded = ops.ones((2, 3, 8)), ops.ones((2, 4, 8))
    >>> out, present = decoder(x, ops.ones((2, 3, 3)), encoded, ops.ones((2, 3, 4)))
    >>> out.shape, len(present[0])
    ((2, 3, 8), 4)
    """

    def __init__(
        self,
        num_layers: int,
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        num_heads: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = mstype.float32,
        softmax_compute_type: Any = mstype.float32,
        param_init_type: Any = mstype.float32,
        hidden_act: Any = "gelu",
        lambda_func: Any = None,
        use_past: bool = False,
        offset: int = 0,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_transformer_config,
    ) -> None:
        super().__init__()
        _check_moe_config(moe_config, parallel_config)
        self.num_layers = checks.integer(self, "num_layers", num_layers, 1)
        checks.integer(self, "offset", offset, 0)

        def make_layer() -> Cell:
            """Return a new decoder layer with the arguments of this stack."""
            return TransformerDecoderLayer(
                hidden_size,
                ffn_hidden_size,
                num_heads,
                batch_size,
                src_seq_length,
                tgt_seq_length,
                attention_dropout_rate,
                hidden_dropout_rate,
                post_layernorm_residual,
                use_past,
                layernorm_compute_type,
                softmax_compute_type,
                param_init_type,
                hidden_act,
                moe_config,
                parallel_config.dp_mp_config,
            )

        self.blocks = _make_layers(make_layer, num_layers, lambda_func, offset, parallel_config)

    def construct(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None,
        encoder_output: Tensor | None = None,
        memory_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Present, ...]]:
        """Return the last layer's output, and the keys and values of all layers."""
        presents: tuple[Present, ...] = ()
        other_inputs = encoder_output, memory_mask, init_reset, batch_valid_length
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask, *other_inputs)
            presents += (present,)
        return hidden_states, presents


__all__ = ["TransformerDecoder", "TransformerEncoder"]
