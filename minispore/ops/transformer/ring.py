"""Ring attention: merges the attention outputs over two parts of the keys."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Add, Mul, RealDiv, Sub
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.powers import Exp
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_dtype, check_tensors

_NAME = "ring_attention_update"


def ring_attention_update(
    prev_attn_out: Tensor,
    prev_softmax_max: Tensor,
    prev_softmax_sum: Tensor,
    cur_attn_out: Tensor,
    cur_softmax_max: Tensor,
    cur_softmax_sum: Tensor,
    actual_seq_qlen: Any = None,
    layout: str = "SBH",
) -> tuple[Tensor, Tensor, Tensor]:
    """Merge the attention outputs over two parts of the keys into the output over all keys.

    Args:
        prev_attn_out: the attention output over the first keys, (S, B, N * D), or (T, N, D) in the
            layout TND, of float16, bfloat16 or float32.
        prev_softmax_max: its largest scores, (B, N, S, 8), or (T, N, 8), of float32.
        prev_softmax_sum: its sums of exponentials, of that shape.
        cur_attn_out: the attention output over the other keys.
        cur_softmax_max: its largest scores.
        cur_softmax_sum: its sums of exponentials.
        actual_seq_qlen: in the layout TND, the end of each sequence, starting with 0.
        layout: SBH or TND.

    Returns:
        ``(attention, largest scores, sums)`` over all keys, in the shapes and dtypes of the first
        part.

    Raises:
        TypeError: an argument is not a Tensor, or has the wrong dtype.
        ValueError: ``layout`` is invalid; the shapes do not fit.
        RuntimeError: in TND, ``actual_seq_qlen`` is missing, or D is not a multiple of 64.

    Source: Liu et al., https://arxiv.org/abs/2310.01889

    >>> out, sums = Tensor([[[1.0, 2.0]]]), Tensor([[[[1.0] * 8]]])
    >>> made, _, total = ring_attention_update(out, sums, sums, out * 3, sums, sums)
    >>> print(made, total.asnumpy()[0, 0, 0, 0])
    [[[2. 4.]]] 2.0
    """
    inputs = {
        "prev_attn_out": prev_attn_out, "prev_softmax_max": prev_softmax_max,
        "prev_softmax_sum": prev_softmax_sum, "cur_attn_out": cur_attn_out,
        "cur_softmax_max": cur_softmax_max, "cur_softmax_sum": cur_softmax_sum,
    }  # fmt: skip
    check_tensors(_NAME, **inputs)
    checks.one_of(_NAME, "layout", checks.string(_NAME, "layout", layout), ("SBH", "TND"))
    out = prev_attn_out
    check_dtype(_NAME, out, "prev_attn_out", "float16", "bfloat16", "float32")
    for name, x in inputs.items():
        previous = inputs[f"prev{name[name.index('_') :]}"]
        if x.dtype is not previous.dtype:
            rule = f"be of the dtype {previous.dtype} of its first part"
            raise TypeError(checks.format_error(_NAME, name, rule, str(x.dtype)))
        rule = f"be of the shape {previous.shape} of its first part"
        _require_shape(name, rule, x, x.shape == previous.shape)
    _require_shape("prev_attn_out", "have 3 axes", out, out.ndim == 3)
    head_shape = _compute_head_shape(out, prev_softmax_max, layout, actual_seq_qlen)
    _require_shape("prev_softmax_sum", "be like prev_softmax_max", prev_softmax_sum,
          prev_softmax_sum.shape == prev_softmax_max.shape)  # fmt: skip
    largest = Maximum()(prev_softmax_max, cur_softmax_max)
    weights = [
        Mul()(sums, Exp()(Sub()(maxima, largest)))
        for maxima, sums in (
            (prev_softmax_max, prev_softmax_sum), (cur_softmax_max, cur_softmax_sum),
        )
    ]  # fmt: skip
    total = Add()(*weights)
    terms = [
        Mul()(Cast()(Reshape()(x, head_shape), mstype.float32),
             _match_head_layout(RealDiv()(weight, total), layout))
        for x, weight in zip((prev_attn_out, cur_attn_out), weights, strict=True)
    ]  # fmt: skip
    merged = Reshape()(Add()(*terms), out.shape)
    return Cast()(merged, out.dtype), largest, total


def _require_shape(name: str, rule: str, x: Tensor, is_valid: bool) -> None:
    """Raise a ValueError about the shape of x, the argument ``name``, unless ``is_valid``; ``rule``
    says what it must be.
    """
    if not is_valid:
        raise ValueError(checks.format_error(_NAME, name, rule, f"shape {x.shape}"))


def _compute_head_shape(out: Tensor, sums: Tensor, layout: str, ends: Any) -> tuple[int, ...]:
    """Check the softmax statistics, and return the attention output's shape with a separate axis of
    heads: (S, B, N, -1), or (T, N, D) in TND.

    Raises:
        ValueError: the statistics do not have the shape that the output requires.
        RuntimeError: in TND, ``ends`` is None, or D is not a multiple of 64.
    """
    if layout == "TND":
        if ends is None or out.shape[2] % 64:
            rule = "come with actual_seq_qlen and heads whose length is a multiple of 64 in TND"
            actual = f"{ends!r} and {out.shape}"
            raise RuntimeError(checks.format_error(_NAME, "prev_attn_out", rule, actual))
        is_valid = sums.shape == (*out.shape[:2], 8)
        _require_shape("prev_softmax_max", f"be {(*out.shape[:2], 8)}", sums, is_valid)
        return out.shape
    tokens, batch, width = out.shape
    is_valid = sums.ndim == 4 and sums.shape[::2] == (batch, tokens) and sums.shape[3] == 8
    is_valid = is_valid and not width % max(sums.shape[1], 1)
    _require_shape(
        "prev_softmax_max", f"be {(batch, 'N', tokens, 8)}, and N divide {width}", sums, is_valid
    )
    return (tokens, batch, sums.shape[1], -1)


def _match_head_layout(share: Tensor, layout: str) -> Tensor:
    """Return the first of the 8 equal numbers of each token's ``share``, as float32, in the layout
    of the heads: (S, B, N, 1), or (T, N, 1) in TND.
    """
    share = Cast()(share[..., :1], mstype.float32)
    return share if layout == "TND" else Transpose()(share, (2, 0, 1, 3))


__all__ = ["ring_attention_update"]

attach_docstrings("minispore.ops", __name__)
