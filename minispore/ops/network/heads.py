"""Multi-head attention as a function of its weights, and its helpers.

Projects import the helpers from ``ops.function.nn_func``.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

import math
from typing import Any

from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.compare import logical_or
from minispore.ops.network.dropout import dropout
from minispore.ops.network.softmax import softmax
from minispore.ops.shape.cast_fill import zeros
from minispore.ops.shape.join import cat
from minispore.ops.shape.pad import pad

_NAME = "multi_head_attention_forward"


def linear(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """Return ``x @ w.T + b``, or ``x @ w.T`` if ``b`` is None.

    >>> print(linear(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), None))
    [[11.]]
    """
    out = x @ w.swapaxes(-1, -2)
    return out if b is None else out + b


# -- checks ----------------------------------------------------------------------------------------


def _make_argument_error(argument: str, rule: str, got: Any) -> ValueError:
    """Return the ValueError for an argument that breaks a rule."""
    return ValueError(f"{_NAME}: {argument} must {rule}, got {got}.")


def _check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Return whether query, key and value have a batch axis.

    Raises:
        ValueError: they do not all have two axes, or all three axes.
    """
    if query_ndim not in (2, 3):
        raise _make_argument_error("query", "have two axes, or three", f"{query_ndim}")
    for name, ndim in (("key", key_ndim), ("value", value_ndim)):
        if ndim != query_ndim:
            raise _make_argument_error(name, f"have {query_ndim} axes, as query", ndim)
    return query_ndim == 3


def _check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    """Raise a ValueError unless the key padding mask has one axis less than the query."""
    if kmp_ndim != query_ndim - 1:
        raise _make_argument_error("key_padding_mask", f"have {query_ndim - 1} axes", kmp_ndim)


def _check_attn_mask_shape(
    query_ndim: int,
    query_shape: tuple[int, ...],
    key_shape: tuple[int, ...],
    attn_mask_ndim: int,
    attn_mask_shape: tuple[int, ...],
    num_heads: int,
) -> None:
    """Check that attn_mask has 2 or 3 axes and, without a batch axis, the shape of a per-head
    mask.
    """
    if attn_mask_ndim not in (2, 3):
        raise _make_argument_error("attn_mask", "have two axes, or three", attn_mask_ndim)
    expected = (num_heads, query_shape[0], key_shape[0])
    if query_ndim == 2 and attn_mask_ndim == 3 and attn_mask_shape != expected:
        raise _make_argument_error("attn_mask", f"have the shape {expected}", attn_mask_shape)


def _check_shape(argument: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Raise a ValueError unless ``x``, the argument named ``argument``, has this shape."""
    if tuple(x.shape) != shape:
        raise _make_argument_error(argument, f"have the shape {shape}", tuple(x.shape))


# -- steps -----------------------------------------------------------------------------------------


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value, each projected by its own weight (E, features) and bias (E,) or
    None.

    E is the query's last length.

    Raises:
        ValueError: a weight or bias has another shape.
    """
    e = q.shape[-1]
    for name, w, x in (("w_q", w_q, q), ("w_k", w_k, k), ("w_v", w_v, v)):
        _check_shape(name, w, (e, x.shape[-1]))
    for name, b in (("b_q", b_q), ("b_k", b_k), ("b_v", b_v)):
        if b is not None:
            _check_shape(name, b, (e,))
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w: Tensor,
    b: Tensor | None,
    k_is_v: bool,
    q_is_k: bool,
) -> tuple[Tensor, ...]:
    """Return query, key and value, each projected by a third of the weight (3 E, E) and bias (3
    E,).

    ``k_is_v`` and ``q_is_k`` say which inputs are the same tensor; these are projected by one
    product.
    """
    e = q.shape[-1]
    if k_is_v and q_is_k:
        return tuple(linear(q, w, b).split(e, -1))
    if k_is_v:
        w_q, w_kv = w[:e], w[e:]
        b_q, b_kv = (None, None) if b is None else (b[:e], b[e:])
        return (linear(q, w_q, b_q), *linear(k, w_kv, b_kv).split(e, -1))
    weights = w.split(e)
    biases: Any = (None,) * 3 if b is None else b.split(e)
    return tuple([linear(x, *wb) for x, *wb in zip((q, k, v), weights, biases, strict=True)])


def _inner_dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Return ``x`` with dropout in training if ``p`` is above 0, else unchanged."""
    return dropout(x, p) if training and p > 0 else x


def _inner_pad(x: Tensor, padding: Any, value: Any = None) -> Tensor:
    """Pad a tensor by ``padding`` as :func:`pad` does; a bool mask stays bool."""
    if x.dtype is mstype.bool_:
        return pad(x.astype(mstype.int32), padding, value=value).astype(mstype.bool_)
    return pad(x, padding, value=value)


# -- the complete function -------------------------------------------------------------------------


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
    k_is_v: bool = False,
    q_is_k: bool = False,
    dtype: Any = mstype.float32,
) -> tuple[Tensor, Tensor]:
    """Compute softmax(q k' / sqrt(d) + mask) v for each head; return the projected output and the
    weights.

    Shapes are (L, N, E), (S, N, E) and (S, N, E), or without N; the other arguments are the weights
    and options of :class:`minispore.nn.MultiheadAttention`. ``is_causal`` masks later keys, and
    replaces ``attn_mask`` and ``key_padding_mask``. ``dropout_p`` drops attention weights in
    ``training``. ``dtype`` has no effect.

    Returns:
        The output (L, N, E) and the attention weights (N, L, S), the mean of the heads, or (N,
            heads, L, S) without ``average_attn_weights``; both without N if the inputs lack it.

    Raises:
        ValueError: shapes or masks do not fit.
    """
    is_batched = _check_qkv_shape(query.ndim, key.ndim, value.ndim)
    if key_padding_mask is not None:
        _check_kpm_shape(query.ndim, key_padding_mask.ndim)
    if attn_mask is not None:
        _check_attn_mask_shape(
            query.ndim, query.shape, key.shape, attn_mask.ndim, attn_mask.shape, num_heads
        )
    if not is_batched:
        query, key, value = (x.expand_dims(1) for x in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.expand_dims(0)
    query_length, n, embed_dim = query.shape
    if embed_dim != embed_dim_to_check:
        raise _make_argument_error("query", f"have a last axis of {embed_dim_to_check}", embed_dim)
    if embed_dim % num_heads:
        raise _make_argument_error("num_heads", f"divide {embed_dim}", num_heads)
    head_size = embed_dim // num_heads
    if use_separate_proj_weight or in_proj_weight is None:
        biases: Any = (None,) * 3 if in_proj_bias is None else in_proj_bias.split(embed_dim)
        weights: Any = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _in_projection(query, key, value, *weights, *biases)
    else:
        q, k, v = _in_projection_packed(
            query, key, value, in_proj_weight, in_proj_bias, k_is_v, q_is_k
        )
    if attn_mask is not None and attn_mask.dtype is mstype.uint8:
        attn_mask = attn_mask.astype(mstype.bool_)
    masks = [key_padding_mask, attn_mask]
    for name, mask in (("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask)):
        if mask is not None and mask.dtype.kind not in "bf":
            raise _make_argument_error(name, "be bool or float", mask.dtype)
    if (bias_k is None) != (bias_v is None):
        raise _make_argument_error("bias_k and bias_v", "both be given, or none", "one")
    if bias_k is not None and bias_v is not None:
        if static_k is not None or static_v is not None:
            raise _make_argument_error(
                "bias_k and bias_v", "be None beside static_k or static_v", "both"
            )
        k, v = cat([k, bias_k.tile((1, n, 1))]), cat([v, bias_v.tile((1, n, 1))])
        masks = [None if m is None else _inner_pad(m, (0, 1)) for m in masks]
    head_count = n * num_heads

    def split_heads(name: str, x: Tensor, static: Tensor | None) -> Tensor:
        """Split the heads of x: (T, N, E) -> (N * heads, T, head).

        ``static`` of this shape replaces the result unless None; ``name`` is its name for errors.
        """
        if static is None:
            return x.reshape(x.shape[0], head_count, head_size).swapaxes(0, 1)
        _check_shape(name, static, (head_count, static.shape[1], head_size))
        return static

    q, k, v = (
        split_heads("q", q, None),
        split_heads("static_k", k, static_k),
        split_heads("static_v", v, static_v),
    )
    if add_zero_attn:
        k, v = (cat([x, zeros((head_count, 1, head_size), x.dtype)], 1) for x in (k, v))
        masks = [None if m is None else _inner_pad(m, (0, 1)) for m in masks]
    key_length = k.shape[1]
    scores_shape = (n, num_heads, query_length, key_length)
    score_bias = _combine_masks(scores_shape, masks[0], masks[1], q.dtype)
    if is_causal:
        all_false = zeros((query_length, key_length), mstype.int32).astype(mstype.bool_)
        score_bias = _to_additive_mask(all_false.logical_not().triu(1), q.dtype)
    q = q.reshape(n, num_heads, query_length, head_size)
    k, v = (x.reshape(n, num_heads, key_length, head_size) for x in (k, v))
    scores = q @ (k.swapaxes(-2, -1) * (1 / math.sqrt(head_size)))
    attn_weights = softmax(scores if score_bias is None else scores + score_bias, -1)
    attn_weights = _inner_dropout(attn_weights, dropout_p, training)
    merged_heads = (attn_weights @ v).transpose((2, 0, 1, 3)).reshape(query_length * n, embed_dim)
    out = linear(merged_heads, out_proj_weight, out_proj_bias).reshape(query_length, n, -1)
    if average_attn_weights:
        attn_weights = attn_weights.sum(1) / num_heads
    return (out, attn_weights) if is_batched else (out.squeeze(1), attn_weights.squeeze(0))


def _combine_masks(
    scores_shape: tuple[int, int, int, int], padding: Tensor | None, mask: Tensor | None, dtype: Any
) -> Tensor | None:
    """Combine both masks into one tensor to add to the scores (N, heads, L, S); None if both are
    None.

    A bool mask excludes keys where it is True; float masks are added.

    Raises:
        ValueError: a mask has a wrong shape.
    """
    n, heads, length, source = scores_shape
    if mask is not None:
        expected = (length, source) if mask.ndim == 2 else (n * heads, length, source)
        _check_shape("attn_mask", mask, expected)
        mask = mask.reshape((n if mask.ndim == 3 else 1), -1, length, source)
    if padding is not None:
        _check_shape("key_padding_mask", padding, (n, source))
        padding = padding.reshape(n, 1, 1, source)
        if mask is None:
            mask = padding
        elif mask.dtype is mstype.bool_:
            mask = logical_or(mask, padding)
        else:
            mask = mask + padding
    if mask is None or mask.dtype is not mstype.bool_:
        return mask
    return _to_additive_mask(mask, dtype)


def _to_additive_mask(mask: Tensor, dtype: Any) -> Tensor:
    """Return a tensor of ``dtype`` with -inf where the bool ``mask`` is True and 0 elsewhere."""
    return zeros(tuple(mask.shape), dtype).masked_fill(mask, float("-inf"))


# -- sizes for interpolation -----------------------------------------------------------------------


def _interploate_ext_make_tuple(input: Tensor, value: Any) -> Any:
    """Return ``value`` once for each spatial axis of ``input``; a list or tuple is returned
    unchanged.
    """
    return value if isinstance(value, list | tuple) else (value,) * (input.ndim - 2)


def _interpolate_ext_scale_factor_convert_size(input: Tensor, scale_factor: Any) -> tuple[int, ...]:
    """Return the spatial size of ``input`` times the scale factors, rounded down."""
    sizes = zip(input.shape[2:], scale_factor, strict=False)
    return tuple([math.floor(size * factor) for size, factor in sizes])


__all__ = ["linear", "multi_head_attention_forward"]
