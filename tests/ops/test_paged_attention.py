"""Caches of blocks: what is written into them, and attention that reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.ops import auto_generate

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
DTYPES = pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
RNG = np.random.default_rng(0)
N, M, D, SIZE = 4, 2, 8, 4  # heads of queries and of caches, their length, tokens of a block
LENGTHS = np.array([11, 3, 8])
TABLE = np.array([[4, 0, 2], [1, -1, -1], [3, 5, -1]], np.int32)
B = len(LENGTHS)


def draw(*shape: int, dtype: Any = ms.float16) -> np.ndarray:
    """Numbers that ``dtype`` holds."""
    return Tensor(RNG.standard_normal(shape).astype(np.float32), dtype).float().asnumpy()


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, added: Any = 0.0) -> np.ndarray:
    """(S, N, D) over (keys, M, D), in float64."""
    q, k, v = (x.astype(np.float64).swapaxes(0, 1) for x in (q, k, v))
    k, v = (np.repeat(x, N // M, 0) for x in (k, v))
    scores = q @ k.swapaxes(1, 2) * 0.5 + added
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).swapaxes(0, 1)


def caches(dtype: Any = ms.float16) -> tuple[list[np.ndarray], list[Tensor]]:
    """Keys and values of each sequence, (B, 12, M, D); and as blocks, where all else is NaN."""
    whole = [draw(B, TABLE.shape[1] * SIZE, M, D, dtype=dtype) for _ in "kv"]
    blocks = [np.full((7, SIZE, M, D), np.nan, np.float32) for _ in "kv"]
    for x, stored in zip(whole, blocks, strict=True):
        for b, row in enumerate(TABLE):
            for at, block in enumerate(row[: -(-LENGTHS[b] // SIZE)]):
                stored[block] = x[b, at * SIZE : (at + 1) * SIZE]
    return whole, [Tensor(x, dtype) for x in blocks]


def near(actual: Tensor, expected: np.ndarray, dtype: Any = ms.float16) -> None:
    assert actual.dtype == dtype
    bound = 2e-3 if dtype == ms.float16 else 2e-2
    result = actual.float().asnumpy().reshape(expected.shape)
    np.testing.assert_allclose(result, expected, atol=bound, rtol=bound)


TABLES = (Tensor(TABLE), Tensor(LENGTHS, ms.int32))


@MODES
@DTYPES
@pytest.mark.parametrize("layout", ["BSH", "BNSD", "TH", "BND"])
def test_one_query_a_sequence_reads_the_keys_that_count(mode: int, dtype: Any, layout: str) -> None:
    ms.set_context(mode=mode)
    (k, v), blocks = caches(dtype)
    q = draw(B, 1, N, D, dtype=dtype)
    expected = np.stack([attention(q[b], k[b, :n], v[b, :n]) for b, n in enumerate(LENGTHS)])
    shape = {"BSH": (B, 1, N * D), "BNSD": (B, N, 1, D), "TH": (B, N * D), "BND": (B, N, D)}[layout]
    query = Tensor(q.reshape(shape), dtype)
    output = ops.PagedAttention(N, 0.5, M)(query, *blocks, *TABLES)
    assert output.shape == shape
    near(output, expected, dtype)
    # As on an Ascend, a mask says nothing to one query of a sequence.
    mask = Tensor(np.full((B, 1, 12), -10000.0), dtype)
    masked = ops.PagedAttention(N, 0.5, M)(query, *blocks, *TABLES, None, None, mask)
    assert (masked.asnumpy() == output.asnumpy()).all()


@MODES
@pytest.mark.parametrize("layout", ["BSH", "BNSD", "TH"])
@pytest.mark.parametrize("way", ["mask", "trapezoidal", "alibi"])
def test_several_queries_a_sequence(mode: int, layout: str, way: str) -> None:
    ms.set_context(mode=mode)
    (k, v), blocks = caches()
    q = draw(B, 3, N, D)
    mask = np.where(RNG.random((B, 3, 12)) < 0.3, -10000.0, 0.0).astype(np.float16)
    alibi = draw(B, N, 3, 12)
    expected = []
    for b, n in enumerate(LENGTHS):
        causal_mask = np.where(np.arange(n)[None] > np.arange(3)[:, None] + n - 3, -np.inf, 0)
        added = {"mask": mask[b, :, :n], "trapezoidal": causal_mask, "alibi": alibi[b, :, :, :n]}[
            way
        ]
        expected.append(attention(q[b], k[b, :n], v[b, :n], added))
    inputs = np.stack(expected)
    arguments: dict[str, Any] = {}
    if way == "mask":
        arguments["attn_mask"] = Tensor(mask.reshape(-1, 12) if layout == "TH" else mask)
    if way == "alibi":
        if layout == "TH":
            alibi = alibi.transpose(0, 2, 1, 3).reshape(B * 3, N, 1, 12)
        arguments["alibi_mask"] = Tensor(alibi, ms.float16)
    if layout == "TH":
        arguments["q_seq_lens"] = Tensor([3, 3, 3], ms.int32)
    if layout == "BNSD":
        q, inputs = (x.transpose(0, 2, 1, 3) for x in (q, inputs))
    shape = {"BSH": (B, 3, N * D), "BNSD": (B, N, 3, D), "TH": (B * 3, N * D)}[layout]
    paged = ops.PagedAttention(
        N, 0.5, M, mask_mode="TRAPEZOIDAL" if way == "trapezoidal" else "MASK_DEFAULT"
    )
    output = paged(Tensor(q.reshape(shape), ms.float16), *blocks, *TABLES, **arguments)
    assert output.shape == shape
    near(output, inputs)
    if way == "alibi" and layout != "TH":
        only = ops.PagedAttentionMask(N, 0.5, M)
        same = only(Tensor(q.reshape(shape), ms.float16), *blocks, *TABLES, **arguments)
        assert (same.asnumpy() == output.asnumpy()).all()


@MODES
@pytest.mark.parametrize("way", ["mask", "trapezoidal"])
def test_paged_attention_accepts_concatenated_queries_of_several_lengths(
    mode: int, way: str
) -> None:
    ms.set_context(mode=mode)
    (k, v), blocks = caches()
    counts = [2, 1, 4]
    q = draw(7, N, D)
    mask = np.where(RNG.random((7, 9)) < 0.3, -10000.0, 0.0).astype(np.float16)  # 9 of 12 keys
    expected, at = [], 0
    for b, (n, count) in enumerate(zip(LENGTHS, counts, strict=True)):
        causal_mask = np.where(
            np.arange(n)[None] > np.arange(count)[:, None] + n - count, -np.inf, 0
        )
        wide = np.pad(mask, ((0, 0), (0, 3)))[at : at + count, :n] * (count > 1)
        added = wide if way == "mask" else causal_mask
        expected.append(attention(q[at : at + count], k[b, :n], v[b, :n], added))
        at += count
    paged = ops.PagedAttention(
        N, 0.5, M, mask_mode="MASK_DEFAULT" if way == "mask" else "TRAPEZOIDAL"
    )
    output = paged(
        Tensor(q.reshape(7, -1), ms.float16), *blocks, *TABLES,
        attn_mask=Tensor(mask) if way == "mask" else None, q_seq_lens=Tensor(counts, ms.int32),
    )  # fmt: skip
    near(output, np.concatenate(expected))


@MODES
def test_values_may_be_a_part_of_the_keys(mode: int) -> None:
    ms.set_context(mode=mode)
    (k, _), (blocks, _) = caches()
    q = draw(B, 1, N, D)
    expected = np.stack([attention(q[b], k[b, :n], k[b, :n, :, :5]) for b, n in enumerate(LENGTHS)])
    paged = ops.PagedAttention(N, 0.5, M, mla_v_dim=5)
    query = Tensor(q.reshape(B, N * D), ms.float16)
    for values in (None, blocks):
        output = paged(query, blocks, values, *TABLES)
        assert output.shape == (B, N * 5)
        near(output, expected)
    assert paged(Tensor(q.reshape(B, N, 1, D), ms.float16), blocks, None, *TABLES).shape[3] == 5


@MODES
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.int8, ms.uint8])
@pytest.mark.parametrize("kept", ["parameters", "tensors", "views"])
def test_tokens_are_written_at_their_slots(mode: int, dtype: Any, kept: str) -> None:
    ms.set_context(mode=mode)
    k, v = (Tensor(RNG.integers(0, 9, (2, 3, M * D)), dtype) for _ in "kv")
    slots = np.array([5, -1, 0, 11, 7, -1], np.int32)
    before = RNG.integers(0, 9, (2, 3, SIZE, M, D))
    expected = before.reshape(2, 3 * SIZE, M * D).copy()
    for x, own in zip((k, v), expected, strict=True):
        own[slots[slots >= 0]] = x.float().asnumpy().reshape(6, -1)[slots >= 0]
    whole = Tensor(before, dtype)
    tensors = [whole[0], whole[1]] if kept == "views" else [Tensor(x, dtype) for x in before]
    if kept == "parameters":
        tensors = [Parameter(x, name=n) for x, n in zip(tensors, "kv", strict=True)]
    if kept == "tensors" and mode == ms.GRAPH_MODE:
        output = ms.jit(auto_generate.reshape_and_cache)(k, v, *tensors, Tensor(slots))
    else:
        output = ops.ReshapeAndCache()(k, v, *tensors, Tensor(slots))
    assert (output.float() == k.float()).all()
    for x, own in zip(tensors, expected, strict=True):
        assert (x.float().asnumpy().reshape(own.shape) == own).all()
    if kept == "views":
        assert (whole.float().asnumpy().reshape(expected.shape) == expected).all()


@MODES
def test_reshape_and_cache_can_write_only_keys(mode: int) -> None:
    ms.set_context(mode=mode)
    cache = Parameter(Tensor(np.zeros((2, 2, 1, 2)), ms.float16), name="cache")
    key = Tensor([[1.0, 2.0]], ms.float16)
    auto_generate.reshape_and_cache(key, key_cache=cache, slot_mapping=Tensor([3]))
    assert cache.asnumpy().ravel().tolist() == [0] * 6 + [1, 2]


@MODES
@pytest.mark.parametrize("axis", [-2, -1])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("kept", [True, False])
def test_each_row_gets_its_tokens_at_its_place(
    mode: int, axis: int, width: int, kept: bool
) -> None:
    ms.set_context(mode=mode)
    before, at = draw(2, 3, 5, 6), np.array([3, 0])
    new = draw(2, 3, width, 6) if axis == -2 else draw(2, 3, 5, width)
    expected = before.copy()
    for b, start in enumerate(at):
        if axis == -2:
            expected[b, :, start : start + width] = new[b]
        else:
            expected[b, :, :, start : start + width] = new[b]
    cache: Any = Parameter(Tensor(before), name="cache") if kept else Tensor(before)
    update = auto_generate.KVCacheScatterUpdate()
    output = update(cache, Tensor(at), Tensor(new), axis, "update")
    assert (output.asnumpy() == expected).all()
    assert (cache.asnumpy() == expected).all()


class Decoder(nn.Cell):
    """One layer of attention with a cache of blocks, and the same without one."""

    def __init__(self, blocks: int) -> None:
        super().__init__()
        output = np.random.default_rng(1)
        self.vocabulary, self.width = 11, N * D
        shapes = {
            "table": (11, N * D),
            "q": (N * D, N * D),
            "k": (N * D, M * D),
            "v": (N * D, M * D),
        }
        for name, shape in shapes.items():
            weight = output.standard_normal(shape).astype(np.float32) / 3
            setattr(self, name, Parameter(Tensor(weight, ms.float16), name=name))
        zeros = np.zeros((blocks, SIZE, M, D), np.float16)
        self.keys = Parameter(Tensor(zeros), name="keys", requires_grad=False)
        self.values = Parameter(Tensor(zeros), name="values", requires_grad=False)
        self.cache, self.paged = ops.ReshapeAndCache(), ops.PagedAttention(N, 0.5, M)
        self.rotary = ops.ApplyRotaryPosEmb(2)
        angles = np.arange(16)[:, None] / 10 ** (np.arange(D // 2) / 2)[None]
        angles = np.concatenate((angles, angles), -1)
        self.cos, self.sin = (Tensor(f(angles), ms.float16) for f in (np.cos, np.sin))

    def projected(self, tokens: Tensor, places: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.table[tokens]
        cos, sin = self.cos[places], self.sin[places]
        q, k = self.rotary(ops.matmul(x, self.q), ops.matmul(x, self.k), cos, sin, places)
        return q, k, ops.matmul(x, self.v)

    def construct(
        self, tokens: Tensor, places: Tensor, slots: Tensor, tables: Tensor, lengths: Tensor
    ) -> Tensor:
        q, k, v = self.projected(tokens, places)
        self.cache(k, v, self.keys, self.values, slots)
        read = self.paged(q, self.keys, self.values, tables, lengths)
        return ops.matmul(read, self.table.T)

    def whole(self, tokens: Tensor, places: Tensor) -> Tensor:
        q, k, v = self.projected(tokens, places)
        read = ops.prompt_flash_attention(
            q[None], k[None], v[None], Tensor(np.triu(np.ones((len(tokens),) * 2, bool), 1)),
            num_heads=N, num_key_value_heads=M, scale_value=0.5,
        )  # fmt: skip
        return ops.matmul(read[0], self.table.T)


@MODES
def test_a_decoder_with_a_cache_says_what_it_says_without_one(mode: int) -> None:
    """Token by token, for two sequences of several lengths, whose blocks lie mixed."""
    ms.set_context(mode=mode)
    net = Decoder(6)
    tables = np.array([[5, 0, 3], [2, 4, 1]], np.int32)
    messages: list[list[int]] = [[3, 1, 4, 1], [5, 9]]

    def slots(row: int, places: np.ndarray) -> np.ndarray:
        return tables[row, places // SIZE] * SIZE + places % SIZE

    for row, prompt in enumerate(messages):  # all of a prompt but its last token goes in at once
        places = np.arange(len(prompt) - 1)
        _, k, v = net.projected(Tensor(prompt[:-1]), Tensor(places))
        net.cache(k, v, net.keys, net.values, Tensor(slots(row, places), ms.int32))
    for _ in range(6):
        last = np.array([len(tokens) - 1 for tokens in messages])
        output = net(
            Tensor([tokens[-1] for tokens in messages]), Tensor(last),
            Tensor([int(slots(row, place)) for row, place in enumerate(last)], ms.int32),
            Tensor(tables), Tensor(last + 1, ms.int32),
        ).asnumpy()  # fmt: skip
        for tokens, row in zip(messages, output, strict=True):
            whole = net.whole(Tensor(tokens), Tensor(np.arange(len(tokens)))).asnumpy()
            np.testing.assert_allclose(row, whole[-1], atol=2e-2, rtol=2e-2)
            tokens.append(int(row.argmax()))
    assert [len(t) for t in messages] == [10, 8]


def test_both_modes_and_jit_have_the_same_bits() -> None:
    _, blocks = caches()
    query = Tensor(draw(B, N * D), ms.float16)
    paged = ops.PagedAttention(N, 0.5, M)
    outputs = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        outputs += [paged(query, *blocks, *TABLES), ms.jit(paged)(query, *blocks, *TABLES)]
    assert all((x.asnumpy() == outputs[0].asnumpy()).all() for x in outputs)


CACHE = Tensor(np.ones((7, SIZE, M, D)), ms.float16)
QUERY = Tensor(np.ones((B, N * D)), ms.float16)


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"query": QUERY.float()}, TypeError, "query must be a Tensor of float16"),
        ({"query": QUERY.astype(ms.bfloat16)}, TypeError, "key_cache must be of the dtype of"),
        ({"query": QUERY[:, :-1]}, ValueError, "query must be .* got shape|query must be"),
        ({"key_cache": CACHE[:, :, :1]}, ValueError, "key_cache must be .blocks, block_size, 2, D"),
        ({"value_cache": CACHE[:6]}, ValueError, "value_cache must be .blocks"),
        ({"value_cache": None}, TypeError, "value_cache must be a Tensor"),
        ({"block_tables": None}, TypeError, "block_tables must be a Tensor"),
        ({"block_tables": Tensor(TABLE[:2])}, ValueError, r"block_tables must be \(3, blocks\)"),
        ({"context_lens": Tensor(LENGTHS[:2])}, ValueError, r"context_lens must be \(3,\)"),
        ({"context_lens": Tensor([1.0, 1, 1])}, TypeError, "context_lens must be a Tensor of int"),
        ({"antiquant_scale": Tensor(1.0)}, NotImplementedError, "antiquant_scale must be None"),
        ({"alibi_mask": CACHE}, ValueError, "alibi_mask must have the shape"),
        ({"attn_mask": 1}, TypeError, "attn_mask must be a Tensor"),
        (
            {"attn_mask": CACHE, "q_seq_lens": Tensor([1, 1, 1], ms.int32)},
            ValueError, "attn_mask must have the shape",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(arguments: Any, error: Any, match: str) -> None:
    options = {
        "query": QUERY, "key_cache": CACHE, "value_cache": CACHE, "block_tables": TABLES[0],
        "context_lens": TABLES[1], **arguments,
    }  # fmt: skip
    with pytest.raises(error, match=match):
        ops.PagedAttention(N, 0.5, M)(**options)


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ((N, 1, M), TypeError, "scale_value must be a float"),
        ((N, 0.5, 3), ValueError, "kv_head_num must divide head_num=4"),
        ((0, 0.5, M), ValueError, "head_num must be >= 1"),
        ((N, 0.5, M, "X"), ValueError, "kv_cache_quant_mode must be one of"),
        ((N, 0.5, M, "DEFAULT", "X"), ValueError, "mask_mode must be one of"),
        ((N, 0.5, M, "DEFAULT", "MASK_DEFAULT", -1), ValueError, "mla_v_dim must be >= 0"),
    ],
)
def test_attributes_that_do_not_fit_are_refused(arguments: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        ops.PagedAttention(*arguments)


def test_nothing_is_written_where_something_does_not_fit() -> None:
    cache = Parameter(CACHE.copy(), name="cache")
    key = Tensor(np.zeros((2, M * D)), ms.float16)
    slots = Tensor([0, 1], ms.int32)
    for arguments, error, match in (
        (
            (key, key, cache, cache, Tensor([0, 28])),
            RuntimeError,
            r"every index must be in \[0, 28",
        ),
        ((key, key, cache, cache, slots[:1]), RuntimeError, r"slot_mapping must be \(2,\)"),
        ((key, None, cache, cache, slots), TypeError, "both be Tensors, or None"),
        ((key.float(), None, cache, None, slots), TypeError, "key must be a Tensor of float16"),
        ((key.astype(ms.int8), None, cache, None, slots), TypeError, "key_cache must be a Tensor"),
        ((key[:, :4], None, cache, None, slots), RuntimeError, "key_cache must be .blocks"),
        ((key, None, None, None, slots), TypeError, "key_cache must be a Tensor"),
        (
            (key, None, cache, None, slots.float()),
            TypeError,
            "slot_mapping must be a Tensor of int",
        ),
    ):
        with pytest.raises(error, match=match):
            ops.ReshapeAndCache()(*arguments)
        assert (cache == CACHE).all()
    rows, new = Parameter(Tensor(draw(2, 1, 3, 2)), name="rows"), Tensor(draw(2, 1, 1, 2))
    before = rows.asnumpy().copy()
    update = auto_generate.kv_cache_scatter_update
    at: Any = Tensor([0, 3])
    for arguments, error, match in (
        ((rows, at, new, -2), RuntimeError, r"every index must be in \[0, 3\), got 3"),
        ((rows, at, new, 0), ValueError, "axis must be one of"),
        ((rows, at, new, -2, "add"), ValueError, "reduce must be one of"),
        ((rows, at[:1], new, -2), ValueError, r"indices must be \(2,\)"),
        ((rows, at, new[:, :, :, :1], -2), ValueError, "updates must be"),
        ((rows, at, new.astype(ms.float16), -2), TypeError, "updates must be a Tensor of float32"),
        ((rows, at.float(), new, -2), TypeError, "indices must be a Tensor of int32"),
    ):
        with pytest.raises(error, match=match):
            update(*arguments)
        assert (rows.asnumpy() == before).all()
