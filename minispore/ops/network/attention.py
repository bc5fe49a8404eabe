"""Attention as one op, which runs on every target; MindSpore supports it only on Ascend."""

from __future__ import annotations

import functools
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Add, FloorDiv, Mul, Sub
from minispore.ops.elementwise.bases import broadcast_to
from minispore.ops.elementwise.compare import (
    Greater,
    GreaterEqual,
    Less,
    LogicalAnd,
    LogicalOr,
    NotEqual,
)
from minispore.ops.index.gather import Gather
from minispore.ops.network.dropout import DropoutDoMask
from minispore.ops.shape.cast_fill import Cast, StopGradient
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.attention import compute_attention, compute_softmax_sums
from minispore.ops.support.derive import _Composite

ALL = 2147483647  # no limit on the number of tokens
_TRIANGLE = (2048, 2048)  # shape of the mask that represents a triangle or a band of any size
# The permutation of axes that converts each layout to (B, N, S, D).
_HEADS_SECOND = {
    "BNSD": (0, 1, 2, 3),
    "BSND": (0, 2, 1, 3),
    "BSH": (0, 2, 1, 3),
    "SBH": (1, 2, 0, 3),
}
_LAYOUTS = (*_HEADS_SECOND, "TND")


class FlashAttentionScore(_Composite):
    """softmax(scale_value * query @ key.T + real_shift) @ value for each head, without masked keys.

    Shapes are (B, S, N * D) in the layout BSH, (S, B, N * D) in SBH, (B, N, S, D) in BNSD,
    (B, S, N, D) in BSND and (T, N, D) in TND, where T is the number of tokens of all sequences. Key
    and value may have fewer heads than the query, whose heads then share them. The computation is
    in float32. A query whose keys are all excluded gives 0.

    Args:
        query: (B, S, N * D), or the shape of ``input_layout``; float16, bfloat16 or float32.
        key: like ``query``, with the same number of heads or fewer.
        value: like ``key``.
        real_shift: added to the scores, (B, N, S1, S2) or (1, N, S1, S2).
        drop_mask: uint8, with a bit set for each weight that is kept, as from ops.DropoutGenMask.
        padding_mask: reserved.
        attn_mask: bool or uint8, true for excluded keys: (B, N, S1, S2), (B, 1, S1, S2) or
            (S1, S2); in sparse modes 2 to 4 (2048, 2048), of which the content is not read.
        prefix: in sparse mode 5, the number of leading keys of each sequence that no query
            excludes.
        actual_seq_qlen: in the layout TND, the end of each sequence of queries.
        actual_seq_kvlen: in the layout TND, the end of each sequence of keys.
        head_num: the query's number of heads.
        keep_prob: the probability that a weight is kept, in (0, 1]; ``drop_mask`` selects them.
        scale_value: the factor that scales the scores.
        pre_tokens: the number of keys before the query in the band; used in sparse mode 4 and, with
            a mask, in mode 0.
        next_tokens: the number of keys after the query in the band, likewise.
        inner_precise: reserved.
        input_layout: "BSH", "SBH", "BNSD", "BSND" or "TND".
        sparse_mode: which keys a query excludes. 0: the keys masked by ``attn_mask``, and keys
            outside the band; 1: the masked keys; 2: keys after the query, with positions counted
            from the first token; 3: the same, counted from the last token; 4: keys outside the
            band, counted from the last token; 5: the masked keys and, as in 3, keys after the
            query, except the first ``prefix`` keys.

    Returns:
        ``(largest scores, sums of exponentials, a placeholder, attention)``; the first two are (B,
        N, S, 8), or (T, N, 8) in the layout TND, ordered by sequence, then head, then token, as on
        Ascend. They have no gradient.

    Raises:
        TypeError: the tensors do not share a dtype out of float16, bfloat16 and float32; a mask is
            neither bool nor uint8; ``keep_prob`` or ``scale_value`` is not a float.
        ValueError: ``input_layout`` is not one of these.
        RuntimeError: a number is out of range; shapes do not fit; an argument that the mode or
            layout requires is missing.

    Source: Dao et al., https://arxiv.org/abs/2205.14135; the behaviour of
    mindspore.ops.flash_attention_score.

    >>> x = Tensor(np.ones((2, 4, 64)), mstype.float16)
    >>> FlashAttentionScore(4)(x, x, x)[3].shape
    (2, 4, 64)
    """

    is_one_kernel = True

    head_num: int
    keep_prob: float = 1.0
    scale_value: float = 1.0
    pre_tokens: int = ALL
    next_tokens: int = ALL
    inner_precise: int = 0
    input_layout: str = "BSH"
    sparse_mode: int = 0
    mask_name: ClassVar[str] = "attn_mask"
    # As in MindSpore, for invalid numbers and shapes.
    argument_error_type: ClassVar[type[Exception]] = RuntimeError

    def check(self) -> None:
        """Check types and ranges of the attributes; the band of pre_tokens and next_tokens must not
        be empty.

        Raises:
            TypeError: an attribute is of a wrong type.
            ValueError: ``input_layout`` is unknown.
            RuntimeError: a number is out of range (``argument_error_type``).
        """
        for field in ("head_num", "pre_tokens", "next_tokens", "inner_precise", "sparse_mode"):
            checks.integer(self.name, field, getattr(self, field))
        for field in ("keep_prob", "scale_value"):
            if not isinstance(getattr(self, field), float):
                actual = checks.format_value(getattr(self, field))
                raise TypeError(checks.format_error(self.name, field, "be a float", actual))
        if self.input_layout not in _LAYOUTS:
            error = ValueError if isinstance(self.input_layout, str) else TypeError
            raise error(
                f"{self.name}: input_layout must be one of {_LAYOUTS}, got {self.input_layout!r}."
            )
        self._require(self.head_num > 0, "head_num must be >= 1", self.head_num)
        self._require(0 < self.keep_prob <= 1, "keep_prob must be in (0, 1]", self.keep_prob)
        self._require(0 <= self.sparse_mode <= 5, "sparse_mode must be 0 to 5", self.sparse_mode)
        band = self.pre_tokens, self.next_tokens
        self._require(
            sum(band) >= 0, "pre_tokens and next_tokens must leave a band between them", band
        )

    def _require(self, is_valid: bool, rule: str, actual: Any) -> None:
        """Raise an ``argument_error_type`` with ``rule`` and ``actual`` unless ``is_valid``."""
        if not is_valid:
            raise self.argument_error_type(f"{self.name}: {rule}, got {actual}.")

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        real_shift: Any = None,
        drop_mask: Any = None,
        padding_mask: Any = None,
        attn_mask: Any = None,
        prefix: Any = None,
        actual_seq_qlen: Any = None,
        actual_seq_kvlen: Any = None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return row maxima, sums of exponentials, a placeholder (a zero), and the output in the
        layout of ``query``.

        The exceptions are those of the class.
        """
        check_optional_tensors(
            self.name,
            real_shift=real_shift,
            drop_mask=drop_mask,
            padding_mask=padding_mask,
            attn_mask=attn_mask,
        )
        self._require(padding_mask is None, "padding_mask must be None: no Ascend reads it", "one")
        q, k, v = self._split_inputs(query, key, value)
        batch, heads, queries, _ = q.shape
        shape = (batch, heads, queries, k.shape[2])
        excluded = self._make_exclusion_mask(
            shape, attn_mask, prefix, actual_seq_qlen, actual_seq_kvlen
        )
        shift = None
        if real_shift is not None:
            shift = self._convert_real_shift("real_shift", real_shift, query, shape)
        output, scores = compute_attention(
            q, k, v, self.scale_value, shift, excluded, lambda w: self._apply_dropout(w, drop_mask)
        )
        placeholder = Cast()(Tensor(np.zeros(1, np.float32)), query.dtype)
        return (
            *self._compute_softmax_statistics(scores, actual_seq_qlen),
            placeholder,
            self._restore_layout(query, output),
        )

    def _compute_softmax_statistics(self, scores: Tensor, ends: Any) -> tuple[Tensor, Tensor]:
        """Return the row maxima and the sums of exponentials of the scores, without gradients.

        Each number is repeated 8 times along a new last axis: (B, N, S, 8), or (T, N, 8) in the
        layout TND, where ``ends`` are the ends of the sequences.
        """
        statistics = [StopGradient()(x) for x in compute_softmax_sums(scores)]
        if self.input_layout == "TND":
            heads, tokens = scores.shape[1:3]
            rows, shape = (
                _make_sequence_major_indices(heads, tokens, to_int32(ends)),
                (tokens, heads, 1),
            )
            statistics = [Reshape()(Gather()(x.reshape(-1), rows, 0), shape) for x in statistics]
        largest, sums = (broadcast_to(x, (*x.shape[:-1], 8)) for x in statistics)
        return largest, sums

    def _split_inputs(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """Check query, key and value and return them as float32 (B, N, S, D).

        Raises:
            TypeError: a dtype is not supported, or they differ.
            RuntimeError: the shapes do not fit (``argument_error_type``).
        """
        inputs, heads = {"query": query, "key": key, "value": value}, []
        axes = len(self.input_layout) if self.input_layout != "TND" else 3
        for name, x in inputs.items():
            check_dtype(self.name, x, name, "float16", "bfloat16", "float32")
            if x.dtype is not query.dtype:
                raise TypeError(
                    f"{self.name}: {name} must be of the dtype of query, got {x.dtype} for "
                    f"{query.dtype}. Cast it."
                )
            rule = f"{name} must have the {axes} axes of {self.input_layout}"
            self._require(x.ndim == axes, rule, f"shape {x.shape}")
            heads.append(self._to_bnsd(Cast()(x, mstype.float32), self._get_head_length(query)))
        q, k, v = heads
        fits = q.shape[1] == self.head_num and not q.shape[1] % k.shape[1] and k.shape == v.shape
        self._require(
            fits and q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3],
            f"query must have head_num={self.head_num} heads, key and value one shape with as many "
            "or a divisor of it, and all one batch and length of heads",
            ", ".join(f"{name} {x.shape}" for name, x in inputs.items()),
        )
        return heads

    def _get_head_length(self, query: Tensor) -> int:
        """Return the length of one head.

        Raises an ``argument_error_type`` if the heads share an axis that ``head_num`` does not
        divide.
        """
        if self.input_layout not in ("BSH", "SBH"):
            return query.shape[-1]
        actual = f"{self.head_num} for {query.shape}"
        fits = not query.shape[-1] % self.head_num
        self._require(fits, "head_num must divide the last axis of query", actual)
        return query.shape[-1] // self.head_num

    def _to_bnsd(self, x: Tensor, width: int) -> Tensor:
        """Transpose x from the input layout to (B, N, S, D), with heads of ``width`` elements.

        Raises an ``argument_error_type`` if the last axis of BSH or SBH does not consist of such
        heads.
        """
        if self.input_layout == "TND":
            return ExpandDims()(Transpose()(x, (1, 0, 2)), 0)
        if x.ndim == 3:
            rule = f"key and value must have heads of the length {width}, as query"
            self._require(not x.shape[-1] % width, rule, f"shape {x.shape}")
            x = Reshape()(x, (*x.shape[:2], -1, width))
        return Transpose()(x, _HEADS_SECOND[self.input_layout])

    def _restore_layout(self, query: Tensor, output: Tensor) -> Tensor:
        """Transpose a (B, N, S, D) output to the layout of ``query`` and cast it to its dtype."""
        output = Cast()(output, query.dtype)
        if self.input_layout == "TND":
            return Transpose()(Reshape()(output, output.shape[1:]), (1, 0, 2))
        permutation = tuple(np.argsort(_HEADS_SECOND[self.input_layout]).tolist())
        output = Transpose()(output, permutation)
        return output if query.ndim == 4 else Reshape()(output, (*output.shape[:2], -1))

    def _convert_real_shift(
        self, name: str, shift: Tensor, query: Tensor, shape: tuple[int, ...]
    ) -> Tensor:
        """Return the additive bias as float32, after checking its dtype and that it is ``shape`` or
        (1, *shape[1:]).

        ``name`` is the argument's name for errors. Raises a TypeError, or an
        ``argument_error_type`` for a wrong shape.
        """
        if shift.dtype is not query.dtype:
            raise TypeError(
                f"{self.name}: {name} must be of the dtype of query, got {shift.dtype} for "
                f"{query.dtype}. Cast it."
            )
        self._require(
            shift.shape in (shape, (1, *shape[1:])),
            f"{name} must have the shape {shape} or {(1, *shape[1:])} (ALiBi's last 1024 rows "
            "alone are not taken here: pass them all)",
            shift.shape,
        )
        return Cast()(shift, mstype.float32)

    def _apply_dropout(self, weights: Tensor, drop_mask: Tensor | None) -> Tensor:
        """Apply ``drop_mask`` to the attention weights; with a keep_prob of 1 return them
        unchanged.

        Raises an ``argument_error_type`` if keep_prob is below 1 and there is no mask, or the
        layout is TND.
        """
        if self.keep_prob == 1:
            return weights
        rule = "keep_prob must be 1 without a drop_mask (ops.DropoutGenMask makes one), and in TND"
        self._require(drop_mask is not None and self.input_layout != "TND", rule, self.keep_prob)
        assert drop_mask is not None
        return DropoutDoMask()(weights, Reshape()(drop_mask, (-1,)), self.keep_prob)

    # -- keys excluded by masks -------------------------------------------------------------------

    def _make_exclusion_mask(
        self, shape: tuple[int, ...], mask: Tensor | None, prefix: Any, ends_q: Any, ends_k: Any
    ) -> Tensor | None:
        """Return a mask that is True for excluded keys and broadcasts to ``shape``; None if no key
        is excluded.

        The mask combines attn_mask, sequence bounds, the band and the prefix according to
        sparse_mode. Raises ``argument_error_type`` if these arguments contradict the mode or the
        layout.
        """
        mode, has_sequences = self.sparse_mode, self.input_layout == "TND"
        rule = f"attn_mask must be given in sparse_mode {mode}"
        self._require(not mode or mask is not None, rule, None)
        if mask is not None:
            self._check_mask(mask, shape)
        rule = "prefix must be given in sparse_mode 5 alone"
        self._require((mode == 5) == (prefix is not None), rule, f"{prefix!r} in mode {mode}")
        self._require(
            {end is not None for end in (ends_q, ends_k)} == {has_sequences},
            "actual_seq_qlen and actual_seq_kvlen must be given in the layout TND alone",
            f"{ends_q!r} and {ends_k!r} in {self.input_layout}",
        )
        query_tokens, key_tokens = locate_tokens(shape[2], ends_q), locate_tokens(shape[3], ends_k)
        # Key position minus query position.
        distance = Sub()(_as_row(key_tokens.position), _as_column(query_tokens.position))
        if mode > 2:  # the last query and the last key have distance 0
            excess = Sub()(_as_row(key_tokens.length), _as_column(query_tokens.length))
            distance = Sub()(distance, excess)
        masks: list[Tensor] = []
        if has_sequences:
            query_sequences, key_sequences = query_tokens.sequence, key_tokens.sequence
            masks.append(NotEqual()(_as_column(query_sequences), _as_row(key_sequences)))
        if mode in (2, 3):
            masks.append(Greater()(distance, 0))
        if mode == 4 or (mode == 0 and mask is not None):
            masks += self._make_band_masks(distance, shape)
        if mode in (0, 1, 5) and mask is not None:
            masks.append(Cast()(mask, mstype.bool_))
        if mode == 5:
            prefix_length = Reshape()(to_int32(prefix), (-1, 1, 1, 1))
            is_past_prefix = GreaterEqual()(_as_row(key_tokens.position), prefix_length)
            masks.append(LogicalAnd()(Greater()(distance, 0), is_past_prefix))
        return functools.reduce(LogicalOr(), masks) if masks else None

    def _make_band_masks(self, distance: Tensor, shape: tuple[int, ...]) -> list[Tensor]:
        """Return masks of the keys outside the band of pre_tokens and next_tokens: none, one or
        two.

        ``distance`` (queries, keys) is key position minus query position. A side of the band that
        lies beyond all distances has no mask.
        """
        masks, longest = [], max(shape[2:])
        if self.next_tokens < longest:
            masks.append(Greater()(distance, self.next_tokens))
        if self.pre_tokens < longest:
            masks.append(Less()(distance, -self.pre_tokens))
        return masks

    def _check_mask(self, mask: Tensor, shape: tuple[int, ...]) -> None:
        """Check that the attention mask has a valid dtype and a shape that sparse_mode allows.

        Raises a TypeError for another dtype than bool and uint8, and an ``argument_error_type`` for
        a shape.
        """
        if mask.dtype not in (mstype.bool_, mstype.uint8):
            raise TypeError(
                f"{self.name}: {self.mask_name} must be of bool or uint8, got {mask.dtype}. "
                "Cast it."
            )
        batch, _, queries, keys = shape
        allowed: tuple[tuple[int, ...], ...] = (shape, (batch, 1, queries, keys))
        if self.sparse_mode in (2, 3, 4):
            allowed = (_TRIANGLE,)
        elif self.sparse_mode != 5:
            allowed = (*allowed, (queries, keys))
        shapes = " or ".join(map(str, allowed))
        rule = f"{self.mask_name} must have the shape {shapes} in sparse_mode {self.sparse_mode}"
        self._require(mask.shape in allowed, rule, mask.shape)


class TokenPositions(NamedTuple):
    """The position of each token of packed sequences, and the sequence that contains it; three
    int32 vectors.

    Attributes:
        position: the position of the token in its sequence.
        sequence: the index of that sequence.
        length: the length of that sequence.
    """

    position: Tensor
    sequence: Tensor
    length: Tensor


def locate_tokens(count: int, ends: Any) -> TokenPositions:
    """Locate ``count`` tokens in the sequences that end at ``ends``; None means a single sequence.

    ``ends`` holds the ascending end offset of each sequence. The results are int32 vectors of
    ``count`` elements.
    """
    position = Tensor(np.arange(count, dtype=np.int32))
    if ends is None:
        return TokenPositions(
            position, Tensor(np.zeros(count, np.int32)), Tensor(np.full(count, count, np.int32))
        )
    ends = to_int32(ends)
    # (tokens, sequences): whether the sequence has ended before the token
    has_ended = GreaterEqual()(_as_column(position), _as_row(ends))
    sequence = ReduceSum()(Cast()(has_ended, mstype.int32), 1)
    lengths = compute_lengths_from_ends(ends)
    starts = Gather()(Sub()(ends, lengths), sequence, 0)
    length = Gather()(lengths, sequence, 0)
    return TokenPositions(Sub()(position, starts), sequence, length)


def _make_sequence_major_indices(heads: int, tokens: int, ends: Tensor) -> Tensor:
    """Return flat indices that gather an array (heads, tokens) by sequence, then head, then
    token.
    """
    rows = locate_tokens(heads * tokens, Mul()(ends, heads))  # one row per head and token
    length = Gather()(compute_lengths_from_ends(ends), rows.sequence, 0)
    start = Sub()(Gather()(ends, rows.sequence, 0), length)
    head = FloorDiv()(rows.position, length)
    token = Add()(start, Sub()(rows.position, Mul()(head, length)))
    return Add()(Mul()(head, tokens), token)


def compute_lengths_from_ends(ends: Tensor) -> Tensor:
    """Return the lengths of consecutive sequences from their end offsets, an int32 vector."""
    return Sub()(ends, Concat()((Tensor(np.zeros(1, np.int32)), ends[:-1])))


def to_int32(x: Any) -> Tensor:
    """Convert a tensor or a sequence of ints to an int32 Tensor."""
    return Cast()(x if isinstance(x, Tensor) else Tensor(np.array(x, np.int32)), mstype.int32)


def _as_row(x: Tensor) -> Tensor:
    """Return a vector as a matrix of one row."""
    return ExpandDims()(x, 0)


def _as_column(x: Tensor) -> Tensor:
    """Return a vector as a matrix of one column."""
    return ExpandDims()(x, 1)


# -- functions -------------------------------------------------------------------------------------


def flash_attention_score(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = ALL,
    next_tokens: int = ALL,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Tensor:
    """Return the attention of :class:`FlashAttentionScore`, in the shape and dtype of ``query``.

    The other outputs of the op are dropped; the other arguments and the exceptions are the same.

    Args:
        scalar_value: the factor that scales the scores.

    >>> x = Tensor(np.ones((2, 4, 64)), mstype.float16)
    >>> flash_attention_score(x, x, x, 4).shape
    (2, 4, 64)
    """
    attention = FlashAttentionScore(
        head_num, keep_prob, scalar_value, pre_tokens, next_tokens, inner_precise, input_layout,
        sparse_mode,
    )  # fmt: skip
    return attention(
        query, key, value, real_shift, drop_mask, padding_mask, attn_mask, prefix,
        actual_seq_qlen, actual_seq_kvlen,
    )[3]  # fmt: skip


__all__ = ["FlashAttentionScore", "flash_attention_score"]
