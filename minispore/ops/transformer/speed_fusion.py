"""Attention for training with built-in dropout and ALiBi position biases."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Effect, Primitive
from minispore.core.tensor import Tensor
from minispore.execution import random
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Add, Mul, Sub
from minispore.ops.elementwise.powers import Sqrt
from minispore.ops.elementwise.rounding import Abs, Neg
from minispore.ops.index.gather import Gather
from minispore.ops.network.attention import (
    ALL,
    FlashAttentionScore,
    compute_lengths_from_ends,
    locate_tokens,
    to_int32,
)
from minispore.ops.network.dropout import DropoutDoMask, DropoutGenMask
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.attention import compute_attention


class StreamSeed(Primitive):
    """The seed of the global random stream as int64; 0 if no seed was set.

    >>> bool(StreamSeed()() >= 0)
    True
    """

    effect = Effect.EXTERNAL

    def infer(self) -> Spec:
        """Return the spec of a 0-d int64."""
        return Spec((), np.dtype(np.int64))

    def kernel(self, *, out: np.ndarray) -> None:
        out[...] = random.get_seed() or 0


class _SpeedFusionAttention(FlashAttentionScore):
    """The attention of :func:`speed_fusion_attention`."""

    name = "speed_fusion_attention"
    mask_name = "atten_mask"
    argument_error_type: ClassVar[type[Exception]] = ValueError
    pse_type: int = 1
    q_start: int = 0
    kv_start: int = 0

    def check(self) -> None:
        """Check the attributes of the base, and that ``pse_type`` is 0 to 3; raise ValueError or
        TypeError otherwise.
        """
        super().check()
        checks.integer(self.name, "pse_type", self.pse_type)
        self._require(0 <= self.pse_type <= 3, "pse_type must be 0 to 3", self.pse_type)

    def __call__(  # type: ignore[override]
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        pse: Any,
        atten_mask: Any,
        prefix: Any,
        ends_q: Any,
        ends_kv: Any,
    ) -> tuple[Tensor, ...]:
        """Return the output, the row maxima, the sums of exponentials and an empty placeholder."""
        check_optional_tensors(self.name, pse=pse, atten_mask=atten_mask)
        q, k, v = self._split_inputs(query, key, value)
        shape = (*q.shape[:3], k.shape[2])
        excluded = self._make_exclusion_mask(shape, atten_mask, prefix, ends_q, ends_kv)
        shift = self._make_position_bias(pse, query, shape, ends_q, ends_kv)
        output, scores = compute_attention(
            q, k, v, self.scale_value, shift, excluded, self._draw_dropout
        )
        placeholder = Cast()(Tensor(np.zeros(0, np.float32)), query.dtype)
        return (
            self._restore_layout(query, output),
            *self._compute_softmax_statistics(scores, ends_q),
            placeholder,
        )

    def _draw_dropout(self, weights: Tensor) -> Tensor:
        """Return the attention weights after dropout; the mask is drawn from the global random
        stream, unless ``keep_prob`` is 1.
        """
        if self.keep_prob == 1:
            return weights
        mask = DropoutGenMask()(weights.shape, self.keep_prob)
        return DropoutDoMask()(weights, mask, self.keep_prob)

    def _make_position_bias(
        self, pse: Tensor | None, query: Tensor, shape: tuple[int, ...], ends_q: Any, ends_kv: Any
    ) -> Tensor | None:
        """Return the bias that pse and pse_type add to the scaled scores, or None.

        In pse_type 1, which adds pse before scaling, it is scaled here.
        """
        if self.pse_type > 1:
            return self._make_alibi_bias(pse, shape, ends_q, ends_kv)
        if pse is None:
            return None
        shift = self._convert_real_shift("pse", pse, query, shape)
        return shift if self.pse_type == 0 else Mul()(shift, self.scale_value)

    def _make_alibi_bias(
        self, slopes: Tensor | None, shape: tuple[int, ...], ends_q: Any, ends_kv: Any
    ) -> Tensor:
        """Return -slope * distance for each head, query and key; in pse_type 3, -slope *
        sqrt(distance).

        Raises:
            ValueError: the slopes are None, or do not have the shape (N,) or (B, N).
        """
        rule = f"pse must be the slopes of the heads in pse_type {self.pse_type}"
        self._require(slopes is not None, rule, None)
        slopes = check_dtype(self.name, slopes, "pse", "float32")
        query_tokens, key_tokens = locate_tokens(shape[2], ends_q), locate_tokens(shape[3], ends_kv)
        batch = shape[0] if ends_q is None else to_int32(ends_q).size
        allowed = (shape[1:2], (batch, shape[1]))
        rule = f"pse must have the shape {allowed[0]} or {allowed[1]} in pse_type {self.pse_type}"
        self._require(slopes.shape in allowed, rule, slopes.shape)
        difference = Sub()(
            ExpandDims()(key_tokens.position, 0), ExpandDims()(query_tokens.position, 1)
        )
        difference = Abs()(Add()(difference, self.kv_start - self.q_start))
        distance = Cast()(difference, mstype.float32)
        if self.pse_type == 3:
            distance = Sqrt()(distance)
        # (N, T, 1): the slopes of the sequence of each query
        if ends_q is not None and slopes.ndim == 2:
            slopes = Gather()(Transpose()(slopes, (1, 0)), query_tokens.sequence, 1)
            slopes = Reshape()(slopes, (1, *slopes.shape, 1))
        else:
            slopes = Reshape()(slopes, (-1, shape[1], 1, 1))
        return Neg()(Mul()(slopes, distance))

    def count_weights(self, query: Tensor, key: Tensor, ends_q: Any, ends_kv: Any) -> Tensor:
        """Return the number of attention weights over all rows and heads, as a 0-d int64 Tensor."""
        if ends_q is not None:
            lengths_q, lengths_kv = (
                compute_lengths_from_ends(to_int32(ends)) for ends in (ends_q, ends_kv)
            )
            total = Mul()(ReduceSum()(Mul()(lengths_q, lengths_kv)), self.head_num)
            return Cast()(Reshape()(total, ()), mstype.int64)
        batch, tokens = (self.input_layout.index(axis) for axis in "BS")
        count = query.shape[batch] * self.head_num * query.shape[tokens] * key.shape[tokens]
        return Tensor(count, mstype.int64)


def speed_fusion_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    *,
    pse: Tensor | None = None,
    padding_mask: Any = None,
    atten_mask: Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tokens: int = ALL,
    next_tokens: int = ALL,
    inner_precise: int = 0,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    pse_type: int = 1,
    q_start_idx: Any = None,
    kv_start_idx: Any = None,
) -> tuple[Tensor, ...]:
    """Compute attention with dropout of the weights and an optional ALiBi position bias, for each
    head.

    This is the attention of :class:`FlashAttentionScore`, which explains layouts and sparse modes,
    but the dropout mask is drawn here. The computation is in float32; a query whose keys are all
    excluded gives 0.

    Args:
        query: (B, S, N * D) in the layout BSH, (S, B, N * D) in SBH, (B, N, S, D) in BNSD,
            (B, S, N, D) in BSND, (T, N, D) in TND; of float16, bfloat16 or float32.
        key: like ``query``, with the same number of heads or fewer.
        value: like ``key``.
        head_num: the number of query heads.
        input_layout: see ``query``.
        pse: the position bias or its slopes; see ``pse_type``.
        padding_mask: reserved; must be None.
        atten_mask: bool or uint8, true where a key is excluded.
        scale: the factor that scales the scores.
        keep_prob: the probability that a weight is kept, in (0, 1].
        pre_tokens: the number of keys before the query in the band; used in sparse mode 4 and, with
            a mask, in mode 0.
        next_tokens: the same for keys after the query.
        inner_precise: reserved.
        prefix: in sparse mode 5, the number of leading keys of each sequence that no query
            excludes.
        actual_seq_qlen: in the layout TND, the end of each sequence of queries.
        actual_seq_kvlen: the same for keys.
        sparse_mode: 0 to 5, as in FlashAttentionScore; without a mask, modes 1 to 5 act as mode 0.
        gen_mask_parallel: reserved.
        sync: reserved.
        pse_type: 0: ``pse``, (B, N, S1, S2) or (1, N, S1, S2) of the dtype of ``query``, is added
            to the scaled scores; 1: to the scores before scaling; 2: ``pse``, (N,) or (B, N) of
            float32, holds slopes, and -slope * distance of query and key is added to the scaled
            scores; 3: the same with the square root of the distance.
        q_start_idx: a list of one int: the position of the first query, in ``pse_type`` 2 and 3.
        kv_start_idx: the same for the first key.

    Returns:
        ``(attention, largest scores, sums of exponentials, empty, seed, offset, numels)``: the
        second and third are float32, (B, N, S, 8), or (T, N, 8) in TND, as in FlashAttentionScore;
        the last three are int64: the seed of the global random stream, 0, and the number of
        attention weights. Only the attention has a gradient.

    Raises:
        TypeError: the tensors do not share one of these dtypes; the mask is neither bool nor uint8;
            ``scale`` or ``keep_prob`` is not a float; an int argument is not an int.
        ValueError: a number is out of range; the shapes do not fit; an argument that the mode or
            layout requires is missing.

    Source: Dao et al., https://arxiv.org/abs/2205.14135; Press et al. (ALiBi),
    https://arxiv.org/abs/2108.12409

    >>> x = Tensor(np.ones((2, 4, 64), np.float16))
    >>> speed_fusion_attention(x, x, x, 4, "BSH")[0].shape
    (2, 4, 64)
    """
    name = "speed_fusion_attention"
    if not isinstance(scale, float):
        raise TypeError(
            checks.format_error(name, "scale", "be a float", checks.format_value(scale))
        )
    if padding_mask is not None:
        rule = "be None: no Ascend reads it"
        raise ValueError(
            checks.format_error(name, "padding_mask", rule, checks.format_value(padding_mask))
        )
    if atten_mask is None and sparse_mode in range(1, 6):
        sparse_mode, prefix = 0, None
    starts = [_parse_start(name, *start) for start in (("q", q_start_idx), ("kv", kv_start_idx))]
    attention = _SpeedFusionAttention(
        head_num, keep_prob, scale, pre_tokens, next_tokens, inner_precise, input_layout,
        sparse_mode, pse_type, *starts,
    )  # fmt: skip
    ends = actual_seq_qlen, actual_seq_kvlen
    outputs = attention(query, key, value, pse, atten_mask, prefix, *ends)
    offset = Tensor(0, mstype.int64)
    return *outputs, StreamSeed()(), offset, attention.count_weights(query, key, *ends)


def _parse_start(name: str, prefix: str, index: Any) -> int:
    """Return the start index from a tuple or list of one int, 0 for None.

    ``prefix`` is "q" or "kv", the first part of the argument's name.

    Raises:
        TypeError: the element is not an int.
        ValueError: ``index`` is not a tuple or list of one element.
    """
    if index is None:
        return 0
    if not isinstance(index, tuple | list) or len(index) != 1:
        rule = "be a tuple or list of one int"
        raise ValueError(
            checks.format_error(name, f"{prefix}_start_idx", rule, checks.format_value(index))
        )
    return checks.integer(name, f"{prefix}_start_idx[0]", index[0])


__all__ = ["speed_fusion_attention"]

attach_docstrings("minispore.ops", __name__)
