"""Attention of several heads.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

import math
from typing import Any

from minispore import checks, ops
from minispore.core import dtype as mstype
from minispore.core.initializer import XavierNormal, XavierUniform, initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.basic import Dropout
from minispore.nn.layer.dense import Dense
from minispore.ops.support.axes import all_tensors


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
        key_padding_mask (N, S) and attn_mask (L, S) or (N heads, L, S): True (or added -inf) where
        nothing may be attended to.

    Returns:
        The output (L, N, embed_dim) and, with ``need_weights``, the attention weights (N, L, S), or
        (N, heads, L, S) if they are not averaged.

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
        self.embed_dim = checks.integer(name, "embed_dim", embed_dim, 1)
        self.num_heads = checks.integer(name, "num_heads", num_heads, 1)
        self.head_dim = embed_dim // num_heads
        if embed_dim % num_heads:
            raise ValueError(
                f"{name}: num_heads must divide embed_dim, got {num_heads} and {embed_dim}."
            )
        self.kdim = embed_dim if kdim is None else checks.integer(name, "kdim", kdim, 1)
        self.vdim = embed_dim if vdim is None else checks.integer(name, "vdim", vdim, 1)
        self.dropout = checks.number(name, "dropout", dropout, 0.0, 1.0, "[)")
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
        all_tensors("MultiheadAttention", query=query, key=key, value=value)
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


__all__ = ["MultiheadAttention"]
