"""Tokens that go to experts and come back: each op is its NumPy formula, in each dtype and mode."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.ops.auto_generate as generated
from minispore import Tensor, ops
from tests.ops.ways import DTYPES, MODES, Run, graph, wide

CLOSE = {ms.float16: 2e-3, ms.bfloat16: 1.6e-2, ms.float32: 1e-6}
RNG = np.random.default_rng(0)
N, K, E, H = 7, 3, 5, 4


def of(dtype: Any, *shape: int) -> tuple[Tensor, np.ndarray]:
    """A tensor, and its numbers in float64."""
    x = Tensor(RNG.standard_normal(shape), dtype)
    return x, wide(x)


def near(actual: Tensor, expected: np.ndarray, dtype: Any) -> None:
    assert actual.dtype == dtype
    np.testing.assert_allclose(wide(actual), expected, CLOSE[dtype], CLOSE[dtype])


def same(actual: Tensor, expected: Any, dtype: Any = ms.int32) -> None:
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual.asnumpy(), expected)


def chosen(*shape: int, count: int = E) -> np.ndarray:
    return RNG.integers(0, count, shape).astype(np.int32)


def sloped(f: Callable[..., Tensor], at: Any, weights: Tensor) -> Callable[..., Any]:
    """Gradients of the sum of what f gives times weights."""

    def weighted(*args: Any) -> Tensor:
        return (f(*args) * weights).astype(ms.float32).sum()

    return ms.grad(weighted, at)


def slopes(run: Run, f: Callable[..., Tensor], at: Any, *args: Any) -> tuple[Any, ...]:
    """Some weights, and those gradients."""
    out = f(*args)
    weights = Tensor(np.linspace(-1, 1, out.size).reshape(out.shape), out.dtype)
    output = run(sloped(f, at, weights))(*args)
    return (wide(weights), *(output if isinstance(output, tuple) else (output,)))


# -- permute and back ------------------------------------------------------------------------------


def permuted(tokens: np.ndarray, experts: np.ndarray, count: int | None) -> tuple[Any, Any]:
    flat = experts.reshape(-1).tolist()
    order = sorted(range(len(flat)), key=lambda i: (flat[i], i))
    rows = [tokens[i // (len(flat) // len(tokens))] for i in order]
    return np.array(rows[: count or None]), [order.index(i) for i in range(len(flat))]


@MODES
@DTYPES
@pytest.mark.parametrize("count", [None, 0, 5, 99])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_tokens_come_in_the_order_of_their_experts(
    run: Run, dtype: Any, count: Any, kind: Any
) -> None:
    tokens, x = of(dtype, N, H)
    for experts in (chosen(N, K), chosen(N, 1), chosen(N)):
        rows, at = permuted(x, experts, count)
        output = run(ops.moe_token_permute)(tokens, Tensor(experts.astype(kind)), count)
        near(output[0], rows, dtype)
        same(output[1], at)


@MODES
@DTYPES
def test_each_token_has_the_slopes_of_its_rows(run: Run, dtype: Any) -> None:
    tokens, x = of(dtype, N, H)
    experts = chosen(N, K)
    for count in (None, 8):

        def permute(t: Tensor, count: Any = count) -> Tensor:
            return ops.moe_token_permute(t, Tensor(experts), count)[0]

        weights, output = slopes(run, permute, 0, tokens)
        _, at = permuted(x, experts, count)
        expected = np.zeros((N, H))
        for i, row in enumerate(at):
            expected[i // K] += weights[row] if row < len(weights) else 0
        near(output, expected, dtype)
        sums = run(generated.moe_token_permute_grad)(
            Tensor(weights, dtype), Tensor(np.array(at, np.int32)), K
        )
        near(sums, expected, dtype)


def unpermuted(rows: np.ndarray, at: np.ndarray, probs: np.ndarray | None) -> np.ndarray:
    selected = np.array([rows[i] if i < len(rows) else np.zeros(H) for i in at])
    if probs is None:
        return selected
    return (selected.reshape(*probs.shape, H) * probs[..., None]).sum(1)


@MODES
@DTYPES
@pytest.mark.parametrize("kept", [N * K, 9, 0])
def test_tokens_come_back_weighted_and_added(run: Run, dtype: Any, kept: int) -> None:
    rows, x = of(dtype, kept, H)
    probs, p = of(dtype, N, K)
    at = RNG.permutation(N * K).astype(np.int32)
    near(run(ops.moe_token_unpermute)(rows, Tensor(at), probs), unpermuted(x, at, p), dtype)
    near(run(ops.moe_token_unpermute)(rows, Tensor(at)), unpermuted(x, at, None), dtype)


@MODES
@DTYPES
@pytest.mark.parametrize("kept", [N * K, 9])
def test_rows_and_weights_have_their_slopes(run: Run, dtype: Any, kept: int) -> None:
    rows, x = of(dtype, kept, H)
    probs, p = of(dtype, N, K)
    at = RNG.permutation(N * K).astype(np.int32)
    weights, dx, dp = slopes(run, ops.moe_token_unpermute, (0, 2), rows, Tensor(at), probs)
    expected_x, expected_p = np.zeros_like(x), np.zeros_like(p)
    for i, row in enumerate(at):
        if row < kept:
            expected_x[row] = weights[i // K] * p[i // K, i % K]
            expected_p[i // K, i % K] = (weights[i // K] * x[row]).sum()
    near(dx, expected_x, dtype)
    near(dp, expected_p, dtype)
    output = run(generated.moe_token_unpermute_grad)(
        rows, Tensor(weights, dtype), Tensor(at), probs
    )
    near(output[0], expected_x, dtype)
    near(output[1], expected_p, dtype)


def test_the_dtype_of_the_weights_is_that_of_the_sums() -> None:
    rows, x = of(ms.float32, 4, H)
    probs, p = of(ms.bfloat16, 2, 2)
    at = np.array([2, 0, 1, 3], np.int32)
    output = ops.moe_token_unpermute(rows, Tensor(at), probs)
    assert output.dtype == ms.float32
    np.testing.assert_array_equal(
        output.asnumpy(), output.astype(ms.bfloat16).astype(ms.float32).asnumpy()
    )
    np.testing.assert_allclose(output.asnumpy(), unpermuted(x, at, p), 3e-2, 3e-2)


def test_no_tokens_give_none() -> None:
    none = Tensor(np.zeros((0, 20), np.float32))
    at = Tensor(np.zeros(0, np.int32))
    assert ops.moe_token_unpermute(none, at).shape == (0, 20)
    assert ms.grad(ops.moe_token_unpermute)(none, at).shape == (0, 20)
    assert ops.moe_token_permute(none, at)[0].shape == (0, 20)


# -- routing ---------------------------------------------------------------------------------------


def counts(experts: np.ndarray, count: int) -> list[int]:
    return [int((experts == e).sum()) for e in range(count)]


@MODES
@DTYPES
@pytest.mark.parametrize("active", [0, 4, 99])
@pytest.mark.parametrize("flag", [0, 1, 2])
def test_rows_are_routed_without_places(run: Run, dtype: Any, active: int, flag: int) -> None:
    tokens, x = of(dtype, N, H)
    experts = chosen(N, K)
    rows, at = permuted(x, experts, active)
    output = run(ops.moe_init_routing_v2)(tokens, Tensor(experts), active, 0, E, 0, flag, True)
    near(output[0], rows, dtype)
    same(output[1], at)
    assert len(output) == (3 if flag else 2)
    if flag:
        each = counts(experts, E)
        same(output[2], np.cumsum(each) if flag == 1 else each)


def in_places(x: np.ndarray, experts: np.ndarray, capacity: int) -> tuple[np.ndarray, list[int]]:
    rows, selected, at = np.zeros((E, capacity, H)), [0] * E, []
    for i, e in enumerate(experts.reshape(-1).tolist()):
        fits = selected[e] < capacity
        at.append(e * capacity + selected[e] if fits else -1)
        if fits:
            rows[e, selected[e]] = x[i // K]
            selected[e] += 1
    return rows, at


@MODES
@DTYPES
@pytest.mark.parametrize("capacity", [1, 3, N])
@pytest.mark.parametrize("flag", [False, True])
def test_rows_are_routed_to_places(run: Run, dtype: Any, capacity: int, flag: bool) -> None:
    tokens, x = of(dtype, N, H)
    experts = chosen(N, K)
    experts[experts == 2] = 3  # one expert has nothing to do
    rows, at = in_places(x, experts, capacity)
    output = run(ops.moe_init_routing_v2)(tokens, Tensor(experts), 0, capacity, E, 1, 2, flag)
    near(output[0], rows, dtype)
    same(output[1], at)
    assert len(output) == (3 if flag else 2)
    if flag:
        same(output[2], counts(experts, E))


@MODES
def test_routed_tokens_have_the_slopes_of_their_rows(run: Run) -> None:
    tokens, x = of(ms.float32, N, H)
    experts = chosen(N, K)
    for places in (0, 1):

        def route(t: Tensor, places: int = places) -> Tensor:
            return ops.moe_init_routing_v2(t, Tensor(experts), 0, 2, E, places, 0, False)[0]

        weights, output = slopes(run, route, 0, tokens)
        at = in_places(x, experts, 2)[1] if places else permuted(x, experts, None)[1]
        expected = np.zeros((N, H))
        for i, row in enumerate(at):
            expected[i // K] += weights.reshape(-1, H)[row] if row >= 0 else 0
        near(output, expected, ms.float32)


@MODES
@DTYPES
@pytest.mark.parametrize("active", [2, N])
def test_rows_are_routed_by_numbers(run: Run, dtype: Any, active: int) -> None:
    tokens, x = of(dtype, N, H)
    experts = chosen(N, K)
    numbers = np.arange(N * K, dtype=np.int32).reshape(K, N).T
    output = run(generated.MoeInitRouting())(
        tokens, Tensor(numbers.copy()), Tensor(experts), active
    )
    flat = list(zip(experts.reshape(-1).tolist(), numbers.reshape(-1).tolist(), strict=True))
    ordered = sorted(flat, key=lambda pair: pair[0])
    near(output[0], np.array([x[n % N] for _, n in ordered[: active * K]]), dtype)
    same(output[1], np.argsort([n for _, n in ordered]))
    same(output[2], [e for e, _ in ordered])


@MODES
@DTYPES
@pytest.mark.parametrize("more", [False, True])
def test_moe_finalize_routing_combines_the_expert_outputs(run: Run, dtype: Any, more: bool) -> None:
    (rows, r), (x1, a), (x2, b) = of(dtype, N * K, H), of(dtype, N, H), of(dtype, N, H)
    (bias, c), (scales, s) = of(dtype, E, H), of(dtype, N, K)
    at, experts = RNG.permutation(N * K).astype(np.int32), chosen(N, K)
    finalize, second = generated.MoeFinalizeRouting(), x2 if more else None

    def combine(r: Tensor, x: Tensor, c: Tensor, s: Tensor) -> Tensor:
        return finalize(r, x, second, c, s, Tensor(at), Tensor(experts))

    expected = a + b if more else a.copy()
    for n in range(N):
        for k in range(K):
            expected[n] += s[n, k] * (r[at[k * N + n]] + c[experts[n, k]])
    output = run(combine)(rows, x1, bias, scales)
    assert output.dtype == dtype
    np.testing.assert_allclose(wide(output), expected, 4 * CLOSE[dtype], 4 * CLOSE[dtype])
    if dtype == ms.float32:
        weights, dr, dx, dc, ds = slopes(run, combine, (0, 1, 2, 3), rows, x1, bias, scales)
        expected_r, expected_c, expected_s = np.zeros_like(r), np.zeros_like(c), np.zeros_like(s)
        for n in range(N):
            for k in range(K):
                i, e = at[k * N + n], experts[n, k]
                expected_r[i] = s[n, k] * weights[n]
                expected_c[e] += s[n, k] * weights[n]
                expected_s[n, k] = ((r[i] + c[e]) * weights[n]).sum()
        for actual, reference in (
            (dr, expected_r),
            (dx, weights),
            (dc, expected_c),
            (ds, expected_s),
        ):
            np.testing.assert_allclose(actual.asnumpy(), reference, 1e-5, 1e-6)


# -- gating ----------------------------------------------------------------------------------------


@MODES
@DTYPES
@pytest.mark.parametrize("lead", [(N,), (2, N)])
@pytest.mark.parametrize("done", [False, True])
def test_tokens_choose_experts_by_a_softmax(run: Run, dtype: Any, lead: Any, done: bool) -> None:
    scores, x = of(dtype, *lead, E)
    finished = RNG.random(lead) < 0.5
    gate = generated.MoeGatingTopKSoftmax()
    output = run(gate)(scores, Tensor(finished) if done else None, K)
    shares = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    best = np.argsort(-x, -1, kind="stable")[..., :K]
    near(output[0], np.take_along_axis(shares, best, -1), dtype)
    same(output[1], np.where(finished[..., None] & done, E, best))
    count = int(np.prod(lead))
    same(output[2], (np.arange(count)[:, None] + count * np.arange(K)).reshape(*lead, K))


def test_of_equal_scores_the_first_is_chosen() -> None:
    scores = Tensor([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    same(generated.MoeGatingTopKSoftmax()(scores, k=2)[1], [[0, 1], [1, 2]])


@MODES
def test_chosen_shares_have_their_slopes(run: Run) -> None:
    scores, x = of(ms.float32, N, E)
    weights, output = slopes(run, lambda s: generated.MoeGatingTopKSoftmax()(s, k=2)[0], 0, scores)
    expected = np.zeros_like(x)
    shares = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    for n in range(N):
        for k, e in enumerate(np.argsort(-x[n])[:2]):
            expected[n] += weights[n, k] * shares[n, e] * ((np.arange(E) == e) - shares[n])
    near(output, expected, ms.float32)


@MODES
def test_sorted_experts_are_counted(run: Run) -> None:
    experts = np.sort(chosen(40))
    output = run(generated.MoeComputeExpertTokens())(Tensor(experts), E + 2)
    same(output, np.cumsum(counts(experts, E + 2)))
    same(
        run(generated.moe_compute_expert_tokens)(Tensor(experts), 2), np.cumsum(counts(experts, 2))
    )


def best_groups(x: np.ndarray, groups: int, best: int, each: int) -> np.ndarray:
    parts = x.reshape(-1, groups, x.shape[-1] // groups).copy()
    for row in parts:
        sums = [np.sort(part)[::-1][:each].sum() for part in row]
        for g in sorted(range(groups), key=lambda g: (-sums[g], g))[best:]:
            row[g] = 0
    return parts.reshape(x.shape)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("shape", [(N, 12), (2, N, 12)])
def test_scores_outside_of_the_best_groups_become_0(mode: int, dtype: Any, shape: Any) -> None:
    ms.set_context(mode=mode)
    token, x = of(dtype, *shape)
    printed = token.view(-1)
    numbers = Tensor(np.arange(16, dtype=np.int32))

    class Net(ms.nn.Cell):
        def construct(self, token: Tensor) -> Tensor:
            ops.GroupTopk()(token, numbers, 4, 2, 2)
            return token * 1

    output = Net()(token)
    expected = best_groups(x, 4, 2, 2)
    assert (expected == 0).sum() == x.size // 2
    for changed in (output, token, printed.view(shape)):
        same(changed.astype(ms.float32), expected, ms.float32)


def test_groups_are_checked_before_anything_changes() -> None:
    token, numbers = Tensor(np.ones((2, 12)), ms.float16), Tensor(np.arange(11, dtype=np.int32))
    with pytest.raises(ValueError, match="idx_arr must hold at least 12 numbers, one for each"):
        ops.GroupTopk()(token, numbers, 4, 2)
    numbers = Tensor(np.arange(12, dtype=np.int32))
    for groups, k, inner, rule in (
        (5, 1, 1, "group_num must divide the 12 experts, got 5"),
        (4, 5, 1, r"k must be in \[1, 4\], got 5"),
        (4, 1, 4, r"k_inner must be in \[1, 3\], got 4"),
    ):
        with pytest.raises(ValueError, match=rule):
            ops.GroupTopk()(token, numbers, groups, k, inner)
    with pytest.raises(TypeError, match="token must be a Tensor of float16 or bfloat16"):
        ops.GroupTopk()(token.astype(ms.float32), numbers, 4, 2)
    same(token, np.ones((2, 12)), ms.float16)


@MODES
@DTYPES
@pytest.mark.parametrize("norm", [False, True])
def test_sigmoids_choose_experts_of_the_best_groups(run: Run, dtype: Any, norm: bool) -> None:
    (scores, x), (more, a) = of(dtype, N, 12), of(dtype, 12)
    weights, experts = run(generated.fused_add_topk_div)(scores, more + 3, 4, 2, 2, 3, 0, norm, 2.5)
    a = wide(more + 3)
    liked = 1 / (1 + np.exp(-x))
    ranked = best_groups(liked + a, 4, 2, 2)
    best = np.argsort(-ranked, -1, kind="stable")[:, :3]
    expected = np.take_along_axis(liked, best, -1)
    same(experts, best)
    near(
        weights, expected / expected.sum(-1, keepdims=True) * 2.5 if norm else expected, ms.float32
    )


@MODES
@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("drop", [0, 1])
@pytest.mark.parametrize("capacity", [1, 3, 50])
def test_tokens_find_places_with_their_experts(
    run: Run, kind: Any, drop: int, capacity: int
) -> None:
    experts = chosen(2, N, K)
    dispatch, combine = np.zeros((2, E, capacity), kind), np.zeros((2, N, K), kind)
    for b in range(2):
        selected = [0] * E
        order = [(n, k) for n in range(N) for k in range(K)]
        for n, k in sorted(order, key=lambda at: at[::-1]) if drop else order:
            e = experts[b, n, k]
            combine[b, n, k] = e * (capacity + 1)
            if selected[e] < capacity:
                dispatch[b, e, selected[e]] = n + 1
                selected[e] += 1
                combine[b, n, k] += selected[e]
    output = run(generated.TopKRouter())(Tensor(experts.astype(kind)), capacity, E, drop)
    dtype = ms.int32 if kind is np.int32 else ms.int64
    same(output[0], dispatch, dtype)
    same(output[1], combine, dtype)


# -- all of them -----------------------------------------------------------------------------------


@DTYPES
def test_op_by_op_and_in_a_graph_the_bits_are_the_same(dtype: Any) -> None:
    (x, _), (rows, _), (probs, _) = of(dtype, N, H), of(dtype, N * K, H), of(dtype, N, K)
    experts, at = Tensor(chosen(N, K)), Tensor(RNG.permutation(N * K).astype(np.int32))
    scores, bias = of(dtype, N, 12)[0], of(dtype, E, H)[0]
    finalize = generated.MoeFinalizeRouting()

    def permute(x: Tensor) -> tuple[Tensor, Tensor]:
        return ops.moe_token_permute(x, experts)

    def unpermute(r: Tensor, p: Tensor) -> Tensor:
        return ops.moe_token_unpermute(r, at, p)

    calls: list[tuple[Any, ...]] = [
        (permute, x),
        (unpermute, rows, probs),
        (lambda x: ops.moe_init_routing_v2(x, experts, 0, 2, E, 1, 0, True), x),
        (lambda s: generated.MoeGatingTopKSoftmax()(s, k=3), scores),
        (lambda s: generated.fused_add_topk_div(s, s[0] * 1, 4, 2, 2, 3), scores),
        (lambda r, x, p: finalize(r, x, x, bias, p, at, experts), rows, x, probs),
        (sloped(lambda x: permute(x)[0], 0, rows), x),
        (sloped(unpermute, (0, 1), x), rows, probs),
    ]
    for f, *args in calls:
        plain, whole = f(*args), graph(f)(*args)
        pairs = zip(plain, whole, strict=True) if isinstance(plain, tuple) else [(plain, whole)]
        for a, b in pairs:
            same(a.astype(ms.float32), b.astype(ms.float32).asnumpy(), ms.float32)


PATHS = {
    "minispore.ops": "GroupTopk add_layer_norm add_rms_norm moe_init_routing_v2 moe_token_permute",
    "minispore.ops.auto_generate": "AddLayerNormV2 AddRmsNorm FusedAddTopKDiv GroupTopk "
    "GroupedMatmul GroupedMatmulV4 InplaceGroupedMatmulAdd MoeComputeExpertTokens "
    "MoeFinalizeRouting MoeGatingTopKSoftmax MoeInitRouting MoeInitRoutingV2 MoeTokenPermute "
    "MoeTokenUnpermute TopKRouter add_rms_norm fused_add_topk_div group_topk grouped_matmul "
    "grouped_matmul_add_ grouped_matmul_v4 moe_finalize_routing moe_token_unpermute topkrouter",
    "minispore.ops.auto_generate.gen_ops_def": "grouped_matmul moe_init_routing",
    "minispore.ops.auto_generate.gen_ops_prim": "GroupedMatmul MoeTokenPermuteGrad RmsNormGrad",
    "minispore.ops.function": "add_layer_norm moe_token_unpermute",
    "minispore.ops.function.math_func": "gmm gmm_backward gmm_backward_fusion",
    "minispore.ops.function.nn_func": "add_layer_norm add_rms_norm moe_token_permute",
    "minispore.ops.function.other_func": "moe_init_routing_v2",
    "minispore.ops.functional": "add_rms_norm moe_init_routing_v2",
    "minispore.ops.operations": "GroupTopk",
    "minispore.ops.operations._infer_ops": "GroupedMatmul MoeFinalizeRouting MoeGatingTopKSoftmax",
    "minispore.ops.operations._inner_ops": "TopKRouter",
    "minispore.ops.operations.nn_ops": "GroupTopk",
}


@pytest.mark.parametrize("path", PATHS)
def test_names_are_where_mindspore_has_them(path: str) -> None:
    door = importlib.import_module(path)
    for name in PATHS[path].split():
        assert getattr(door, name).__module__.startswith("minispore.ops.transformer")
        assert name in dir(door)


def test_an_expert_below_0_is_refused_by_its_number() -> None:
    rows = Tensor(np.ones((4, 2), np.float32))
    with pytest.raises(RuntimeError, match=r"every index must be in \[0, 4\), got -3\."):
        ops.moe_token_unpermute(rows, Tensor([0, 1, -3, 2], ms.int32))
