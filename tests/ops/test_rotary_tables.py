"""Queries and keys turned by rows of a table; attention over parts, put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ops import auto_generate

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
RNG = np.random.default_rng(0)
B, S, N, D, LONGEST = 2, 3, 4, 8, 16


def turned(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, apart: bool) -> np.ndarray:
    """(B, S, N, D) in float64; pairs are neighbours where they lie ``apart`` from others."""
    x, cos, sin = (t.astype(np.float64) for t in (x, cos, sin))
    half = np.empty_like(x)
    a, b = (x[..., 0::2], x[..., 1::2]) if apart else np.split(x, 2, -1)
    if apart:
        half[..., 0::2], half[..., 1::2] = -b, a
    else:
        half[...] = np.concatenate((-b, a), -1)
    return x * cos + half * sin


@MODES
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("table", [ms.float16, ms.bfloat16, ms.float32])
@pytest.mark.parametrize("cos_format", range(4))
@pytest.mark.parametrize("axes", [2, 3, 4])
def test_each_format(mode: int, dtype: Any, table: Any, cos_format: int, axes: int) -> None:
    ms.set_context(mode=mode)
    q, k = (RNG.standard_normal((B, S, n, D)).astype(np.float32) for n in (N, 2))
    q, k = (Tensor(x, dtype).float().asnumpy() for x in (q, k))
    cos, sin = (RNG.standard_normal((LONGEST, D)).astype(np.float32) for _ in "cs")
    cos, sin = (Tensor(x, table).float().asnumpy() for x in (cos, sin))
    ids = RNG.integers(0, LONGEST, B * S).astype(np.int32)
    rows = [x[ids] for x in (cos, sin)]
    inputs = (cos, sin) if cos_format < 2 else rows
    expected = [
        turned(x, *(r.reshape(B, S, 1, D) for r in rows), cos_format in (1, 3)) for x in (q, k)
    ]
    shapes = [{2: (B * S, n * D), 3: (B, S, n * D), 4: (B, S, n, D)}[axes] for n in (N, 2)]
    output = ops.ApplyRotaryPosEmb(cos_format)(
        *(Tensor(x.reshape(shape), dtype) for x, shape in zip((q, k), shapes, strict=True)),
        *(Tensor(x, table) for x in inputs), Tensor(ids),
    )  # fmt: skip
    bound = 2e-3 if dtype == ms.float16 else 2e-2
    for x, want, shape in zip(output, expected, shapes, strict=True):
        assert (x.shape, x.dtype) == (shape, dtype)
        np.testing.assert_allclose(x.float().asnumpy(), want.reshape(shape), atol=bound, rtol=bound)


@MODES
def test_positions_may_be_the_same_for_all_rows(mode: int) -> None:
    ms.set_context(mode=mode)
    x = RNG.standard_normal((B, S, N * D)).astype(np.float16)
    cos, sin = (RNG.standard_normal((LONGEST, D)).astype(np.float32) for _ in "cs")
    ids = np.array([7, 0, 2])
    output, _ = auto_generate.apply_rotary_pos_emb_(*map(Tensor, (x, x, cos, sin, ids)))
    rows = (t[ids].reshape(1, S, 1, D) for t in (cos, sin))
    expected = turned(x.reshape(B, S, N, D), *rows, False).reshape(x.shape)
    np.testing.assert_allclose(output.asnumpy(), expected, atol=4e-3, rtol=2e-3)


@MODES
def test_a_rotary_table_of_four_axes_rotates_halves_without_lookup(mode: int) -> None:
    ms.set_context(mode=mode)
    x = RNG.standard_normal((B, S, N, D)).astype(np.float16)
    cos, sin = (RNG.standard_normal((B, S, 1, D)).astype(np.float16) for _ in "cs")
    tensors = [Tensor(t) for t in (x, x, cos, sin)]
    output, _ = auto_generate.apply_rotary_pos_emb_(*tensors, Tensor([[1]], ms.int32), 1)
    np.testing.assert_allclose(output.asnumpy(), turned(x, cos, sin, False), atol=4e-3, rtol=2e-3)
    assert (tensors[0].asnumpy() == x).all()  # what came in stays


def test_gradients_of_turns_are_turns_back() -> None:
    q, k = (Tensor(RNG.standard_normal((B, S, N * D)), ms.float16) for _ in "qk")
    angles = RNG.standard_normal((B * S, D // 2))
    cos, sin = (Tensor(np.concatenate((f(angles),) * 2, 1), ms.float32) for f in (np.cos, np.sin))
    turn, none = ops.ApplyRotaryPosEmb(2), Tensor([0], ms.int32)
    grads = ms.grad(lambda *x: turn(*x, cos, sin, none), (0, 1))(q, k)
    ones = Tensor(np.ones((B, S, N * D)), ms.float16)
    expected, _ = turn(ones, ones, cos, -sin, none)
    for grad in grads:
        np.testing.assert_allclose(grad.asnumpy(), expected.asnumpy(), atol=2e-3, rtol=2e-3)


X = Tensor(np.ones((B, S, N * D)), ms.float16)
TURN = Tensor(np.ones((LONGEST, D), np.float32))


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"query": X.float()}, TypeError, "query must be a Tensor of float16 or bfloat16"),
        ({"key": X.astype(ms.bfloat16)}, TypeError, "key must be a Tensor of float16, got"),
        ({"cos": TURN.astype(ms.int32)}, TypeError, "cos must be a Tensor of float16"),
        ({"sin": TURN[:, :4]}, ValueError, "sin must have 2 or 4 axes"),
        ({"cos": TURN[0]}, ValueError, "cos must have 2 or 4 axes"),
        ({"query": X[:, :, :-1]}, ValueError, "query must have .* heads of the length 8"),
        ({"key": X[:, :2]}, ValueError, "key must have as many tokens as query"),
        ({"position_ids": Tensor([1, 2])}, ValueError, "position_ids must have 6 rows, or 3"),
        ({"position_ids": Tensor([1.0])}, TypeError, "position_ids must be a Tensor of int32"),
        ({"position_ids": [1]}, TypeError, "position_ids must be a Tensor"),
        ({"cos_format": 4}, ValueError, "cos_format must be 0, 1, 2 or 3, got 4"),
        ({"cos_format": 2}, ValueError, "cos must have 6 rows, or 3 for all"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, error: Any, match: str) -> None:
    options: dict[str, Any] = {
        "query": X, "key": X, "cos": TURN, "sin": TURN, "position_ids": Tensor([0, 1, 2]),
        **arguments,
    }  # fmt: skip
    with pytest.raises(error, match=match):
        auto_generate.apply_rotary_pos_emb_(**options)


# -- parts of attention, put together -------------------------------------------------------------


@MODES
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_two_parts_of_the_keys_make_the_whole(mode: int, dtype: Any) -> None:
    ms.set_context(mode=mode)
    q, k, v = (Tensor(RNG.standard_normal((n, B, N * D)), dtype) for n in (S, 6, 6))

    def attention(k: Tensor, v: Tensor) -> Any:
        return ops.speed_fusion_attention(q, k, v, N, "SBH", scale=0.5)[:3]

    first, second = attention(k[:2], v[:2]), attention(k[2:], v[2:])
    for output, expected in zip(
        ops.ring_attention_update(*first, *second), attention(k, v), strict=True
    ):
        assert output.dtype == expected.dtype
        bound = {ms.float16: 2e-3, ms.bfloat16: 2e-2, ms.float32: 1e-5}[output.dtype]
        np.testing.assert_allclose(
            output.float().asnumpy(), expected.float().asnumpy(), atol=bound, rtol=bound
        )


@MODES
def test_ring_attention_update_merges_concatenated_sequences_by_token(mode: int) -> None:
    ms.set_context(mode=mode)
    out = [RNG.standard_normal((5, N, 64)).astype(np.float32) for _ in "pc"]
    top = [np.repeat(RNG.standard_normal((5, N, 1)), 8, 2).astype(np.float32) for _ in "pc"]
    sums = [np.repeat(RNG.random((5, N, 1)) + 1, 8, 2).astype(np.float32) for _ in "pc"]
    tensors = [Tensor(x) for part in zip(out, top, sums, strict=True) for x in part]
    output = ops.ring_attention_update(*tensors, Tensor([0, 2, 5]), "TND")
    largest = np.maximum(*top)
    shares = [s * np.exp(t - largest) for s, t in zip(sums, top, strict=True)]
    total = shares[0] + shares[1]
    whole = sum(o * (s / total)[..., :1] for o, s in zip(out, shares, strict=True))
    for x, expected in zip(output, (whole, largest, total), strict=True):
        np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-5, atol=1e-6)


OUT = Tensor(np.ones((S, B, N * D)), ms.float16)
SUMS = Tensor(np.ones((B, N, S, 8), np.float32))


@pytest.mark.parametrize(
    "changed, error, match",
    [
        ({0: 1}, TypeError, "prev_attn_out must be a Tensor"),
        ({0: OUT.astype(ms.int32)}, TypeError, "prev_attn_out must be a Tensor of float16"),
        ({3: OUT.float()}, TypeError, "cur_attn_out must be of the dtype Float16 of its first"),
        ({3: OUT[:2]}, ValueError, "cur_attn_out must be of the shape"),
        ({1: SUMS[:, :, :2], 4: SUMS[:, :, :2]}, ValueError, "prev_softmax_max must be"),
        ({2: SUMS[:1], 5: SUMS[:1]}, ValueError, "prev_softmax_sum must be like prev_softmax_max"),
        ({7: "BSH"}, ValueError, "layout must be one of"),
        ({7: "TND"}, RuntimeError, "come with actual_seq_qlen"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changed: Any, error: Any, match: str) -> None:
    inputs = [OUT, SUMS, SUMS, OUT, SUMS, SUMS, None, "SBH"]
    with pytest.raises(error, match=match):
        ops.ring_attention_update(*(changed.get(i, x) for i, x in enumerate(inputs)))
