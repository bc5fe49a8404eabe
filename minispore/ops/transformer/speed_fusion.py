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
    """The seed of the global random stream as int64; 0 if none was set.

    >>> bool(StreamSeed()() >= 0)
    True
    """

    effect = Effect.EXTERNAL

    def infer(self) -> Spec:
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
        """Return the output, row maxima, sums of exponentials and an empty placeholder."""
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
        """Apply dropout with a newly drawn mask to the attention weights, unless all are kept."""
        if self.keep_prob == 1:
            return weights
        mask = DropoutGenMask()(weights.shape, self.keep_prob)
        return DropoutDoMask()(weights, mask, self.keep_prob)

    def _make_position_bias(
        self, pse: Tensor | None, query: Tensor, shape: tuple[int, ...], ends_q: Any, ends_kv: Any
    ) -> Tensor | None:
        """Return the bias that pse and pse_type add to the scaled scores, or None."""
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
        """Return the number of attention weights over all heads."""
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
    """Attention with dropout of the weights and an optional ALiBi position bias, for each head.

    It is the attention of :class:`FlashAttentionScore`, which explains layouts and sparse modes,
    but draws the dropout mask itself. It computes in float32; a query whose keys are all excluded
    gives 0.

    Args:
        query: (B, S, N * D) in the layout BSH, (S, B, N * D) in SBH, (B, N, S, D) in BNSD,
            (B, S, N, D) in BSND, (T, N, D) in TND; of float16, bfloat16 or float32.
        key: of as many or fewer heads.
        value: like ``key``.
        head_num: heads of the query.
        input_layout: see ``query``.
        pse: positions; see ``pse_type``.
        padding_mask: reserved.
        atten_mask: bool or uint8, true where a key does not count.
        scale: the factor of the scores.
        keep_prob: how probable it is that a weight is kept, in (0, 1].
        pre_tokens: how many keys before the query count, in sparse mode 4 and, with a mask, in 0.
        next_tokens: the same, behind it.
        inner_precise: reserved.
        prefix: in sparse mode 5, how many keys count in each sequence whatever the query.
        actual_seq_qlen: in the layout TND, where each sequence of queries ends.
        actual_seq_kvlen: the same of keys.
        sparse_mode: 0 to 5, as in FlashAttentionScore; without a mask all keys count.
        gen_mask_parallel: reserved.
        sync: reserved.
        pse_type: 0: ``pse``, (B, N, S1, S2) or (1, N, S1, S2) of the dtype of ``query``, is added
            to the scaled scores; 1: to the scores before they are scaled; 2: ``pse``, (N,) or
            (B, N) of float32, are slopes, and minus the distance of query and key times the slope
            is added to the scaled scores; 3: the same with the root of the distance.
        q_start_idx: one int: where the first query stands, in ``pse_type`` 2 and 3.
        kv_start_idx: the same of the first key.

    Returns:
        ``(attention, largest scores, sums of exponentials, nothing, seed, offset, numels)``: the
        second and third (B, N, S, 8), in TND (T, N, 8), of float32, as FlashAttentionScore makes
        them; the last three int64, the seed that the common stream of random numbers started
        from, 0, and how many weights there are. The attention alone is differentiated.

    Raises:
        TypeError: the tensors are not of one such dtype; the mask is not of bool or uint8;
            ``scale`` or ``keep_prob`` is no float; an int is none.
        ValueError: a number out of range; shapes that do not fit; what the mode or the layout asks
            for is missing.

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
    """Return the start index from a tuple or list of one int, 0 for None."""
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
