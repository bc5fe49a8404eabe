"""The Transformer: encoder, decoder and their layers.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

import copy
from typing import Any

from minispore import ops
from minispore.core.initializer import initializer
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.layer.activation import GELU, ReLU
from minispore.nn.layer.attention import MultiheadAttention
from minispore.nn.layer.basic import Dropout
from minispore.nn.layer.container import CellList
from minispore.nn.layer.dense import Dense
from minispore.nn.layer.normalization import LayerNorm
from minispore.ops.support.arguments import check_tensors


def _check_activation(api_name: str, activation: Any) -> Any:
    """Return the function or Cell of the activation relu or gelu.

    Raises:
        ValueError: it is neither of these.
    """
    if isinstance(activation, str):
        return {"relu": ops.relu, "gelu": ops.gelu}[
            checks.one_of(api_name, "activation", activation, ("relu", "gelu"))
        ]
    if isinstance(activation, ReLU | GELU) or activation in (ops.relu, ops.gelu):
        return activation
    raise ValueError(
        f"{api_name}: activation must be 'relu', 'gelu', nn.ReLU(), nn.GELU(), ops.relu or "
        f"ops.gelu, got {checks.format_value(activation)}."
    )


class _TransformerLayer(Cell):
    """Base of encoder and decoder layers: self-attention, dense layers, norms and dropouts."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: Any,
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        dtype: Any,
    ) -> None:
        super().__init__()
        self._arguments = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
        )
        self._make_cross_attention(d_model, nhead, dropout, batch_first, dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.activation = _check_activation(type(self).__name__, activation)
        self.d_model = d_model
        for i in range(1, self._n_sublayers + 1):
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in range(1, self._n_sublayers + 1):
            setattr(self, f"dropout{i}", Dropout(p=dropout))

    _n_sublayers = 2

    def _make_cross_attention(self, *args: Any) -> None:
        """Hook called by ``__init__``: the decoder layer creates its cross-attention here."""

    def make_new(self) -> Any:
        """Return a new layer with the same arguments."""
        return type(self)(*self._arguments)

    def _attend(
        self,
        sublayer: int,
        attention: Cell,
        x: Tensor,
        memory: Tensor | None,
        mask: Any,
        padding: Any,
    ) -> Tensor:
        """Return the attention of x to ``memory`` (or to x itself), after the sublayer's
        dropout.
        """
        source = x if memory is None else memory
        out = attention(
            x, source, source, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )[0]
        return getattr(self, f"dropout{sublayer}")(out)

    def _feed_forward(self, sublayer: int, x: Tensor) -> Tensor:
        """Return the output of the dense layers, after the dropout of this sublayer."""
        hidden = self.dropout(self.activation(self.dense1(x)))
        return getattr(self, f"dropout{sublayer}")(self.dense2(hidden))

    def _add_residual(self, sublayer: int, x: Tensor, inner: Any) -> Tensor:
        """Return x + inner(norm(x)) with ``norm_first``, else norm(x + inner(x))."""
        norm = getattr(self, f"norm{sublayer}")
        return x + inner(norm(x)) if self.norm_first else norm(x + inner(x))


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and two dense layers, each with a residual connection and a norm.

    Args:
        d_model: length of each input.
        nhead: the number of attention heads.
        dim_feedforward: length of the output of the first dense layer.
        dropout: probability of zero, in training.
        activation: ``"relu"``, ``"gelu"``, or a function or Cell of these.
        layer_norm_eps: the epsilon of the norms.
        batch_first: whether inputs are (N, T, ...), not (T, N, ...).
        norm_first: normalise before, not after, each sublayer.
        dtype: the dtype of the parameters.

    Raises:
        ValueError: ``activation`` is not one of these, or ``nhead`` does not divide ``d_model``.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

    def construct(
        self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None
    ) -> Tensor:
        """Return ``src`` after self-attention and dense layers, each with residual and norm."""
        x = self._add_residual(
            1,
            src,
            lambda y: self._attend(1, self.self_attn, y, None, src_mask, src_key_padding_mask),
        )
        return self._add_residual(2, x, lambda y: self._feed_forward(2, y))


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention to the memory and two dense layers, with residuals and norms.

    The arguments are those of :class:`TransformerEncoderLayer`.
    """

    _n_sublayers = 3

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

    def _make_cross_attention(self, *args: Any) -> None:
        """Create the attention of the decoder to the encoder's output."""
        d_model, nhead, dropout, batch_first, dtype = args
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
        )

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Tensor:
        """Return ``tgt`` after self-attention, attention to ``memory`` and dense layers."""
        check_tensors("TransformerDecoderLayer", tgt=tgt, memory=memory)
        x = self._add_residual(
            1,
            tgt,
            lambda y: self._attend(1, self.self_attn, y, None, tgt_mask, tgt_key_padding_mask),
        )
        x = self._add_residual(
            2,
            x,
            lambda y: self._attend(
                2, self.multihead_attn, y, memory, memory_mask, memory_key_padding_mask
            ),
        )
        return self._add_residual(3, x, lambda y: self._feed_forward(3, y))


class TransformerEncoder(Cell):
    """``num_layers`` encoder layers, followed by an optional norm.

    Args:
        encoder_layer: a layer; the stack's layers are new ones with the same arguments.
        num_layers: the number of layers.
        norm: a Cell applied to the last output, or None.
    """

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None
    ) -> None:
        super().__init__()
        self.num_layers = checks.integer("TransformerEncoder", "num_layers", num_layers, 1)
        self.layers = CellList(_make_equal_layers(encoder_layer, num_layers))
        self.norm = norm

    def construct(
        self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None
    ) -> Tensor:
        """Pass ``src`` through the layers in order, then through the norm."""
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """``num_layers`` decoder layers, followed by an optional norm.

    Args:
        decoder_layer: a layer; the stack's layers are new ones with the same arguments.
        num_layers: the number of layers.
        norm: a Cell applied to the last output, or None.
    """

    def __init__(
        self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Cell | None = None
    ) -> None:
        super().__init__()
        self.num_layers = checks.integer("TransformerDecoder", "num_layers", num_layers, 1)
        self.layers = CellList(_make_equal_layers(decoder_layer, num_layers))
        self.norm = norm

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Tensor:
        """Pass ``tgt`` through the layers, which all attend to ``memory``, then through the
        norm.
        """
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
            )
        return tgt if self.norm is None else self.norm(tgt)


def _make_equal_layers(layer: _TransformerLayer, count: int) -> list[Cell]:
    """Return ``count`` new layers like ``layer``, all initialised with the same weights."""
    first = layer.make_new()
    return [first] + [copy.deepcopy(first) for _ in range(count - 1)]


class Transformer(Cell):
    """An encoder, and a decoder that attends to its output. Matrices are initialised
    Xavier-uniform.

    Args:
        d_model: length of each input.
        nhead: the number of heads of each attention.
        num_encoder_layers: the number of encoder layers.
        num_decoder_layers: the number of decoder layers.
        custom_encoder: an encoder that replaces the default one.
        custom_decoder: a decoder that replaces the default one.

    The other arguments are those of :class:`TransformerEncoderLayer`.

    Shape: src (S, N, d_model), tgt (T, N, d_model) -> (T, N, d_model).
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        layer_args = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

        def make_norm() -> LayerNorm:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*layer_args), num_encoder_layers, make_norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*layer_args), num_decoder_layers, make_norm()
        )
        for p in self.get_parameters():
            if p.ndim > 1:
                p.set_data(initializer("xavier_uniform", p.shape, p.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Tensor:
        """Encode ``src`` and decode ``tgt`` with it; raise ValueError if shapes do not fit."""
        check_tensors("Transformer", src=src, tgt=tgt)
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(
                f"Transformer: src and tgt must have the same batch, got {src.shape} and "
                f"{tgt.shape}."
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(
                f"Transformer: the last axis of src and tgt must be d_model={self.d_model}, "
                f"got {src.shape} and {tgt.shape}."
            )
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )


__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
