"""Attention and the Transformer.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.initializer import XavierNormal, XavierUniform, initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.activation import GELU, ReLU
from minispore.nn.layer.basic import Dropout
from minispore.nn.layer.container import CellList
from minispore.nn.layer.dense import Dense
from minispore.nn.layer.normalization import LayerNorm


class MultiheadAttention(Cell):
    """softmax(q k' / sqrt(d) + mask) v for each head, with q, k, v and the result projected.

    Args:
        embed_dim: length of query and output.
        num_heads: how many heads share it.
        dropout: probability of zero in the attention weights, in training.
        has_bias: whether the projections have biases.
        add_bias_kv: append a learned key and value to all others.
        add_zero_attn: append a key and a value of zeros to all others.
        kdim: length of key; ``embed_dim`` by default.
        vdim: length of value; ``embed_dim`` by default.
        batch_first: whether inputs and output are (N, T, ...), not (T, N, ...).
        dtype: of the parameters.

    Inputs: query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim), or all without N;
        key_padding_mask (N, S)
        and attn_mask (L, S) or (N heads, L, S): True (or added -inf) where nothing may be attended
        to.

    Returns:
        The output (L, N, embed_dim) and, with ``need_weights``, the attention weights (N, L, S), or
        (N, heads, L, S)
        if they are not averaged.

    Raises:
        ValueError: ``num_heads`` does not divide ``embed_dim``; when called: shapes or masks
            that do not fit.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = "MultiheadAttention"
        self.embed_dim = check.positive_int(name, "embed_dim", embed_dim)
        self.num_heads = check.positive_int(name, "num_heads", num_heads)
        self.head_dim = embed_dim // num_heads
        if embed_dim % num_heads:
            raise ValueError(
                f"{name}: num_heads must divide embed_dim, got {num_heads} and {embed_dim}."
            )
        self.kdim = embed_dim if kdim is None else check.positive_int(name, "kdim", kdim)
        self.vdim = embed_dim if vdim is None else check.positive_int(name, "vdim", vdim)
        self.dropout = check.a_number(name, "dropout", dropout, 0.0, 1.0, "[)")
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self._drop = Dropout(p=self.dropout)

        def made(own: str, shape: tuple[int, ...], init: Any) -> Parameter:
            return Parameter(initializer(init, shape, dtype or mstype.float32), own)

        e = embed_dim
        self._packed = self.kdim == self.vdim == e
        if self._packed:
            self.in_proj_weight = made("in_proj_weight", (3 * e, e), XavierUniform())
        else:
            self.q_proj_weight = made("q_proj_weight", (e, e), XavierUniform())
            self.k_proj_weight = made("k_proj_weight", (e, self.kdim), XavierUniform())
            self.v_proj_weight = made("v_proj_weight", (e, self.vdim), XavierUniform())
        self.in_proj_bias = made("in_proj_bias", (3 * e,), "zeros") if has_bias else None
        self.out_proj = Dense(e, e, has_bias=has_bias, dtype=dtype or mstype.float32)
        self.bias_k = made("bias_k", (1, 1, e), XavierNormal()) if add_bias_kv else None
        self.bias_v = made("bias_v", (1, 1, e), XavierNormal()) if add_bias_kv else None

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        batched = query.ndim == 3
        self._check(query, key, value)
        if not batched:
            query, key, value = (ops.expand_dims(x, 1) for x in (query, key, value))
            key_padding_mask = (
                None if key_padding_mask is None else ops.expand_dims(key_padding_mask, 0)
            )
        elif self.batch_first:
            query, key, value = (ops.swapaxes(x, 0, 1) for x in (query, key, value))
        length, n, _ = query.shape
        q, k, v = self._projected(query, key, value)
        if self.bias_k is not None and self.bias_v is not None:
            k = ops.concat((k, ops.tile(self.bias_k, (1, n, 1))), 0)
            v = ops.concat((v, ops.tile(self.bias_v, (1, n, 1))), 0)
        q, k, v = (self._heads(x) for x in (q, k, v))  # (N, heads, T, head_dim)
        if self.add_zero_attn:
            zero = ops.zeros((n, self.num_heads, 1, self.head_dim), k.dtype)
            k, v = ops.concat((k, zero), 2), ops.concat((v, zero), 2)
        scores = ops.matmul(q * (1 / math.sqrt(self.head_dim)), ops.swapaxes(k, -1, -2))
        for mask in self._masks(scores, key_padding_mask, attn_mask):
            scores = scores + mask
        weights = self._drop(ops.softmax(scores, -1))
        joined = ops.reshape(
            ops.transpose(ops.matmul(weights, v), (2, 0, 1, 3)), (length, n, self.embed_dim)
        )
        out = self.out_proj(joined)
        out = (
            ops.squeeze(out, 1)
            if not batched
            else ops.swapaxes(out, 0, 1)
            if self.batch_first
            else out
        )
        if not need_weights:
            return (out,)
        if average_attn_weights:
            weights = ops.ReduceMean()(weights, 1)
        return out, (weights if batched else ops.squeeze(weights, 0))

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        name = "MultiheadAttention"
        check.ndim(name, "query", query, 2, 3)
        check.ndim(name, "key", key, query.ndim)
        check.ndim(name, "value", value, query.ndim)
        wants = (
            ("query", query, self.embed_dim),
            ("key", key, self.kdim),
            ("value", value, self.vdim),
        )
        for argument, x, width in wants:
            if x.shape[-1] != width:
                raise ValueError(
                    f"{name}: the last axis of {argument} must be {width}, got shape {x.shape}."
                )
        if key.shape[:-1] != value.shape[:-1]:
            raise ValueError(
                f"{name}: key and value must have the same length, got {key.shape} and "
                f"{value.shape}."
            )

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        if self._packed:
            weights: Any = ops.Split(0, 3)(self.in_proj_weight)
        else:
            weights = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        biases = (None,) * 3 if self.in_proj_bias is None else ops.Split(0, 3)(self.in_proj_bias)
        found = []
        for x, w, b in zip((query, key, value), weights, biases, strict=True):
            y = ops.matmul(x, ops.swapaxes(w, 0, 1))
            found.append(y if b is None else y + b)
        return found

    def _heads(self, x: Tensor) -> Tensor:
        """(T, N, E) -> (N, heads, T, head_dim)."""
        t, n, _ = x.shape
        return ops.transpose(ops.reshape(x, (t, n, self.num_heads, self.head_dim)), (1, 2, 0, 3))

    def _masks(self, scores: Tensor, key_padding_mask: Any, attn_mask: Any) -> list[Tensor]:
        """What is added to the scores (N, heads, L, S): 0, or -inf where a mask is True."""
        n, heads, length, source = scores.shape
        extra = (self.bias_k is not None) + self.add_zero_attn  # keys that no mask knows of
        found = []
        for name, mask in (("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask)):
            if mask is None:
                continue
            check.a_tensor("MultiheadAttention", name, mask)
            if mask.dtype.kind not in "bfu":
                raise ValueError(
                    f"MultiheadAttention: {name} must be bool or float, got {mask.dtype}."
                )
            added = mask
            if mask.dtype.kind in "bu":
                closed = ops.cast(mask, mstype.bool_)
                added = ops.masked_fill(ops.zeros(mask.shape, scores.dtype), closed, float("-inf"))
            known = source - extra
            if name == "key_padding_mask":
                shapes: dict[Any, Any] = {(n, known): (n, 1, 1, known)}
            else:
                whole = (n * heads, length, known)
                shapes = {(length, known): (1, 1, length, known), whole: (n, heads, length, known)}
            if mask.shape not in shapes:
                wanted = " or ".join(map(str, shapes))
                raise ValueError(
                    f"MultiheadAttention: {name} must have the shape {wanted}, got {mask.shape}."
                )
            added = ops.reshape(added, shapes[mask.shape])
            if extra:
                added = ops.Pad(((0, 0), (0, 0), (0, 0), (0, extra)))(added)
            found.append(added)
        return found


def _activation(owner: str, activation: Any) -> Any:
    if isinstance(activation, str):
        return {"relu": ops.relu, "gelu": ops.gelu}[
            check.one_of(owner, "activation", activation, ("relu", "gelu"))
        ]
    if isinstance(activation, ReLU | GELU) or activation in (ops.relu, ops.gelu):
        return activation
    raise ValueError(
        f"{owner}: activation must be 'relu', 'gelu', nn.ReLU(), nn.GELU(), ops.relu or ops.gelu, "
        f"got {check.shown(activation)}."
    )


class _Layer(Cell):
    """What encoder and decoder layers share: self-attention, dense layers, norms, dropouts."""

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
        self._make_attention(d_model, nhead, dropout, batch_first, dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.activation = _activation(type(self).__name__, activation)
        self.d_model = d_model
        for i in range(1, self._blocks + 1):
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in range(1, self._blocks + 1):
            setattr(self, f"dropout{i}", Dropout(p=dropout))

    _blocks = 2

    def _make_attention(self, *args: Any) -> None:
        """The second attention, of a decoder."""

    def again(self) -> Any:
        """A new layer with the same arguments."""
        return type(self)(*self._arguments)

    def _attended(
        self, block: int, attention: Cell, x: Tensor, other: Tensor | None, mask: Any, padding: Any
    ) -> Tensor:
        source = x if other is None else other
        out = attention(
            x, source, source, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )[0]
        return getattr(self, f"dropout{block}")(out)

    def _fed_forward(self, block: int, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.dense1(x)))
        return getattr(self, f"dropout{block}")(self.dense2(hidden))

    def _residual(self, block: int, x: Tensor, inner: Any) -> Tensor:
        """x + inner(norm(x)), or norm(x + inner(x))."""
        norm = getattr(self, f"norm{block}")
        return x + inner(norm(x)) if self.norm_first else norm(x + inner(x))


class TransformerEncoderLayer(_Layer):
    """Self-attention and two dense layers, each with a residual connection and a norm.

    Args:
        d_model: length of each input.
        nhead: heads of the attention.
        dim_feedforward: length between the dense layers.
        dropout: probability of zero, in training.
        activation: ``"relu"``, ``"gelu"``, or the function or Cell.
        layer_norm_eps: of the norms.
        batch_first: whether inputs are (N, T, ...), not (T, N, ...).
        norm_first: norm before, not after, each part.
        dtype: of the parameters.

    Raises:
        ValueError: another ``activation``, or ``nhead`` does not divide ``d_model``.
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
        x = self._residual(
            1,
            src,
            lambda y: self._attended(1, self.self_attn, y, None, src_mask, src_key_padding_mask),
        )
        return self._residual(2, x, lambda y: self._fed_forward(2, y))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the memory, and two dense layers, each with a residual
    connection and a norm.

    Arguments as those of :class:`TransformerEncoderLayer`.
    """

    _blocks = 3

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

    def _make_attention(self, *args: Any) -> None:
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
        x = self._residual(
            1,
            tgt,
            lambda y: self._attended(1, self.self_attn, y, None, tgt_mask, tgt_key_padding_mask),
        )
        x = self._residual(
            2,
            x,
            lambda y: self._attended(
                2, self.multihead_attn, y, memory, memory_mask, memory_key_padding_mask
            ),
        )
        return self._residual(3, x, lambda y: self._fed_forward(3, y))


class TransformerEncoder(Cell):
    """``num_layers`` encoder layers, and a norm if there is one.

    Args:
        encoder_layer: the layer; each one is new, with its arguments.
        num_layers: how many.
        norm: a Cell for the end, or None.
    """

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None
    ) -> None:
        super().__init__()
        self.num_layers = check.positive_int("TransformerEncoder", "num_layers", num_layers)
        self.layers = CellList(_alike(encoder_layer, num_layers))
        self.norm = norm

    def construct(
        self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """``num_layers`` decoder layers, and a norm if there is one.

    Args:
        decoder_layer: the layer; each one is new, with its arguments.
        num_layers: how many.
        norm: a Cell for the end, or None.
    """

    def __init__(
        self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Cell | None = None
    ) -> None:
        super().__init__()
        self.num_layers = check.positive_int("TransformerDecoder", "num_layers", num_layers)
        self.layers = CellList(_alike(decoder_layer, num_layers))
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


def _alike(layer: _Layer, count: int) -> list[Cell]:
    """``count`` new layers that start with the same weights, as copies of one would."""
    first = layer.again()
    layers = [first] + [layer.again() for _ in range(count - 1)]
    for other in layers[1:]:
        for mine, its in zip(first.get_parameters(), other.get_parameters(), strict=True):
            its.set_data(mine)
    return layers


class Transformer(Cell):
    """An encoder, and a decoder that attends to what it made. Matrices start Xavier-uniform.

    Args:
        d_model: length of each input.
        nhead: heads of each attention.
        num_encoder_layers: layers of the encoder.
        num_decoder_layers: layers of the decoder.
        custom_encoder: another encoder.
        custom_decoder: another decoder.

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
        same = (
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

        def norm() -> LayerNorm:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*same), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*same), num_decoder_layers, norm()
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
    "MultiheadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
