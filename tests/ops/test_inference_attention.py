"""Attention of inference is the formula of its paper, for prompts and for one token more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ops import auto_generate

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
DTYPES = pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
TRIANGLE = Tensor(np.triu(np.ones((2048, 2048), np.uint8), 1))
RNG = np.random.default_rng(0)
B, N, D = 2, 4, 16


def heads(count: int, length: int) -> np.ndarray:
    return RNG.standard_normal((B, count, length, D)).astype(np.float16).astype(np.float32)


def laid(x: np.ndarray, layout: str) -> np.ndarray:
    """(B, N, S, D) in a layout."""
    if layout == "BNSD":
        return x
    x = x.transpose(0, 2, 1, 3)
    return x.reshape(*x.shape[:2], -1) if layout == "BSH" else x


def formula(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float = 1.0, dropped: Any = False,
    shift: Any = 0.0,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The attention and the logarithms of its sums, in float64."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = np.where(dropped, -np.inf, q @ k.swapaxes(2, 3) * scale + shift)
    top = scores.max(-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        logarithms = np.where(total > 0, np.log(total) + top, np.inf)
    return weights / np.where(total, total, 1) @ v, logarithms


def near(actual: Tensor, expected: np.ndarray, dtype: Any = ms.float16) -> None:
    assert actual.dtype == dtype
    assert actual.shape == expected.shape
    bound = 2e-3 if dtype == ms.float16 else 2e-2
    np.testing.assert_allclose(actual.float().asnumpy(), expected, atol=bound, rtol=bound)


def to_tensors(dtype: Any, layout: str, *xs: np.ndarray) -> list[Tensor]:
    return [Tensor(laid(x, layout), dtype) for x in xs]


def counted(length: int, queries: np.ndarray, keys: np.ndarray, count: int) -> Any:
    """Places of queries and keys, and what is beyond the lengths, as (B, 1, S1, S2)."""
    i, j = np.arange(count)[:, None], np.arange(length)[None]
    outside = (i >= queries[:, None, None, None]) | (j >= keys[:, None, None, None])
    return i, j, outside


@MODES
@DTYPES
@pytest.mark.parametrize("layout", ["BSH", "BNSD", "BSND"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_it_is_the_formula_in_each_layout(mode: int, dtype: Any, layout: str, groups: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 5), heads(groups, 7), heads(groups, 7)
    expected, sums = formula(*(Tensor(x, dtype).float().asnumpy() for x in (q, k, v)), 0.25)
    xs = to_tensors(dtype, layout, q, k, v)
    chosen: dict[str, Any] = {"num_heads": N, "num_key_value_heads": groups}
    if layout != "BSND":
        output = ops.prompt_flash_attention(*xs, scale_value=0.25, input_layout=layout, **chosen)
        near(output, laid(expected, layout), dtype)
    output, logarithms = ops.fused_infer_attention_score(
        *xs, scale=0.25, input_layout=layout, softmax_lse_flag=True, **chosen
    )
    near(output, laid(expected, layout), dtype)
    assert logarithms.shape == (B, N, 5, 1)
    np.testing.assert_allclose(logarithms.asnumpy(), sums, rtol=1e-5, atol=1e-5)
    if layout == "BNSD":
        output, nothing = ops.fused_infer_attention_score(
            *xs, scale=0.25, input_layout="BNSD_BSND", **chosen
        )
        near(output, laid(expected, "BSND"), dtype)
        assert nothing.shape == (1,)
        assert not nothing.asnumpy().any()


@MODES
@pytest.mark.parametrize("sparse", range(5))
def test_lengths_and_sparse_modes_drop_keys(mode: int, sparse: int) -> None:
    ms.set_context(mode=mode)
    queries, keys = np.array([4, 6]), np.array([7, 5])
    q, k, v = heads(N, 6), heads(2, 8), heads(2, 8)
    i, j, outside = counted(8, queries, keys, 6)
    last = j - (keys - queries)[:, None, None, None]
    mask = RNG.random((B, 6, 8)) < 0.3
    band = (j > i + 1) | (j < i - 2)
    dropped = {
        0: mask[:, None] | band, 1: mask[:, None], 2: j > i, 3: last > i,
        4: (last > i + 1) | (last < i - 2),
    }[sparse]  # fmt: skip
    expected, sums = formula(q, k, v, 0.5, dropped | outside)
    xs = to_tensors(ms.float16, "BSH", q, k, v)
    chosen: dict[str, Any] = {
        "num_heads": N, "num_key_value_heads": 2, "sparse_mode": sparse, "pre_tokens": 2,
        "next_tokens": 1, "actual_seq_lengths": queries.tolist(),
        "actual_seq_lengths_kv": Tensor(keys),
    }  # fmt: skip
    mask_tensor = Tensor(mask) if sparse < 2 else TRIANGLE
    output = ops.prompt_flash_attention(*xs, mask_tensor, scale_value=0.5, **chosen)
    near(output, laid(expected, "BSH"))
    output, logarithms = ops.fused_infer_attention_score(
        *xs, atten_mask=mask_tensor, scale=0.5, softmax_lse_flag=True, **chosen
    )
    near(output, laid(expected, "BSH"))
    np.testing.assert_allclose(logarithms.asnumpy(), sums, rtol=1e-5, atol=1e-5)
    assert not output.asnumpy()[0, 4:].any()  # beyond the first row's length


@MODES
@pytest.mark.parametrize("shape", [(5, 6), (1, 5, 6), (B, 5, 6), (1, 1, 5, 6), (B, 1, 5, 6)])
@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.uint8, ms.float16])
def test_masks_come_in_several_shapes(mode: int, shape: tuple[int, ...], dtype: Any) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 5), heads(N, 6), heads(N, 6)
    mask = RNG.random(shape) < 0.4
    expected, _ = formula(q, k, v, dropped=np.broadcast_to(mask.reshape(-1, 1, 5, 6), (B, 1, 5, 6)))
    xs = to_tensors(ms.float16, "BNSD", q, k, v)
    output = ops.prompt_flash_attention(
        *xs, Tensor(mask.astype(np.uint8)).astype(dtype), next_tokens=9, num_heads=N,
        input_layout="BNSD",
    )  # fmt: skip
    near(output, expected)


def test_without_a_mask_pre_tokens_drops_nothing() -> None:
    q = heads(N, 5)
    x = Tensor(q, ms.float16)
    near(
        ops.prompt_flash_attention(x, x, x, num_heads=N, input_layout="BNSD", pre_tokens=0),
        formula(q, q, q)[0],
    )


@MODES
def test_pse_shift_is_added_to_scores_and_may_exceed_their_shape(mode: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 3), heads(N, 5), heads(N, 5)
    shift = RNG.standard_normal((1, N, 4, 8)).astype(np.float16)
    expected, _ = formula(q, k, v, 0.5, shift=shift[:, :, :3, :5].astype(np.float64))
    xs = to_tensors(ms.float16, "BNSD", q, k, v)
    chosen: dict[str, Any] = {"num_heads": N, "input_layout": "BNSD", "pse_shift": Tensor(shift)}
    near(ops.prompt_flash_attention(*xs, scale_value=0.5, **chosen), expected)
    near(ops.fused_infer_attention_score(*xs, scale=0.5, **chosen)[0], expected)


def blocks(x: np.ndarray, table: np.ndarray, size: int, apart: bool) -> np.ndarray:
    """(B, M, S, D) in blocks of a cache, the rest of which is NaN."""
    whole = np.full((table.max() + 2, x.shape[1], size, D), np.nan, np.float32)
    for row, named in zip(x, table, strict=True):
        for at, block in enumerate(named):
            part = row[:, at * size : (at + 1) * size]
            if block >= 0:
                whole[block, :, : part.shape[1]] = part
    return whole if apart else whole.transpose(0, 2, 1, 3).reshape(len(whole), size, -1)


@MODES
@pytest.mark.parametrize("layout", ["BSH", "BNSD"])
@pytest.mark.parametrize("apart", [False, True])
def test_one_token_reads_blocks_that_a_table_names(mode: int, layout: str, apart: bool) -> None:
    ms.set_context(mode=mode)
    size, lengths, table = 4, np.array([11, 3]), np.array([[4, 0, 2], [1, -1, -1]], np.int32)
    q, k, v = heads(N, 1), heads(2, 12), heads(2, 12)
    mask = RNG.random((B, 12)) < 0.3
    shift = RNG.standard_normal((B, N, 1, 12)).astype(np.float16)
    outside = np.arange(12)[None] >= lengths[:, None]
    expected, _ = formula(
        q, k, v, 0.5, (mask | outside)[:, None, None], shift.astype(np.float64)
    )  # fmt: skip
    expected = laid(expected, layout)
    query = Tensor(laid(q, layout), ms.float16)
    caches = [[Tensor(blocks(x, table, size, apart), ms.float16)] for x in (k, v)]
    chosen: dict[str, Any] = {
        "num_heads": N, "num_key_value_heads": 2, "input_layout": layout, "block_size": size,
        "block_table": Tensor(table), "pse_shift": Tensor(shift),
    }  # fmt: skip
    output = ops.incre_flash_attention(
        query, *caches, Tensor(mask), actual_seq_lengths=lengths.tolist(), scale_value=0.5, **chosen
    )
    near(output, expected)
    output, _ = ops.fused_infer_attention_score(
        query, *caches, atten_mask=Tensor(mask[:, None]), actual_seq_lengths_kv=lengths.tolist(),
        scale=0.5, **chosen,
    )  # fmt: skip
    near(output, expected)


@MODES
@pytest.mark.parametrize("mask_shape", [(B, 6), (B, 1, 6), (B, 1, 1, 6)])
def test_one_token_reads_what_its_mask_and_length_leave(mode: int, mask_shape: Any) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 1), heads(1, 6), heads(1, 6)
    mask = RNG.random((B, 6)) < 0.3
    outside = np.arange(6) >= 4
    expected, _ = formula(q, k, v, dropped=(mask | outside)[:, None, None])
    query, key, value = to_tensors(ms.float16, "BNSD", q, k, v)
    output = ops.incre_flash_attention(
        query, (key,), (value,), Tensor(mask.reshape(mask_shape)), [4], num_heads=N,
        num_key_value_heads=1, input_layout="BNSD",
    )  # fmt: skip
    near(output, expected)


@MODES
def test_padding_sizes_place_the_tokens_before_trailing_ones(mode: int) -> None:
    ms.set_context(mode=mode)
    q, k, v = heads(N, 1), heads(N, 8), heads(N, 8)
    lengths, padding = np.array([3, 7]), 2  # the second row has no room for 7
    j = np.arange(8)
    outside = np.stack([(j < 3) | (j >= 6), np.ones(8, bool)])
    expected, _ = formula(q, k, v, dropped=outside[:, None, None])
    query, key, value = to_tensors(ms.float16, "BNSD", q, k, v)
    output = ops.incre_flash_attention(
        query, [key], [value], actual_seq_lengths=Tensor(lengths),
        kv_padding_size=Tensor([padding]), num_heads=N, input_layout="BNSD",
    )  # fmt: skip
    near(output, expected)
    q = heads(N, 5)
    i, j = np.arange(5)[:, None] - 1, np.arange(8)[None] - 3  # places: 3 queries, 3 keys
    outside = (i < 0) | (i >= 3) | (j < 0) | (j >= 3) | (j > i)
    expected, _ = formula(q, k, v, dropped=outside)
    output, _ = ops.fused_infer_attention_score(
        Tensor(q, ms.float16), key, value, actual_seq_lengths=(3, 3), actual_seq_lengths_kv=(3, 3),
        query_padding_size=Tensor(1), kv_padding_size=Tensor(2), num_heads=N, input_layout="BNSD",
        sparse_mode=3, atten_mask=TRIANGLE,
    )  # fmt: skip
    near(output, expected)


def test_both_modes_have_the_same_bits_also_in_jit_and_with_lists() -> None:
    xs = to_tensors(ms.float16, "BSH", heads(N, 1), heads(2, 300), heads(2, 300))

    def score(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return ops.incre_flash_attention(
            query, [key], [value], actual_seq_lengths=(200, 300), num_heads=N, num_key_value_heads=2
        )

    ms.set_context(mode=ms.PYNATIVE_MODE)
    expected = score(*xs).asnumpy()
    assert (ms.jit(score)(*xs).asnumpy() == expected).all()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert (score(*xs).asnumpy() == expected).all()
    attention = auto_generate.FusedInferAttentionScore(N, num_key_value_heads=2)
    output, _ = attention(xs[0], [xs[1]], [xs[2]], actual_seq_lengths_kv=Tensor([200, 300]))
    assert (output.asnumpy() == expected).all()


def test_gradients_are_those_of_the_formula() -> None:
    q, k, v = heads(2, 3), heads(1, 4), heads(1, 4)
    sense = RNG.standard_normal(q.shape)
    xs = to_tensors(ms.float16, "BNSD", q, k, v)

    def loss(*xs: Tensor) -> Tensor:
        output = ops.prompt_flash_attention(
            *xs, num_heads=2, num_key_value_heads=1, input_layout="BNSD", scale_value=0.5
        )
        return (output * Tensor(sense, ms.float16)).sum()

    for at, grad in enumerate(ms.grad(loss, (0, 1, 2))(*xs)):
        base = [q, k, v]
        expected = np.zeros_like(base[at], np.float64)
        for index in np.ndindex(*expected.shape):
            sums = []
            for step in (1e-3, -1e-3):
                moved = [x.astype(np.float64) for x in base]
                moved[at][index] += step
                sums.append((formula(*moved, 0.5)[0] * sense).sum())
            expected[index] = (sums[0] - sums[1]) / 2e-3
        np.testing.assert_allclose(grad.asnumpy(), expected, atol=1e-2, rtol=1e-2)


X = Tensor(np.ones((2, 4, 64)), ms.float16)
ONE = Tensor(np.ones((2, 1, 64)), ms.float16)


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"query": X.astype(ms.float32)}, TypeError, "query must be a Tensor of float16"),
        ({"key": X.astype(ms.bfloat16)}, TypeError, "key must be of the dtype of query"),
        ({"query": 1}, TypeError, "query must be a Tensor"),
        (
            {"query": X.astype(ms.int8)},
            NotImplementedError,
            "query must be of float16 or bfloat16, got Int8. What is quantised is not here",
        ),
        ({"quant_scale2": Tensor(1.0)}, NotImplementedError, "quant_scale2 must be None"),
        ({"num_heads": 0}, RuntimeError, "num_heads must be > 0, got 0"),
        ({"num_heads": 3}, RuntimeError, "query must be divisible by its 3 heads"),
        ({"num_heads": 4.0}, TypeError, "num_heads must be an int"),
        ({"num_key_value_heads": 3}, RuntimeError, "num_key_value_heads must divide num_heads=4"),
        ({"num_key_value_heads": -1}, RuntimeError, "num_key_value_heads must be >= 0, got -1"),
        ({"num_key_value_heads": 2}, RuntimeError, "key must have the batch and the length"),
        ({"scale_value": 1}, TypeError, "scale_value must be a float"),
        ({"input_layout": "BSND"}, ValueError, "input_layout must be one of"),
        ({"input_layout": 3}, TypeError, "input_layout must be a str"),
        ({"input_layout": "BNSD"}, ValueError, "query must have the 4 axes of BNSD"),
        ({"sparse_mode": 5}, RuntimeError, "sparse_mode must be 0 to 4, got 5"),
        ({"sparse_mode": 3}, RuntimeError, "attn_mask must be given in sparse_mode 3"),
        ({"sparse_mode": 1}, RuntimeError, "attn_mask must be given in mode 1"),
        ({"attn_mask": Tensor(np.ones((4, 3), bool))}, RuntimeError, "attn_mask must have the sha"),
        ({"attn_mask": Tensor(np.ones((4, 4), np.float32))}, TypeError, "attn_mask must be a Tens"),
        ({"actual_seq_lengths": [1]}, ValueError, "hold one length for each of the 2 rows"),
        ({"actual_seq_lengths": [1, 5]}, ValueError, r"actual_seq_lengths\[1\] must be in \[0, 4"),
        ({"actual_seq_lengths_kv": [1, 1.5]}, TypeError, r"actual_seq_lengths_kv\[1\] must be an"),
        ({"pse_shift": Tensor(np.ones((1, 4, 3, 4)), ms.float16)}, RuntimeError, "pse_shift must"),
        ({"pse_shift": Tensor(np.ones((1, 4, 4, 4)), ms.float32)}, TypeError, "pse_shift must be"),
    ],
)
def test_what_does_not_fit_a_prompt_is_refused(arguments: Any, error: Any, match: str) -> None:
    whole: dict[str, Any] = {"query": X, "key": X, "value": X, "num_heads": 4, **arguments}
    with pytest.raises(error, match=match):
        ops.prompt_flash_attention(**whole)


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"query": X}, RuntimeError, "query must have one token"),
        ({"key": X}, TypeError, "key must be a tuple or list"),
        ({"key": [X, X]}, RuntimeError, "key must hold one Tensor, got 2"),
        ({"actual_seq_lengths": [1, 1, 1]}, ValueError, "each of the 2 rows"),
        ({"attn_mask": Tensor(np.ones((2, 5), bool))}, RuntimeError, "attn_mask must have the sha"),
        ({"attn_mask": Tensor(np.ones((2, 4)), ms.float16)}, TypeError, "attn_mask must be a Tens"),
        ({"block_table": Tensor([[0], [1]])}, ValueError, "block_table must be given with the len"),
        (
            {"block_table": Tensor([[0], [1]]), "actual_seq_lengths": [1, 1], "block_size": 3},
            RuntimeError, "key and value must be",
        ),
        ({"antiquant_scale": Tensor(1.0)}, NotImplementedError, "antiquant_scale must be None"),
    ],
)  # fmt: skip
def test_what_does_not_fit_one_token_is_refused(arguments: Any, error: Any, match: str) -> None:
    whole: dict[str, Any] = {"query": ONE, "key": [X], "value": [X], "num_heads": 4, **arguments}
    with pytest.raises(error, match=match):
        ops.incre_flash_attention(**whole)


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"input_layout": "TND"}, RuntimeError, "input_layout must be one of .*BNSD_BSND"),
        ({"scale": 1}, TypeError, "scale_value must be a float"),
        ({"block_table": Tensor([[0]]), "actual_seq_lengths_kv": [1, 1]}, ValueError, "more than"),
        ({"key_shared_prefix": X}, NotImplementedError, "a shared prefix must be None"),
        ({"softmax_lse_flag": 1}, TypeError, "softmax_lse_flag must be a bool"),
        ({"key_antiquant_scale": X}, NotImplementedError, "key_antiquant_scale must be None"),
    ],
)
def test_what_does_not_fit_the_fused_op_is_refused(arguments: Any, error: Any, match: str) -> None:
    whole: dict[str, Any] = {"query": X, "key": X, "value": X, "num_heads": 4, **arguments}
    with pytest.raises(error, match=match):
        ops.fused_infer_attention_score(**whole)
