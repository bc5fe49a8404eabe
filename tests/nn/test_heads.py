"""Attention of several heads, as a layer and as a function of its weights, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore import Tensor, nn
from minispore.graph import program_of
from minispore.ir import dtype as mstype
from minispore.ops.function import nn_func
from minispore.ops.function.nn_func import multi_head_attention_forward

L, S, N, E, HEADS = 3, 4, 2, 6, 2


def random_tensor(*shape: int) -> Tensor:
    return Tensor(np.random.RandomState(sum(shape)).standard_normal(shape).astype(np.float32))


def layer(**options: Any) -> nn.MultiheadAttention:
    net = nn.MultiheadAttention(E, HEADS, **options).set_train(False)
    for p in net.get_parameters():
        p.set_data(random_tensor(*p.shape))
    return net


def called(net: nn.MultiheadAttention, *inputs: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    packed = net.kdim == net.vdim == net.embed_dim
    return multi_head_attention_forward(
        *inputs, E, HEADS, net.in_proj_weight if packed else None, net.in_proj_bias,
        net.bias_k, net.bias_v, net.add_zero_attn, 0.0, net.out_proj.weight, net.out_proj.bias,
        training=False, **options,
    )  # fmt: skip


def by_hand(net: nn.MultiheadAttention, *inputs: Tensor, **masks: Tensor) -> list[np.ndarray]:
    """The output (L, N, E) and the weights (N, heads, L, S), head by head."""
    arrays = [x.asnumpy() if x.ndim == 3 else x.asnumpy()[:, None] for x in inputs]
    length, n, _ = arrays[0].shape
    if net.in_proj_weight is None:
        ws = [w.asnumpy() for w in (net.q_proj_weight, net.k_proj_weight, net.v_proj_weight)]
    else:
        ws = np.split(net.in_proj_weight.asnumpy(), 3)
    b = np.zeros(3 * E) if net.in_proj_bias is None else net.in_proj_bias.asnumpy()
    q, k, v = (x @ w.T + c for x, w, c in zip(arrays, ws, np.split(b, 3), strict=True))
    if net.bias_k is not None:
        k, v = (
            np.concatenate([x, np.tile(c.asnumpy(), (1, n, 1))])
            for x, c in ((k, net.bias_k), (v, net.bias_v))
        )
    if net.add_zero_attn:
        k, v = (np.concatenate([x, np.zeros((1, n, E))]) for x in (k, v))
    reference, source = len(arrays[1]), len(k)
    closed = np.zeros((n, HEADS, length, source))
    for name, mask in masks.items():
        output = mask.asnumpy()
        output = np.where(output, -np.inf, 0) if output.dtype == bool else output
        shape = (
            (n, 1, 1, reference) if name == "key_padding_mask" else (-1, HEADS, length, reference)
        )
        if name == "attn_mask" and output.ndim == 2:
            shape = (1, 1, length, reference)
        closed[..., :reference] += output.reshape(shape)
    split_heads = [x.reshape(len(x), n, HEADS, -1).transpose(1, 2, 0, 3) for x in (q, k, v)]
    scores = split_heads[0] @ split_heads[1].swapaxes(-1, -2) / np.sqrt(E // HEADS) + closed
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    joined = (shares @ split_heads[2]).transpose(2, 0, 1, 3).reshape(length, n, E)
    out = joined @ net.out_proj.weight.asnumpy().T
    return [out if net.out_proj.bias is None else out + net.out_proj.bias.asnumpy(), shares]


def alike(actual: Any, expected: Any) -> None:
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=2e-5, atol=2e-5)


MASKS = {
    "none": {},
    "padding": {
        "key_padding_mask": Tensor([[False, False, True, False], [True, False, False, True]])
    },
    "bools": {"attn_mask": Tensor(np.arange(L * S).reshape(L, S) % 3 == 1)},
    "numbers": {"attn_mask": random_tensor(N * HEADS, L, S)},
    "both": {
        "key_padding_mask": Tensor([[False, True, False, False], [False, False, False, True]]),
        "attn_mask": Tensor(np.arange(L * S).reshape(L, S) % 4 == 2),
    },
}


@pytest.mark.parametrize("masks", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize(
    "options", [{}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"has_bias": False}], ids=str
)
def test_it_is_what_numpy_computes(options, masks) -> None:
    net, inputs = (
        layer(**options),
        (random_tensor(L, N, E), random_tensor(S, N, E), random_tensor(S, N, E) * 2),
    )
    out, shares = by_hand(net, *inputs, **masks)
    for result in (called(net, *inputs, **masks), net(*inputs, **masks)):
        alike(result[0], out)
        alike(result[1], shares.mean(1))


@pytest.mark.parametrize("same", [(True, True), (True, False), (False, True), (False, False)])
def test_what_is_the_same_is_projected_once(same: tuple[bool, bool]) -> None:
    k_is_v, q_is_k = same
    query = random_tensor(S, N, E)
    key = query if q_is_k else query + 1
    value = key if k_is_v else key * 2
    net = layer()
    expected, _ = by_hand(net, query, key, value)
    alike(called(net, query, key, value, k_is_v=k_is_v, q_is_k=q_is_k)[0], expected)
    alike(net(query, key, value)[0], expected)
    nodes = program_of(net, query, key, value).nodes
    products = [n for n in nodes if n.prim.name.startswith("MatMul") and n.outputs[0].spec.ndim < 4]
    assert len(products) == {(True, True): 2, (True, False): 3}.get(same, 4)  # one is of the output


def test_each_head_has_its_weights_and_a_batch_may_be_missing() -> None:
    net, inputs = layer(), (random_tensor(L, E), random_tensor(S, E), random_tensor(S, E))
    out, shares = by_hand(net, *inputs)
    for result in (
        called(net, *inputs, average_attn_weights=False),
        net(*inputs, average_attn_weights=False),
    ):
        alike(result[0], out[:, 0])
        alike(result[1], shares[0])


def test_the_batch_may_stand_in_front() -> None:
    net, inputs = (
        layer(batch_first=True),
        (random_tensor(N, L, E), random_tensor(N, S, E), random_tensor(N, S, E) * 2),
    )
    expected, shares = by_hand(net, *[x.swapaxes(0, 1) for x in inputs])
    out, weights = net(*inputs)
    alike(out, expected.swapaxes(0, 1))
    alike(weights, shares.mean(1))


def test_a_mask_of_bytes_is_one_of_bools() -> None:
    net, inputs = layer(), (random_tensor(L, N, E), random_tensor(S, N, E), random_tensor(S, N, E))
    mask = MASKS["bools"]["attn_mask"]
    out, _ = by_hand(net, *inputs, attn_mask=mask)
    alike(net(*inputs, attn_mask=mask.astype(mstype.uint8))[0], out)
    with pytest.raises(ValueError, match="key_padding_mask must be bool or float"):
        net(*inputs, key_padding_mask=Tensor(np.zeros((N, S), np.uint8)))


def test_causal_attention_sees_what_came_before() -> None:
    net, x = layer(), random_tensor(S, N, E)
    _, weights = called(net, x, x, x, is_causal=True)
    assert np.array_equal(weights.asnumpy() > 0, np.broadcast_to(np.tri(S) > 0, (N, S, S)))


def test_separate_weights_and_static_keys() -> None:
    net = layer(kdim=5, vdim=7)
    inputs = random_tensor(L, N, E), random_tensor(S, N, 5), random_tensor(S, N, 7)
    projections = [net.q_proj_weight, net.k_proj_weight, net.v_proj_weight]
    names = "q_proj_weight", "k_proj_weight", "v_proj_weight"
    options: Any = {"use_separate_proj_weight": True, **dict(zip(names, projections, strict=True))}
    out, _ = called(net, *inputs, **options)
    expected, _ = by_hand(net, *inputs)
    alike(out, expected)
    alike(net(*inputs)[0], expected)
    static = random_tensor(N * HEADS, 9, E // HEADS)
    assert called(net, *inputs, **options, static_k=static, static_v=static)[1].shape == (N, L, 9)
    with pytest.raises(ValueError, match=r"static_k must have the shape \(4, 9, 3\)"):
        called(net, *inputs, **options, static_k=random_tensor(1, 9, 3), static_v=static)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"key_padding_mask": Tensor(np.zeros((N, 3), bool))}, "key_padding_mask must have"),
        ({"key_padding_mask": Tensor(np.zeros(4, bool))}, "key_padding_mask must have 2 axes"),
        ({"attn_mask": Tensor(np.zeros((L, 3), bool))}, "attn_mask must have the shape"),
        ({"attn_mask": Tensor(np.zeros(S, bool))}, "attn_mask must have two axes, or three"),
        ({"attn_mask": Tensor(np.zeros((L, S), np.int32))}, "attn_mask must be bool or float"),
    ],
)
def test_what_does_not_fit_is_refused(options, text) -> None:
    with pytest.raises(ValueError, match=text):
        called(
            layer(),
            random_tensor(L, N, E),
            random_tensor(S, N, E),
            random_tensor(S, N, E),
            **options,
        )


def test_inputs_of_unlike_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="key must have 3 axes, as query, got 2"):
        called(layer(), random_tensor(L, N, E), random_tensor(S, E), random_tensor(S, E))
    with pytest.raises(ValueError, match="query must have two axes, or three, got 4"):
        nn_func._check_qkv_shape(4, 4, 4)


def test_masks_of_bools_are_padded() -> None:
    assert nn_func._inner_pad(Tensor([True, False]), (0, 1)).asnumpy().tolist() == [
        True,
        False,
        False,
    ]
    assert nn_func._inner_pad(Tensor([1.0]), (1, 0), 5.0).asnumpy().tolist() == [5.0, 1.0]


def test_sizes_of_what_is_interpolated() -> None:
    x = random_tensor(1, 1, 5, 7)
    assert nn_func._interploate_ext_make_tuple(x, 0.5) == (0.5, 0.5)
    assert nn_func._interploate_ext_make_tuple(x, [2, 3]) == [2, 3]
    assert nn_func._interpolate_ext_scale_factor_convert_size(x, (0.5, 2.0)) == (2, 14)
