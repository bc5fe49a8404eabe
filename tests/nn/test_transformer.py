"""The Transformer of MindSpore 1.x against the formulas, written out in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.nn import transformer as tr

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"])
B, S, T, H, HEADS = 2, 4, 3, 8, 2


def random_array(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf)(x)


def linear(cell: Any, x: np.ndarray) -> np.ndarray:
    w = cell.weight.asnumpy()
    return x @ (w.T if cell.matmul.transpose_b else w) + cell.bias.asnumpy()


def norm(cell: Any, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled * cell.gamma.asnumpy() + cell.beta.asnumpy()


def attention(
    cell: Any, q: np.ndarray, k: np.ndarray, mask: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), -1, HEADS, H // HEADS).transpose(0, 2, 1, 3)

    query, key = heads(linear(cell.dense1, q)), heads(linear(cell.dense2, k))
    value = heads(linear(cell.dense3, k))
    score = query @ key.swapaxes(-1, -2) / math.sqrt(H // HEADS)
    if mask is not None:
        score = score - 10000 * (1 - mask[:, None])
    weights = np.exp(score - score.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    merged = (weights @ value).transpose(0, 2, 1, 3).reshape(q.shape)
    return linear(cell.projection, merged), key.swapaxes(-1, -2), value


def fed(cell: Any, x: np.ndarray) -> np.ndarray:
    inner = linear(cell.mapping, x)
    # MindSpore's gelu, by tanh
    inner = 0.5 * inner * (1 + np.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner**3)))
    return linear(cell.projection, inner)


def wake(net: Any) -> Any:
    """Weights large enough to be seen, and norms that do something."""
    for i, p in enumerate(net.get_parameters()):
        p.set_data(
            Tensor(random_array(*p.shape, seed=i) * 0.3 + (1 if "gamma" in p.name else 0), p.dtype)
        )
    return net.set_train(False)


X = ops.ones((B, S, H))
CAUSAL = np.tril(np.ones((B, S, S), np.float32))
HALF = {"rtol": 2e-2, "atol": 2e-2}


@MODES
@pytest.mark.parametrize("masked", [True, False], ids=["masked", "open"])
def test_attention_is_the_formula(mode: int, masked: bool) -> None:
    ms.set_context(mode=mode)
    net = wake(tr.MultiHeadAttention(B, S, S, H, HEADS, compute_dtype=ms.float32))
    x, mask = random_array(B, S, H), CAUSAL if masked else None
    tensor = None if mask is None else Tensor(mask)
    out, (keys, values) = net(Tensor(x), Tensor(x), Tensor(x), tensor)
    expected = attention(net, x, x, mask)
    for ours, theirs in zip((out, keys, values), expected, strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs, rtol=2e-4, atol=2e-5)


@MODES
@pytest.mark.parametrize("post", [False, True], ids=["norm_first", "norm_last"])
def test_a_layer_of_the_encoder_is_the_formula(mode: int, post: bool) -> None:
    ms.set_context(mode=mode)
    net = wake(tr.TransformerEncoderLayer(B, H, 16, HEADS, S, post_layernorm_residual=post))
    x = random_array(B, S, H)
    out, _ = net(Tensor(x), Tensor(CAUSAL))
    inner = x if post else norm(net.layernorm1, x)
    y = x + attention(net.attention, inner, inner, CAUSAL)[0]
    inner = norm(net.layernorm2, y)
    expected = (inner if post else y) + fed(net.output, inner)
    if post:
        expected = norm(net.layernorm1, expected)
    np.testing.assert_allclose(out.asnumpy(), expected, **HALF)
    assert out.dtype is ms.float32


@MODES
def test_a_layer_of_the_decoder_is_the_formula(mode: int) -> None:
    ms.set_context(mode=mode)
    net = wake(tr.TransformerDecoderLayer(H, 16, HEADS, B, src_seq_length=S, tgt_seq_length=T))
    x, memory, mask = random_array(B, T, H), random_array(B, S, H, seed=1), CAUSAL[:, :T, :T]
    out, present = net(Tensor(x), Tensor(mask), Tensor(memory), ops.ones((B, T, S)))
    inner = norm(net.layernorm1, x)
    y = x + attention(net.attention, inner, inner, mask)[0]
    inner = norm(net.cross_attention_layernorm, y)
    y = y + attention(net.cross_attention, inner, memory, None)[0]
    expected = y + fed(net.output, norm(net.layernorm2, y))
    np.testing.assert_allclose(out.asnumpy(), expected, **HALF)
    assert [p.shape for p in present] == [(B, 2, 4, T), (B, 2, T, 4), (B, 2, 4, S), (B, 2, S, 4)]


@MODES
def test_tokens_that_come_one_by_one_are_those_of_the_whole_row(mode: int) -> None:
    ms.set_context(mode=mode)
    net = wake(tr.TransformerEncoder(B, 2, H, 16, seq_length=S, num_heads=HEADS, use_past=True))
    plain = tr.TransformerEncoder(B, 2, H, 16, seq_length=S, num_heads=HEADS).set_train(False)
    ms.load_param_into_net(plain, net.parameters_dict())
    x = random_array(B, S, H)
    whole, _ = plain(Tensor(x), Tensor(CAUSAL))
    first = np.where(np.arange(S)[:, None] < 2, x, 0)
    new, old = Tensor([False]), Tensor([True])  # False clears what was kept
    net.add_flags_recursive(is_first_iteration=True)
    out, _ = net(Tensor(first), Tensor(CAUSAL), new, Tensor([2, 2], ms.int32))
    np.testing.assert_allclose(out.asnumpy()[:, :2], whole.asnumpy()[:, :2], **HALF)
    net.add_flags_recursive(is_first_iteration=False)
    for i in (2, 3):
        length = Tensor([i + 1] * B, ms.int32)
        out, _ = net(Tensor(x[:, i : i + 1]), ops.ones((B, 1, S)), old, length)
        np.testing.assert_allclose(out.asnumpy()[:, 0], whole.asnumpy()[:, i], **HALF)


def test_rows_may_be_flat() -> None:
    net = wake(tr.TransformerEncoderLayer(None, H, 16, HEADS, S))
    x = random_array(B, S, H)
    deep, _ = net(Tensor(x), Tensor(CAUSAL))
    flat, _ = net(Tensor(x.reshape(-1, H)), Tensor(CAUSAL))
    assert (flat.asnumpy().reshape(deep.shape) == deep.asnumpy()).all()


class Language(nn.Cell):
    """A language model of one layer, with its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = tr.VocabEmbedding(11, H)
        self.mask = tr.AttentionMask(S)
        self.encoder = tr.TransformerEncoder(B, 1, H, 16, S, HEADS)
        self.head = nn.Dense(H, 11)
        self.loss = tr.CrossEntropyLoss()

    def construct(self, ids: Tensor, label: Tensor) -> Tensor:
        there = ops.cast(ids != 0, ms.float32)
        x, _ = self.embedding(ids)
        x, _ = self.encoder(x, self.mask(there))
        logits = self.head(ops.reshape(x, (-1, H)))
        return self.loss(logits, ops.reshape(label, (-1,)), ops.reshape(there, (-1,)))


def losses(mode: int) -> list[float]:
    ms.set_context(mode=mode)
    ms.set_seed(5)
    net = Language()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01)).set_train()
    ids = Tensor([[1, 2, 3, 0], [4, 5, 6, 7]], ms.int32)
    label = Tensor([[2, 3, 1, 0], [5, 6, 7, 8]], ms.int32)
    return [float(step(ids, label).asnumpy().item()) for _ in range(30)]


def test_a_language_model_learns_alike_in_both_modes() -> None:
    eager, graph = losses(ms.PYNATIVE_MODE), losses(ms.GRAPH_MODE)
    assert eager == graph
    assert eager[-1] < eager[0] / 2


def test_the_loss_counts_what_the_mask_lets_through() -> None:
    logits = random_array(3, 5)
    loss = tr.CrossEntropyLoss()(
        Tensor(logits), Tensor([1, 2, 3], ms.int32), Tensor([1.0, 0.0, 1.0])
    )
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    np.testing.assert_allclose(loss.asnumpy(), [-(np.log(p[0, 1]) + np.log(p[2, 3])) / 2], 1e-4)


def test_lambda_func_is_called_with_each_layer_and_its_position() -> None:
    seen = []

    def place(
        network: nn.Cell, layer_id: int, layers: int, offset: int, parallel_config: Any
    ) -> None:
        seen.append((type(network).__name__, layer_id, layers, offset))

    tr.Transformer(H, B, 16, S, T, encoder_layers=1, decoder_layers=2, lambda_func=place)
    encoder, decoder = "TransformerEncoderLayer", "TransformerDecoderLayer"
    assert seen == [(encoder, 0, 1, 0), (decoder, 0, 2, 1), (decoder, 1, 2, 1)]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: tr.MultiHeadAttention(B, S, S, 9, 2), ValueError, "hidden_size"),
        (lambda: tr.FeedForward(8, 16, 1.0), ValueError, "dropout_rate"),
        (lambda: tr.FeedForward(8, 16, 0.1, hidden_act=3), TypeError, "activation"),
        (lambda: tr.TransformerDecoder(1, 2, 8, 16, 4, 3, 2, use_past=True), ValueError, "past"),
        (lambda: tr.Transformer(8, 2, 16, 4, 3, encoder_layers=0), ValueError, "Decoder"),
        (lambda: tr.OpParallelConfig(0), ValueError, "data_parallel"),
        (lambda: tr.TransformerOpParallelConfig(vocab_emb_dp=1), TypeError, "vocab_emb_dp"),
        (lambda: tr.MoEConfig(expert_num=2, num_experts_chosen=3), ValueError, "num_experts"),
        (
            lambda: tr.TransformerEncoderLayer(2, 8, 16, 2, 4, moe_config=tr.MoEConfig(2)),
            NotImplementedError,
            "mindformers",
        ),
        (lambda: tr.AttentionMask(3)(ops.ones((2, 4))), ValueError, "3 along axis 1"),
        (lambda: tr.VocabEmbedding(3, 4)(ops.ones((2, 4))), TypeError, "Int32"),
        (
            lambda: tr.MultiHeadAttention(2, 4, 4, 8, 2)(*[X] * 3, None, key_past=X),
            TypeError,
            "key_past",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_setting_is_checked_when_it_is_changed() -> None:
    config = tr.TransformerOpParallelConfig()
    config.data_parallel = 4
    assert config.dp_mp_config.data_parallel == config.moe_parallel_config.dpmp.data_parallel == 4
    with pytest.raises(ValueError, match="model_parallel"):
        config.model_parallel = 0


def test_a_check_that_scripts_borrow_sees_each_argument() -> None:
    from minispore.nn.transformer import layers

    class Layer:
        @layers._args_type_validator_check(
            size=lambda value, name: seen.append((name, value)),
            dtype=layers._valid_value_checks([ms.float32], "Layer"),
        )
        def __init__(self, size: int, dtype: Any = ms.float32) -> None:
            pass

    seen: list[Any] = []
    Layer(3)
    assert seen == [("size", 3)]
    with pytest.raises(TypeError, match="Layer: dtype must be Float32"):
        Layer(3, dtype=ms.float16)


@MODES
def test_a_layer_subclass_can_use_the_ops_of_its_base(mode):
    """As the layer of PanGu that asks for the next token."""

    class Query(tr.TransformerEncoderLayer):
        def construct(self, x: Tensor, mask: Tensor) -> Tensor:
            normed = ops.cast(self.layernorm1(x), self.dtype)
            stored = self.mul(self.key_past, 0)
            normed = ops.depend(normed, self.assign(self.key_past, stored))
            past = self.key_past, self.value_past, Tensor([S] * B, ms.int32)
            selected, _ = self.attention(normed, normed, normed, mask, *past)
            return self.add(x, selected)

    ms.set_context(mode=mode)
    net = Query(B, H, 16, HEADS, S, use_past=True).set_train(False)
    ms.ops.assign(net.key_past, ms.ops.ones_like(net.key_past))
    x, mask = Tensor(random_array(B * S, H)), Tensor(np.tril(np.ones((B, S, S), np.float32)))
    assert net(x, mask).shape == (B * S, H)
    assert not net.key_past.asnumpy().any()
