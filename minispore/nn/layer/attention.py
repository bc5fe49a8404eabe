"""Multi-head attention.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.initializer import XavierNormal, XavierUniform, initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.dense import Dense
from minispore.ops.network.heads import multi_head_attention_forward
from minispore.ops.support.arguments import check_tensors


class MultiheadAttention(Cell):
    """softmax(q k' / sqrt(d) + mask) v for each head, with q, k, v and the result projected.

    Args:
        embed_dim: length of the query and output vectors.
        num_heads: the number of heads that ``embed_dim`` is split into.
        dropout: probability of zero in the attention weights, in training.
        has_bias: whether the projections have biases.
        add_bias_kv: append a learned key and value.
        add_zero_attn: append a key and a value of zeros.
        kdim: length of the keys; ``embed_dim`` by default.
        vdim: length of the values; ``embed_dim`` by default.
        batch_first: whether inputs and output are (N, T, ...), not (T, N, ...).
        dtype: the dtype of the parameters.

    Inputs: query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim), or all without N;
        key_padding_mask (N, S) and attn_mask (L, S) or (N heads, L, S): True (or -inf, which is
        added) where attention is not allowed; a uint8 attn_mask is used as bool.

    Returns:
        The output (L, N, embed_dim) and, with ``need_weights``, the attention weights (N, L, S), or
        (N, heads, L, S) if they are not averaged.

    Raises:
        ValueError: ``num_heads`` does not divide ``embed_dim``; when called: shapes or masks do not
            fit.
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
        self.num_heads = checks.integer(name, "num_heads", check.to_python_number(num_heads), 1)
        self.head_dim = embed_dim // self.num_heads
        if embed_dim % num_heads:
            raise ValueError(
                f"{name}: num_heads must divide embed_dim, got {num_heads} and {embed_dim}."
            )
        self.kdim = embed_dim if kdim is None else checks.integer(name, "kdim", kdim, 1)
        self.vdim = embed_dim if vdim is None else checks.integer(name, "vdim", vdim, 1)
        self.dropout = checks.number(name, "dropout", check.to_python_number(dropout))
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn

        def make_param(param_name: str, shape: tuple[int, ...], init: Any) -> Parameter:
            return Parameter(initializer(init, shape, dtype or mstype.float32), param_name)

        e = embed_dim
        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self.kdim == self.vdim == e:
            self.in_proj_weight = make_param("in_proj_weight", (3 * e, e), XavierUniform())
        else:
            self.q_proj_weight = make_param("q_proj_weight", (e, e), XavierUniform())
            self.k_proj_weight = make_param("k_proj_weight", (e, self.kdim), XavierUniform())
            self.v_proj_weight = make_param("v_proj_weight", (e, self.vdim), XavierUniform())
        self.in_proj_bias = make_param("in_proj_bias", (3 * e,), "zeros") if has_bias else None
        self.out_proj = Dense(e, e, has_bias=has_bias, dtype=dtype or mstype.float32)
        self.bias_k = make_param("bias_k", (1, 1, e), XavierNormal()) if add_bias_kv else None
        self.bias_v = make_param("bias_v", (1, 1, e), XavierNormal()) if add_bias_kv else None

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
        """Return a tuple of the attention output and, with ``need_weights``, the weights."""
        check_tensors("MultiheadAttention", query=query, key=key, value=value)
        self._check_shapes(query, key, value)
        for name, mask in (("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask)):
            if mask is not None:
                check.check_tensor("MultiheadAttention", name, mask)
        # Compared before the transposition makes new Tensors: a Tensor that is passed as several
        # inputs is projected by one product.
        q_is_k, k_is_v = query is key, key is value
        is_transposed = self.batch_first and query.ndim == 3
        if is_transposed:
            query, key, value = (ops.swapaxes(x, 0, 1) for x in (query, key, value))
        out, weights = multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            use_separate_proj_weight=self.in_proj_weight is None,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            k_is_v=k_is_v,
            q_is_k=q_is_k,
        )
        if is_transposed:
            out = ops.swapaxes(out, 0, 1)
        return (out, weights) if need_weights else (out,)

    def _check_shapes(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        """Check the shapes of query, key and value.

        Raises:
            ValueError: the number of axes, the last axis, or the length of key and value does not
                fit.
        """
        name = "MultiheadAttention"
        check.check_ndim(name, "query", query, 2, 3)
        check.check_ndim(name, "key", key, query.ndim)
        check.check_ndim(name, "value", value, query.ndim)
        expected = (
            ("query", query, self.embed_dim),
            ("key", key, self.kdim),
            ("value", value, self.vdim),
        )
        for argument, x, width in expected:
            if x.shape[-1] != width:
                raise ValueError(
                    f"{name}: the last axis of {argument} must be {width}, got shape {x.shape}."
                )
        if key.shape[:-1] != value.shape[:-1]:
            raise ValueError(
                f"{name}: key and value must have the same length, got {key.shape} and "
                f"{value.shape}."
            )


__all__ = ["MultiheadAttention"]
