"""Attention as one op is the formula of its paper, in each layout and sparse mode."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ir.registry import registry

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
LAYOUTS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}
RNG = np.random.default_rng(0)
B, N, D = 2, 4, 16
TRIANGLE = Tensor(np.triu(np.ones((2048, 2048), np.uint8), 1))


def heads(count: int, length: int, batch: int = B) -> np.ndarray:
    return RNG.standard_normal((batch, count, length, D)).astype(np.float16)


def laid(x: np.ndarray, layout: str) -> Tensor:
    """(B, N, S, D) in a layout."""
    x = x.transpose(LAYOUTS[layout])
    return Tensor(x.reshape(*x.shape[:2], -1) if layout in ("BSH", "SBH") else x.copy())


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float = 1.0, dropped: Any = False,
    shift: Any = 0.0, factor: Any = 1.0,
) -> np.ndarray:  # fmt: skip
    """What the paper says, in float64."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = np.where(dropped, -np.inf, q @ k.swapaxes(2, 3) * scale + shift)
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total, total, 1) * factor @ v


def near(actual: Tensor, expected: np.ndarray, layout: str = "BNSD") -> None:
    assert actual.dtype == ms.float16
    np.testing.assert_allclose(
        actual.asnumpy(), laid(expected, layout).asnumpy(), atol=2e-3, rtol=2e-3
    )


@MODES
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_it_is_the_formula_in_each_layout(mode: int, layout: str, groups: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 5), heads(groups, 7), heads(groups, 7)
    inputs = [laid(x, layout) for x in (q, k, v)]
    output = ops.flash_attention_score(*inputs, N, scalar_value=0.25, input_layout=layout)
    assert output.shape == inputs[0].shape
    near(output, attention(q, k, v, 0.25), layout)


def place(queries: int, keys: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(queries)[:, None], np.arange(keys)[None]


@MODES
@pytest.mark.parametrize("queries, keys", [(5, 5), (4, 7), (7, 4)])
@pytest.mark.parametrize(
    "sparse, before, behind", [(2, 0, 0), (3, 0, 0), (4, 1, 2), (4, 3, -1), (4, 99, 0)]
)
def test_keys_are_dropped_by_their_place(
    mode: int, queries: int, keys: int, sparse: int, before: int, behind: int
) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, queries), heads(N, keys), heads(N, keys)
    i, j = place(queries, keys)
    last = i + keys - queries
    dropped = {2: j > i, 3: j > last, 4: (j > last + behind) | (j < last - before)}[sparse]
    output = ops.flash_attention_score(
        *map(Tensor, (q, k, v)), N, attn_mask=TRIANGLE, pre_tokens=before, next_tokens=behind,
        input_layout="BNSD", sparse_mode=sparse,
    )  # fmt: skip
    near(output, attention(q, k, v, dropped=dropped))


@MODES
@pytest.mark.parametrize("sparse", [0, 1])
@pytest.mark.parametrize("shape", [(5, 6), (B, 1, 5, 6), (B, N, 5, 6)])
@pytest.mark.parametrize("dtype", [np.uint8, np.bool_])
def test_keys_are_dropped_by_a_mask(mode: int, sparse: int, shape: Any, dtype: Any) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 5), heads(N, 6), heads(N, 6)
    mask = RNG.random(shape) < 0.5
    mask[..., 2, :] = True  # a query of which nothing counts
    i, j = place(5, 6)
    band = (j > i + 2) | (j < i - 3) if sparse == 0 else False
    output = ops.flash_attention_score(
        *map(Tensor, (q, k, v)), N, attn_mask=Tensor(mask.astype(dtype)), pre_tokens=3,
        next_tokens=2, input_layout="BNSD", sparse_mode=sparse,
    )  # fmt: skip
    near(output, attention(q, k, v, dropped=mask | band))
    assert not output.asnumpy()[:, :, 2].any()


@MODES
def test_a_prefix_counts_for_all(mode: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 4), heads(N, 6), heads(N, 6)
    i, j = place(4, 6)
    first = np.array([3, 5]).reshape(2, 1, 1, 1)
    dropped = np.broadcast_to((j > i + 2) & (j >= first), (B, 1, 4, 6))
    for prefix in ([3, 5], (3, 5), Tensor(np.array([3, 5]))):
        output = ops.flash_attention_score(
            *map(Tensor, (q, k, v)), N, attn_mask=Tensor(dropped.copy()), prefix=prefix,
            input_layout="BNSD", sparse_mode=5,
        )  # fmt: skip
        near(output, attention(q, k, v, dropped=dropped))


@MODES
@pytest.mark.parametrize("sparse", [0, 2, 3])
@pytest.mark.parametrize("kind", [list, tuple, lambda ends: Tensor(np.array(ends))])
def test_tokens_attend_only_to_the_sequence_they_belong_to(
    mode: int, sparse: int, kind: Any
) -> None:
    ms.set_context(mode=mode)
    queries, keys = [3, 1, 4], [5, 2, 4]
    parts = [[heads(n, s, 1) for n, s in ((N, a), (2, b), (2, b))] for a, b in zip(queries, keys)]
    expected = []
    for q, k, v in parts:
        i, j = place(q.shape[2], k.shape[2])
        dropped = {0: False, 2: j > i, 3: j > i + k.shape[2] - q.shape[2]}[sparse]
        expected.append(attention(q, k, v, 0.5, dropped)[0].transpose(1, 0, 2))
    tensors = [
        Tensor(np.concatenate([x[0].transpose(1, 0, 2) for x in each])) for each in zip(*parts)
    ]
    output = ops.flash_attention_score(
        *tensors, N, scalar_value=0.5, input_layout="TND", sparse_mode=sparse,
        attn_mask=TRIANGLE if sparse else None,
        actual_seq_qlen=kind(list(itertools.accumulate(queries))),
        actual_seq_kvlen=kind(list(itertools.accumulate(keys))),
    )  # fmt: skip
    np.testing.assert_allclose(output.asnumpy(), np.concatenate(expected), atol=2e-3, rtol=2e-3)


@MODES
def test_scores_are_shifted_and_weights_dropped(mode: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 4), heads(N, 8), heads(N, 8)
    shift = RNG.standard_normal((1, N, 4, 8)).astype(np.float16)
    stored = RNG.random((B, N, 4, 8)) < 0.5
    bits = np.packbits(stored, axis=-1, bitorder="little")
    output = ops.flash_attention_score(
        *map(Tensor, (q, k, v)), N, real_shift=Tensor(shift), drop_mask=Tensor(bits),
        keep_prob=0.5, input_layout="BNSD",
    )  # fmt: skip
    near(output, attention(q, k, v, shift=shift.astype(np.float64), factor=stored / 0.5))


def test_the_op_tells_the_largest_scores_and_their_sums() -> None:
    q, k, v = heads(N, 3), heads(N, 5), heads(N, 5)
    largest, sums, _, output = registry["FlashAttentionScore"](N, input_layout="BNSD")(
        *map(Tensor, (q, k, v))
    )
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3)
    top = scores.max(-1, keepdims=True)
    assert largest.shape == sums.shape == (B, N, 3, 8)
    np.testing.assert_allclose(largest.asnumpy(), np.repeat(top, 8, 3), rtol=1e-5)
    total = np.exp(scores - top).sum(-1, keepdims=True)
    np.testing.assert_allclose(sums.asnumpy(), np.repeat(total, 8, 3), rtol=1e-5)
    near(output, attention(q, k, v))


@MODES
def test_softmax_sums_of_several_sequences_are_stored_head_by_head(mode: int) -> None:
    """An Ascend writes them so, sequence by sequence, though their shape is (T, N, 8)."""
    ms.set_context(mode=mode)
    ends = (2, 5)
    q, k = (RNG.standard_normal((5, N, D)).astype(np.float16) for _ in "qk")
    largest, sums, nothing, _ = registry["FlashAttentionScore"](N, input_layout="TND")(
        *map(Tensor, (q, k, k)), actual_seq_qlen=ends, actual_seq_kvlen=ends
    )
    expected = []
    for start, end in ((0, 2), (2, 5)):
        part, keys = (x[start:end].astype(np.float64).swapaxes(0, 1) for x in (q, k))
        expected.append((part @ keys.swapaxes(1, 2)).max(-1).ravel())  # (N, tokens)
    assert largest.shape == sums.shape == (5, N, 8)
    assert nothing.dtype == ms.float16
    top = np.concatenate(expected).reshape(5, N, 1)
    np.testing.assert_allclose(largest.asnumpy(), np.repeat(top, 8, 2), rtol=1e-5)


def test_the_sums_are_not_differentiated() -> None:
    x = Tensor(heads(N, 3))
    attention = registry["FlashAttentionScore"](N, input_layout="BNSD")

    def whole(x: Tensor) -> Any:
        return attention(x, x, x)

    def last_output(x: Tensor) -> Tensor:
        return attention(x, x, x)[3]

    assert (ms.grad(whole)(x) == ms.grad(last_output)(x)).all()


def test_single_precision_stays() -> None:
    q, k, v = (heads(N, 5).astype(np.float32) for _ in "qkv")
    output = ops.flash_attention_score(*map(Tensor, (q, k, v)), N, input_layout="BNSD")
    assert output.dtype == ms.float32
    np.testing.assert_allclose(output.asnumpy(), attention(q, k, v), atol=1e-5, rtol=1e-5)


def test_gradients_are_those_of_the_formula_and_both_modes_have_the_same_bits() -> None:
    q, k, v = (Tensor(x) for x in (heads(N, 6), heads(2, 6), heads(2, 6)))
    sense = Tensor(RNG.standard_normal((B, N, 6, D)).astype(np.float32))
    i, j = place(6, 6)
    dropped = Tensor(np.broadcast_to(j > i, (B, N, 6, 6)).copy())

    def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        output = ops.flash_attention_score(
            q, k, v, N, attn_mask=TRIANGLE, input_layout="BNSD", sparse_mode=2, scalar_value=0.25
        )
        return (output.astype(ms.float32) * sense).sum()

    def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        k, v = (ops.repeat_interleave(x, 2, 1) for x in (k, v))
        scores = ops.BatchMatMul(transpose_b=True)(q, k) * 0.25
        weights = ops.softmax(ops.masked_fill(scores, dropped, -1e30), -1)
        return (ops.BatchMatMul()(weights, v) * sense).sum()

    outputs = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        outputs.append([g.asnumpy() for g in ms.grad(fused, (0, 1, 2))(q, k, v)])
    assert all(a.tobytes() == b.tobytes() for a, b in zip(*outputs))
    expected = ms.grad(plain, (0, 1, 2))(*(x.astype(ms.float32) for x in (q, k, v)))
    for a, b in zip(outputs[0], expected, strict=True):
        np.testing.assert_allclose(a, b.asnumpy(), atol=5e-3, rtol=5e-3)


X = Tensor(np.ones((2, 4, 64), np.float16))


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"query": X.astype(ms.int32)}, TypeError, "query must be a Tensor of float16"),
        ({"key": X.astype(ms.bfloat16)}, TypeError, "key must be of the dtype of query"),
        ({"head_num": 0}, RuntimeError, "head_num must be >= 1"),
        ({"head_num": 7}, RuntimeError, "head_num must divide the last axis"),
        ({"keep_prob": 0.0}, RuntimeError, "keep_prob must be in"),
        ({"keep_prob": 0.5}, RuntimeError, "without a drop_mask"),
        ({"input_layout": "NSD"}, ValueError, "input_layout must be one of"),
        ({"input_layout": "BNSD"}, RuntimeError, "must have the 4 axes of BNSD"),
        ({"sparse_mode": 6}, RuntimeError, "sparse_mode must be 0 to 5"),
        ({"sparse_mode": 2}, RuntimeError, "attn_mask must be given in sparse_mode 2"),
        ({"sparse_mode": 2, "attn_mask": Tensor(np.ones((4, 4), np.uint8))}, RuntimeError, "2048"),
        ({"attn_mask": Tensor(np.ones((4, 5), np.uint8))}, RuntimeError, "attn_mask must have the"),
        ({"attn_mask": Tensor(np.ones((4, 4), np.float16))}, TypeError, "attn_mask must be of bo"),
        ({"attn_mask": [1]}, TypeError, "attn_mask must be a Tensor"),
        ({"prefix": [1, 2]}, RuntimeError, "prefix must be given in sparse_mode 5 alone"),
        ({"actual_seq_qlen": [4]}, RuntimeError, "in the layout TND alone"),
        (
            {"real_shift": Tensor(np.ones((1, 4, 4, 5), np.float16))},
            RuntimeError,
            "real_shift must",
        ),
        ({"real_shift": Tensor(np.ones((1, 4, 4, 4)))}, TypeError, "real_shift must be of the dty"),
        ({"pre_tokens": -3, "next_tokens": 1}, RuntimeError, "must leave a band"),
        ({"value": Tensor(np.ones((2, 5, 64), np.float16))}, RuntimeError, "all one batch"),
        ({"input_layout": 3}, TypeError, "input_layout must be one of"),
        ({"keep_prob": 1}, TypeError, "keep_prob must be a float"),
        ({"scalar_value": 2}, TypeError, "scale_value must be a float"),
        (
            {n: Tensor(np.ones((2, 4, 64)), ms.float16) for n in ("key", "value")}
            | {"head_num": 2, "query": Tensor(np.ones((2, 4, 96)), ms.float16)},
            RuntimeError,
            "heads of the length 48",
        ),
        (
            {n: Tensor(np.ones((2, 4, 5, 8)), ms.float16) for n in ("key", "value")}
            | {"query": Tensor(np.ones((2, 4, 5, 16)), ms.float16), "input_layout": "BNSD"},
            RuntimeError,
            "length of heads",
        ),
        ({"padding_mask": X}, RuntimeError, "padding_mask must be None"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, error: Any, match: str) -> None:
    options: dict[str, Any] = {"query": X, "key": X, "value": X, "head_num": 4, **arguments}
    with pytest.raises(error, match=match):
        ops.flash_attention_score(**options)


@MODES
@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize("shape", [(1, 1, 3, 8), (2, 1, 3, 8), (2, 4, 3, 8), (1, 4, 1, 8)])
def test_positions_are_rotations(mode: int, way: int, shape: Any) -> None:
    ms.set_context(mode=mode)
    x = RNG.standard_normal((2, 4, 3, 8)).astype(np.float32)
    angle = RNG.random(shape).astype(np.float32)
    cos, sin = np.cos(angle), np.sin(angle)
    if way == 0:
        turned = np.concatenate([-x[..., 4:], x[..., :4]], -1)
    else:
        turned = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    output = ops.rotary_position_embedding(*map(Tensor, (x, cos, sin)), way)
    np.testing.assert_allclose(output.asnumpy(), x * cos + turned * sin, rtol=1e-5, atol=1e-6)
    half = ops.rotary_position_embedding(
        *(Tensor(a.astype(np.float16)) for a in (x, cos, sin)), way
    )
    assert half.dtype == ms.float16
    with pytest.raises(ValueError, match="mode must be 0 or 1"):
        ops.rotary_position_embedding(*map(Tensor, (x, cos, sin)), 2)
    with pytest.raises(ValueError, match="cos must have 4 axes"):
        ops.rotary_position_embedding(Tensor(x), Tensor(cos[..., :6]), Tensor(sin), way)
