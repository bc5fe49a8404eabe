"""Attention as one op, which MindSpore has on Ascends alone; here it runs on every target."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
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
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.shape.whole import Cast, StopGradient
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.attention import compute_attention, compute_softmax_sums
from minispore.ops.support.derive import _Composite

ALL = 2147483647  # as many tokens as there are
_TRIANGLE = (2048, 2048)  # the mask that stands for a triangle or a band of any size
# Each layout of four axes as the one with the heads second.
_HEADS_SECOND = {
    "BNSD": (0, 1, 2, 3),
    "BSND": (0, 2, 1, 3),
    "BSH": (0, 2, 1, 3),
    "SBH": (1, 2, 0, 3),
}
_LAYOUTS = (*_HEADS_SECOND, "TND")


class FlashAttentionScore(_Composite):
    """softmax(scale_value * query @ key.T + real_shift, of the keys that count) @ value, of each
    head.

    Shapes are (B, S, N * D) in the layout BSH, (S, B, N * D) in SBH, (B, N, S, D) in BNSD,
    (B, S, N, D) in BSND and (T, N, D) in TND, where T are the tokens of all sequences. Key and
    value may have fewer heads, which those of the query share. It computes in float32; a query of
    which no key counts gives 0.

    Args:
        query: (B, S, N * D), or as ``input_layout`` says, of float16, bfloat16 or float32.
        key: of as many or fewer heads.
        value: like ``key``.
        real_shift: what is added to the scores, (B, N, S1, S2) or (1, N, S1, S2).
        drop_mask: the bits of the weights that are kept, uint8, as ops.DropoutGenMask makes them.
        padding_mask: reserved.
        attn_mask: bool or uint8, true where a key does not count: (B, N, S1, S2), (B, 1, S1, S2) or
            (S1, S2), and (2048, 2048) in sparse modes 2 to 4, where it stands for the triangle.
        prefix: in sparse mode 5, how many keys count in each sequence whatever the query.
        actual_seq_qlen: in the layout TND, where each sequence of queries ends.
        actual_seq_kvlen: the same of keys.
        head_num: heads of the query.
        keep_prob: how probable it is that a weight is kept, in (0, 1]; ``drop_mask`` says which
            are.
        scale_value: the factor of the scores.
        pre_tokens: how many keys before the query count, in sparse mode 4 and, with a mask, in 0.
        next_tokens: the same, behind it.
        inner_precise: reserved.
        input_layout: see above.
        sparse_mode: which keys of a query do not count. 0: those of ``attn_mask``, and those out
            of ``pre_tokens`` and ``next_tokens``; 1: those of the mask; 2: those behind the query,
            both counted from the first; 3: the same, counted from the last; 4: those out of the
            band, counted from the last; 5: those of the mask and, as 3, those behind the query, but
            for the first ``prefix``.

    Returns:
        ``(largest scores, sums of exponentials, nothing, attention)``; the first two (B, N, S, 8),
        in the layout TND (T, N, 8), where sequence by sequence all its first heads lie before its
        second ones, as on an Ascend. They are not differentiated.

    Raises:
        TypeError: the tensors are not of one dtype, float16, bfloat16 or float32; a mask is not of
            bool or uint8; ``keep_prob`` or ``scale_value`` is no float.
        ValueError: another ``input_layout``.
        RuntimeError: a number out of range; shapes that do not fit; what the mode or the layout
            asks for is missing.

    Source: Dao et al., https://arxiv.org/abs/2205.14135; the behaviour of
    mindspore.ops.flash_attention_score.

    >>> x = Tensor(np.ones((2, 4, 64)), mstype.float16)
    >>> FlashAttentionScore(4)(x, x, x)[3].shape
    (2, 4, 64)
    """

    head_num: int
    keep_prob: float = 1.0
    scale_value: float = 1.0
    pre_tokens: int = ALL
    next_tokens: int = ALL
    inner_precise: int = 0
    input_layout: str = "BSH"
    sparse_mode: int = 0
    mask_name: ClassVar[str] = "attn_mask"
    refusal: ClassVar[type[Exception]] = RuntimeError  # what MindSpore has for numbers and shapes

    def check(self) -> None:
        for field in ("head_num", "pre_tokens", "next_tokens", "inner_precise", "sparse_mode"):
            checks.integer(self.name, field, getattr(self, field))
        for field in ("keep_prob", "scale_value"):
            if not isinstance(getattr(self, field), float):
                said = checks.format_value(getattr(self, field))
                raise TypeError(checks.format_error(self.name, field, "be a float", said))
        if self.input_layout not in _LAYOUTS:
            kind = ValueError if isinstance(self.input_layout, str) else TypeError
            raise kind(
                f"{self.name}: input_layout must be one of {_LAYOUTS}, got {self.input_layout!r}."
            )
        self._must(self.head_num > 0, "head_num must be >= 1", self.head_num)
        self._must(0 < self.keep_prob <= 1, "keep_prob must be in (0, 1]", self.keep_prob)
        self._must(0 <= self.sparse_mode <= 5, "sparse_mode must be 0 to 5", self.sparse_mode)
        band = self.pre_tokens, self.next_tokens
        self._must(
            sum(band) >= 0, "pre_tokens and next_tokens must leave a band between them", band
        )

    def _must(self, good: bool, rule: str, got: Any) -> None:
        if not good:
            raise self.refusal(f"{self.name}: {rule}, got {got}.")

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
        check_optional_tensors(
            self.name,
            real_shift=real_shift,
            drop_mask=drop_mask,
            padding_mask=padding_mask,
            attn_mask=attn_mask,
        )
        self._must(padding_mask is None, "padding_mask must be None: no Ascend reads it", "one")
        q, k, v = self._heads(query, key, value)
        batch, heads, queries, _ = q.shape
        shape = (batch, heads, queries, k.shape[2])
        dropped = self._dropped(shape, attn_mask, prefix, actual_seq_qlen, actual_seq_kvlen)
        shift = None if real_shift is None else self._shift("real_shift", real_shift, query, shape)
        made, scores = compute_attention(
            q, k, v, self.scale_value, shift, dropped, lambda w: self._kept(w, drop_mask)
        )
        nothing = Cast()(Tensor(np.zeros(1, np.float32)), query.dtype)
        return *self._sums(scores, actual_seq_qlen), nothing, self._laid_as(query, made)

    def _sums(self, scores: Tensor, ends: Any) -> tuple[Tensor, Tensor]:
        """The largest scores and the sums of exponentials, as often as a core reads one."""
        made = [StopGradient()(x) for x in compute_softmax_sums(scores)]
        if self.input_layout == "TND":
            heads, tokens = scores.shape[1:3]
            rows, shape = _heads_of_sequences(heads, tokens, integers(ends)), (tokens, heads, 1)
            made = [Reshape()(Gather()(x.reshape(-1), rows, 0), shape) for x in made]
        largest, sums = (broadcast_to(x, (*x.shape[:-1], 8)) for x in made)
        return largest, sums

    def _heads(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """Query, key and value as (B, N, S, D), of float32."""
        given, heads = {"query": query, "key": key, "value": value}, []
        axes = len(self.input_layout) if self.input_layout != "TND" else 3
        for name, x in given.items():
            check_dtype(self.name, x, name, "float16", "bfloat16", "float32")
            if x.dtype is not query.dtype:
                raise TypeError(
                    f"{self.name}: {name} must be of the dtype of query, got {x.dtype} for "
                    f"{query.dtype}. Cast it."
                )
            rule = f"{name} must have the {axes} axes of {self.input_layout}"
            self._must(x.ndim == axes, rule, f"shape {x.shape}")
            heads.append(self._heads_second(Cast()(x, mstype.float32), self._width(query)))
        q, k, v = heads
        fits = q.shape[1] == self.head_num and not q.shape[1] % k.shape[1] and k.shape == v.shape
        self._must(
            fits and q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3],
            f"query must have head_num={self.head_num} heads, key and value one shape with as many "
            "or a divisor of it, and all one batch and length of heads",
            ", ".join(f"{name} {x.shape}" for name, x in given.items()),
        )
        return heads

    def _width(self, query: Tensor) -> int:
        """The length of a head."""
        if self.input_layout not in ("BSH", "SBH"):
            return query.shape[-1]
        said = f"{self.head_num} for {query.shape}"
        fits = not query.shape[-1] % self.head_num
        self._must(fits, "head_num must divide the last axis of query", said)
        return query.shape[-1] // self.head_num

    def _heads_second(self, x: Tensor, width: int) -> Tensor:
        if self.input_layout == "TND":
            return ExpandDims()(Transpose()(x, (1, 0, 2)), 0)
        if x.ndim == 3:
            rule = f"key and value must have heads of the length {width}, as query"
            self._must(not x.shape[-1] % width, rule, f"shape {x.shape}")
            x = Reshape()(x, (*x.shape[:2], -1, width))
        return Transpose()(x, _HEADS_SECOND[self.input_layout])

    def _laid_as(self, query: Tensor, made: Tensor) -> Tensor:
        """(B, N, S, D) as the query lies, in its dtype."""
        made = Cast()(made, query.dtype)
        if self.input_layout == "TND":
            return Transpose()(Reshape()(made, made.shape[1:]), (1, 0, 2))
        back = tuple(np.argsort(_HEADS_SECOND[self.input_layout]).tolist())
        made = Transpose()(made, back)
        return made if query.ndim == 4 else Reshape()(made, (*made.shape[:2], -1))

    def _shift(self, name: str, shift: Tensor, query: Tensor, shape: tuple[int, ...]) -> Tensor:
        if shift.dtype is not query.dtype:
            raise TypeError(
                f"{self.name}: {name} must be of the dtype of query, got {shift.dtype} for "
                f"{query.dtype}. Cast it."
            )
        self._must(
            shift.shape in (shape, (1, *shape[1:])),
            f"{name} must have the shape {shape} or {(1, *shape[1:])} (ALiBi's last 1024 rows "
            "alone are not taken here: pass them all)",
            shift.shape,
        )
        return Cast()(shift, mstype.float32)

    def _kept(self, weights: Tensor, drop_mask: Tensor | None) -> Tensor:
        if self.keep_prob == 1:
            return weights
        rule = "keep_prob must be 1 without a drop_mask (ops.DropoutGenMask makes one), and in TND"
        self._must(drop_mask is not None and self.input_layout != "TND", rule, self.keep_prob)
        assert drop_mask is not None
        return DropoutDoMask()(weights, Reshape()(drop_mask, (-1,)), self.keep_prob)

    # -- which keys do not count ------------------------------------------------------------------

    def _dropped(
        self, shape: tuple[int, ...], mask: Tensor | None, prefix: Any, ends_q: Any, ends_k: Any
    ) -> Tensor | None:
        """True where a key does not count, in a shape that broadcasts to ``shape``."""
        mode, sequences = self.sparse_mode, self.input_layout == "TND"
        rule = f"attn_mask must be given in sparse_mode {mode}"
        self._must(not mode or mask is not None, rule, None)
        if mask is not None:
            self._check_mask(mask, shape)
        rule = "prefix must be given in sparse_mode 5 alone"
        self._must((mode == 5) == (prefix is not None), rule, f"{prefix!r} in mode {mode}")
        self._must(
            {end is not None for end in (ends_q, ends_k)} == {sequences},
            "actual_seq_qlen and actual_seq_kvlen must be given in the layout TND alone",
            f"{ends_q!r} and {ends_k!r} in {self.input_layout}",
        )
        at, to = counted(shape[2], ends_q), counted(shape[3], ends_k)
        ahead = Sub()(_row(to.place), _column(at.place))  # how far behind the query a key is
        if mode > 2:
            ahead = Sub()(ahead, Sub()(_row(to.length), _column(at.length)))
        found: list[Tensor] = []
        if sequences:
            found.append(NotEqual()(_column(at.sequence), _row(to.sequence)))
        if mode in (2, 3):
            found.append(Greater()(ahead, 0))
        if mode == 4 or (mode == 0 and mask is not None):
            found += self._out_of_band(ahead, shape)
        if mode in (0, 1, 5) and mask is not None:
            found.append(Cast()(mask, mstype.bool_))
        if mode == 5:
            first = Reshape()(integers(prefix), (-1, 1, 1, 1))
            beyond = GreaterEqual()(_row(to.place), first)
            found.append(LogicalAnd()(Greater()(ahead, 0), beyond))
        dropped = found[0] if found else None
        for more in found[1:]:
            dropped = LogicalOr()(dropped, more)
        return dropped

    def _out_of_band(self, ahead: Tensor, shape: tuple[int, ...]) -> list[Tensor]:
        far = max(shape[2:])
        return [
            *([Greater()(ahead, self.next_tokens)] if self.next_tokens < far else []),
            *([Less()(ahead, -self.pre_tokens)] if self.pre_tokens < far else []),
        ]

    def _check_mask(self, mask: Tensor, shape: tuple[int, ...]) -> None:
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
        self._must(mask.shape in allowed, rule, mask.shape)


class Counted(NamedTuple):
    """Tokens, counted in their sequences.

    Attributes:
        place: of each token in its sequence.
        sequence: the number of the sequence.
        length: of the sequence.
    """

    place: Tensor
    sequence: Tensor
    length: Tensor


def counted(count: int, ends: Any) -> Counted:
    """``count`` tokens of sequences that end at ``ends``, or of one sequence."""
    place = Tensor(np.arange(count, dtype=np.int32))
    if ends is None:
        return Counted(
            place, Tensor(np.zeros(count, np.int32)), Tensor(np.full(count, count, np.int32))
        )
    ends = integers(ends)
    before = GreaterEqual()(_column(place), _row(ends))  # (tokens, sequences): ended by then
    sequence = ReduceSum()(Cast()(before, mstype.int32), 1)
    lengths = lengths_of(ends)
    starts = Gather()(Sub()(ends, lengths), sequence, 0)
    length = Gather()(lengths, sequence, 0)
    return Counted(Sub()(place, starts), sequence, length)


def _heads_of_sequences(heads: int, tokens: int, ends: Tensor) -> Tensor:
    """Where of (heads, tokens) what is told of a sequence lies: head by head, one sequence after
    the other.
    """
    row = counted(heads * tokens, Mul()(ends, heads))  # of all heads of a sequence
    length = Gather()(lengths_of(ends), row.sequence, 0)
    start = Sub()(Gather()(ends, row.sequence, 0), length)
    head = FloorDiv()(row.place, length)
    token = Add()(start, Sub()(row.place, Mul()(head, length)))
    return Add()(Mul()(head, tokens), token)


def lengths_of(ends: Tensor) -> Tensor:
    """The lengths of sequences that end there."""
    return Sub()(ends, Concat()((Tensor(np.zeros(1, np.int32)), ends[:-1])))


def integers(x: Any) -> Tensor:
    return Cast()(x if isinstance(x, Tensor) else Tensor(np.array(x, np.int32)), mstype.int32)


def _row(x: Tensor) -> Tensor:
    return ExpandDims()(x, 0)


def _column(x: Tensor) -> Tensor:
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
    """The attention of :class:`FlashAttentionScore`, in the shape and dtype of ``query``.

    Args:
        scalar_value: the factor of the scores.

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
