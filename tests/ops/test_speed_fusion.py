"""Attention for training: each layout, sparse mode and kind of positions; its own dropout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
LAYOUTS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}
TRIANGLE = Tensor(np.triu(np.ones((2048, 2048), np.uint8), 1))
RNG = np.random.default_rng(0)
B, N, D = 2, 4, 8


def heads(count: int, length: int) -> np.ndarray:
    return RNG.standard_normal((B, count, length, D)).astype(np.float32)


def laid(x: np.ndarray, layout: str) -> np.ndarray:
    x = x.transpose(LAYOUTS[layout])
    return x.reshape(*x.shape[:2], -1) if layout in ("BSH", "SBH") else x


def formula(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float = 1.0, dropped: Any = False,
    shift: Any = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Attention, largest scores and sums, in float64."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = np.where(dropped, -np.inf, q @ k.swapaxes(2, 3) * scale + shift)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    return weights / total @ v, np.repeat(top, 8, -1), np.repeat(total, 8, -1)


@MODES
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_it_is_the_formula_in_each_layout(mode: int, layout: str, dtype: Any) -> None:
    ms.set_context(mode=mode)
    q, k, v = (Tensor(heads(n, s), dtype).float().asnumpy() for n, s in ((N, 5), (2, 7), (2, 7)))
    expected, top, total = formula(q, k, v, 0.25)
    xs = [Tensor(laid(x, layout), dtype) for x in (q, k, v)]
    ms.set_seed(10)
    output, largest, sums, nothing, seed, offset, numels = ops.speed_fusion_attention(
        *xs, N, layout, scale=0.25
    )
    bound = {ms.float16: 2e-3, ms.bfloat16: 2e-2, ms.float32: 1e-5}[dtype]
    np.testing.assert_allclose(
        output.float().asnumpy(), laid(expected, layout), atol=bound, rtol=bound
    )
    np.testing.assert_allclose(largest.asnumpy(), top, atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(sums.asnumpy(), total, atol=1e-5, rtol=1e-5)
    assert (output.dtype, nothing.dtype, nothing.shape) == (dtype, dtype, (0,))
    assert [x.dtype for x in (seed, offset, numels)] == [ms.int64] * 3
    assert [int(x) for x in (seed, offset, numels)] == [10, 0, B * N * 5 * 7]


@MODES
@pytest.mark.parametrize("kind", [0, 1, 2, 3])
def test_pse_shift_is_passed_or_computed_from_slopes(mode: int, kind: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 4), heads(N, 6), heads(N, 6)
    shift = RNG.standard_normal((1, N, 4, 6)).astype(np.float32)
    slopes = RNG.random((B, N)).astype(np.float32)
    distance = np.abs((np.arange(6)[None] + 3) - (np.arange(4)[:, None] + 1))
    added = {
        0: shift, 1: shift * 0.5, 2: -slopes[..., None, None] * distance,
        3: -slopes[..., None, None] * np.sqrt(distance),
    }[kind]  # fmt: skip
    output, *_ = ops.speed_fusion_attention(
        *map(Tensor, (q, k, v)), N, "BNSD", pse=Tensor(slopes if kind > 1 else shift), scale=0.5,
        pse_type=kind, q_start_idx=(1,), kv_start_idx=[3],
    )  # fmt: skip
    expected, *_ = formula(q, k, v, 0.5, shift=added)
    np.testing.assert_allclose(output.asnumpy(), expected, atol=1e-5, rtol=1e-5)
    if kind > 1:
        output, *_ = ops.speed_fusion_attention(
            *map(Tensor, (q, k, v)), N, "BNSD", pse=Tensor(slopes[0]), scale=0.5, pse_type=kind,
            q_start_idx=(1,), kv_start_idx=[3],
        )  # fmt: skip
        np.testing.assert_allclose(output[0].asnumpy(), expected[0], atol=1e-5, rtol=1e-5)


@MODES
@pytest.mark.parametrize("sparse", range(6))
def test_sparse_modes_are_those_of_the_op_it_is_built_on(mode: int, sparse: int) -> None:
    ms.set_context(mode=mode)
    xs = [Tensor(heads(N, 5)) for _ in "qkv"]
    mask: Any = TRIANGLE if sparse in (2, 3, 4) else Tensor(RNG.random((B, 1, 5, 5)) < 0.4)
    chosen: dict[str, Any] = {
        "pre_tokens": 2, "next_tokens": 1, "sparse_mode": sparse,
        "prefix": [1, 3] if sparse == 5 else None,
    }  # fmt: skip
    output, *_ = ops.speed_fusion_attention(*xs, N, "BNSD", atten_mask=mask, **chosen)
    expected = ops.flash_attention_score(*xs, N, attn_mask=mask, input_layout="BNSD", **chosen)
    assert (output == expected).all()
    plain, *_ = ops.speed_fusion_attention(*xs, N, "BNSD", **chosen)  # no mask: all keys count
    np.testing.assert_allclose(
        plain.asnumpy(), formula(*(x.asnumpy() for x in xs))[0], atol=1e-5, rtol=1e-5
    )


@MODES
def test_speed_fusion_attention_accepts_concatenated_sequences(mode: int) -> None:
    ms.set_context(mode=mode)
    ends_q, ends_k = (2, 5), (3, 7)
    q, k, v = (
        RNG.standard_normal((t, n, D)).astype(np.float32) for t, n in ((5, N), (7, 2), (7, 2))
    )
    slopes = RNG.random((2, N)).astype(np.float32)
    output, largest, sums, *_, numels = ops.speed_fusion_attention(
        *map(Tensor, (q, k, v)), N, "TND", actual_seq_qlen=ends_q, actual_seq_kvlen=list(ends_k),
        pse=Tensor(slopes), pse_type=2, sparse_mode=3, atten_mask=TRIANGLE,
    )  # fmt: skip
    at = 0
    for b, (i, j) in enumerate(zip((slice(0, 2), slice(2, 5)), (slice(0, 3), slice(3, 7)))):
        parts = [x[s].swapaxes(0, 1)[None] for x, s in ((q, i), (k, j), (v, j))]
        rows, keys = np.arange(parts[0].shape[2])[:, None], np.arange(parts[1].shape[2])[None]
        shift = -slopes[b][:, None, None] * np.abs(keys - rows)
        dropped = keys > rows + keys.size - rows.size
        expected, top, total = formula(*parts, dropped=dropped, shift=shift)
        np.testing.assert_allclose(output.asnumpy()[i], expected[0].swapaxes(0, 1), atol=1e-5)
        for message, inputs in ((largest, top), (sums, total)):
            part = message.asnumpy().reshape(-1, 8)[at : at + N * rows.size]
            np.testing.assert_allclose(part, inputs.reshape(-1, 8), atol=1e-5)
        at += N * rows.size
    assert int(numels) == N * (2 * 3 + 3 * 4)


def test_dropout_keeps_and_scales_weights_and_draws_anew() -> None:
    one = Tensor(np.ones((1, 2, 64, 64), np.float32))
    eye = Tensor(np.broadcast_to(np.eye(64, dtype=np.float32), (1, 2, 64, 64)).copy())
    by_mode = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(3)
        first, second = (
            ops.speed_fusion_attention(one, one, eye, 2, "BNSD", keep_prob=0.75)[0].asnumpy()
            for _ in range(2)
        )
        assert (first != second).any()
        by_mode.append(first)
        stored = first > 0
        np.testing.assert_allclose(first[stored], 1 / 64 / 0.75, rtol=1e-5)
        assert 0.7 < stored.mean() < 0.8
    assert (by_mode[0] == by_mode[1]).all()


def test_a_graph_tells_the_seed_of_now() -> None:
    one = Tensor(np.ones((1, 2, 4, 8), np.float32))

    @ms.jit
    def net(x: Tensor) -> Any:
        return ops.speed_fusion_attention(x, x, x, 2, "BNSD", keep_prob=0.5)

    for seed in (10, 11, 10):
        ms.set_seed(seed)
        output = net(one)
        ms.set_seed(seed)
        expected = ops.speed_fusion_attention(one, one, one, 2, "BNSD", keep_prob=0.5)
        assert int(output[4]) == int(expected[4]) == seed
        assert (output[0].asnumpy() == expected[0].asnumpy()).all()


def test_gradients_are_those_of_the_formula_and_of_nothing_else() -> None:
    q, k, v = (RNG.standard_normal((1, n, 3, 4)).astype(np.float32) for n in (2, 1, 1))
    shift = RNG.standard_normal((1, 2, 3, 3)).astype(np.float32)

    def score(q: Tensor, k: Tensor, v: Tensor, pse: Tensor) -> Any:
        return ops.speed_fusion_attention(q, k, v, 2, "BNSD", pse=pse, scale=0.5)

    grads = ms.grad(score, (0, 1, 2, 3))(*map(Tensor, (q, k, v, shift)))
    base = [x.astype(np.float64) for x in (q, k, v, shift)]
    for at, grad in enumerate(grads):
        expected = np.zeros_like(base[at])
        for index in np.ndindex(*expected.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [x.copy() for x in base]
                moved[at][index] += step
                output, *_ = formula(*moved[:3], 0.5, shift=moved[3] * 0.5)
                ends.append(output.sum())
            expected[index] = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(grad.asnumpy(), expected, atol=1e-4, rtol=1e-3)


X = Tensor(np.ones((2, 4, 64), np.float32))


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"query": X.astype(ms.int32)}, TypeError, "query must be a Tensor of float16"),
        ({"key": X.astype(ms.float16)}, TypeError, "key must be of the dtype of query"),
        ({"scale": 1}, TypeError, "scale must be a float"),
        ({"keep_prob": 1}, TypeError, "keep_prob must be a float"),
        ({"keep_prob": 0.0}, ValueError, "keep_prob must be in"),
        ({"head_num": 3}, ValueError, "head_num must divide the last axis"),
        ({"input_layout": "BS"}, ValueError, "input_layout must be one of"),
        ({"input_layout": "BNSD"}, ValueError, "query must have the 4 axes of"),
        ({"input_layout": 1}, TypeError, "input_layout must be one of"),
        ({"pse_type": 4}, ValueError, "pse_type must be 0 to 3, got 4"),
        ({"pse_type": 2}, ValueError, "pse must be the slopes of the heads in pse_type 2"),
        ({"pse_type": 2, "pse": X}, ValueError, r"pse must have the shape \(4,\)"),
        ({"pse": Tensor(np.ones((1, 4, 4, 3), np.float32))}, ValueError, "pse must have the shape"),
        ({"sparse_mode": 6}, ValueError, "sparse_mode must be 0 to 5, got 6"),
        ({"atten_mask": Tensor(np.ones((4, 5), bool))}, ValueError, "atten_mask must have the sha"),
        ({"atten_mask": X}, TypeError, "atten_mask must be of bool or uint8"),
        ({"atten_mask": 1}, TypeError, "atten_mask must be a Tensor"),
        ({"padding_mask": X}, ValueError, "padding_mask must be None"),
        ({"q_start_idx": 1}, ValueError, "q_start_idx must be a tuple or list of one int"),
        ({"kv_start_idx": [1.5]}, TypeError, r"kv_start_idx\[0\] must be an int"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, error: Any, match: str) -> None:
    options: dict[str, Any] = {
        "query": X, "key": X, "value": X, "head_num": 4, "input_layout": "BSH", **arguments
    }  # fmt: skip
    with pytest.raises(error, match=f"speed_fusion_attention: {match}"):
        ops.speed_fusion_attention(**options)


def test_sequences_need_their_ends() -> None:
    x = Tensor(np.ones((4, 2, 16), np.float32))
    with pytest.raises(ValueError, match="must be given in the layout TND alone"):
        ops.speed_fusion_attention(x, x, x, 2, "TND")
