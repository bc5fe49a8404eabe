"""Products of rows in groups are those of each group, in each dtype and mode, with their slopes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.ops.auto_generate as generated
from minispore import Tensor
from minispore.ops.function import math_func
from tests.ops.ways import DTYPES, MODES, Run, graph, wide

CLOSE = {ms.float16: 2e-3, ms.bfloat16: 1.6e-2, ms.float32: 2e-6}
RNG = np.random.default_rng(0)
M, K, N = 9, 5, 4
LENGTHS = [2, 0, 4, 3]
E, ENDS = len(LENGTHS), np.cumsum(LENGTHS)


def of(dtype: Any, *shape: int) -> tuple[Tensor, np.ndarray]:
    """A tensor, and its numbers in float64."""
    x = Tensor(RNG.standard_normal(shape), dtype)
    return x, wide(x)


def near(actual: Tensor, expected: np.ndarray, dtype: Any) -> None:
    assert actual.dtype == dtype
    np.testing.assert_allclose(wide(actual), expected, CLOSE[dtype], CLOSE[dtype])


def bias_of(dtype: Any, *shape: int) -> tuple[Tensor, np.ndarray]:
    return of(ms.float16 if dtype == ms.float16 else ms.float32, *shape)


def rows(x: np.ndarray, w: np.ndarray, ends: Any, bias: Any = None) -> np.ndarray:
    output = np.zeros((len(x), w.shape[2]))
    for e, (a, b) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        output[a:b] = x[a:b] @ w[e] + (0 if bias is None else bias[e])
    return output


def outer(a: np.ndarray, b: np.ndarray, ends: Any) -> np.ndarray:
    return np.array([a[i:j].T @ b[i:j] for i, j in zip([0, *ends[:-1]], ends, strict=True)])


def list_of(*numbers: int) -> Tensor:
    return Tensor(np.array(numbers, np.int64))


@MODES
@DTYPES
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("last", [M, 6])
def test_each_group_of_rows_has_its_matrix(run: Run, dtype: Any, biased: bool, last: int) -> None:
    (x, a), (w, b), (bias, c) = of(dtype, M, K), of(dtype, E, K, N), bias_of(dtype, E, N)
    ends = np.minimum(ENDS, last)
    expected = rows(a, b, ends, c if biased else None)
    inputs = [bias] if biased else None
    one = generated.GroupedMatmul(3, 0)
    output = run(one)([x], [w], inputs, None, None, None, None, list_of(*ends))
    assert len(output) == 1
    near(output[0], expected, dtype)
    lengths = list_of(*np.diff(ends, prepend=0))
    by_length = generated.GroupedMatmulV4()
    given_v4 = [None] * 5, [None] * 3
    for group_list, kind in ((list_of(*ends), 0), (lengths, 1)):
        v4 = run(by_length)((x,), (w,), inputs, *given_v4[0], group_list, *given_v4[1], 3, 0, kind)
        np.testing.assert_array_equal(wide(v4[0]), wide(output[0]))


@MODES
@DTYPES
@pytest.mark.parametrize("biased", [False, True])
def test_each_matrix_is_multiplied_by_its_weight(run: Run, dtype: Any, biased: bool) -> None:
    (x, a), (y, b) = of(dtype, M, K), of(dtype, 2, 3, M, N)
    (v, c), (w, d) = of(dtype, K, 3), of(dtype, N, 2)
    (p, e), (q, f) = bias_of(dtype, 3), bias_of(dtype, 2)
    multiply = run(generated.grouped_matmul)
    output = multiply([x, y], [v, w], [p, q] if biased else None)
    near(output[0], a @ c + (e if biased else 0), dtype)
    near(output[1], b @ d + (f if biased else 0), dtype)


@MODES
@DTYPES
def test_columns_in_groups_meet_rows_in_groups(run: Run, dtype: Any) -> None:
    (x, a), (w, b), (bias, c) = of(dtype, K, M), of(dtype, M, N), bias_of(dtype, E, N)
    output = run(generated.GroupedMatmul(3, 2))(
        [x], [w], None, None, None, None, None, list_of(*ENDS)
    )
    near(output[0], outer(a.T, b, ENDS), dtype)
    output = run(math_func.gmm)([x], [w], [bias], list_of(*LENGTHS), 2, 1)
    near(output[0], outer(a.T, b, ENDS) + c[:, None], dtype)
    output = run(generated.grouped_matmul_v2)(
        [x], [w], None, None, None, None, None, ENDS.tolist(), 3, 2
    )
    near(output[0], outer(a.T, b, ENDS), dtype)


@MODES
@DTYPES
@pytest.mark.parametrize("kind", [list, tuple, lambda ends: list_of(*ends)])
def test_gmm_has_its_gradients(run: Run, dtype: Any, kind: Any) -> None:
    (x, a), (w, b), (grad, g) = of(dtype, M, K), of(dtype, E, K, N), of(dtype, M, N)
    ends = kind(ENDS.tolist())
    near(
        run(lambda x, w: math_func.gmm([x], [w], group_list=ends))(x, w)[0], rows(a, b, ENDS), dtype
    )
    expected = rows(g, b.swapaxes(1, 2), ENDS), outer(a, g, ENDS)

    def weighted(x: Tensor, w: Tensor) -> Tensor:
        return (math_func.gmm([x], [w], group_list=ends)[0] * grad).astype(ms.float32).sum()

    def backward(grad: Tensor, x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        (dx,), (dw,), none = math_func.gmm_backward([grad], [x], [w], ends)
        (single,), nothing, no_one = math_func.gmm_backward_fusion([grad], [w], ends)
        assert none == nothing == no_one == []
        return dx, dw, single

    for actual, reference in zip(run(ms.grad(weighted, (0, 1)))(x, w), expected, strict=True):
        near(actual, reference, dtype)
    for actual, reference in zip(run(backward)(grad, x, w), (*expected, expected[0]), strict=True):
        near(actual, reference, dtype)


@MODES
@DTYPES
def test_biases_have_their_slopes(run: Run, dtype: Any) -> None:
    (x, _), (w, _), (bias, _) = of(dtype, M, K), of(dtype, E, K, N), bias_of(dtype, E, N)
    grad, g = of(dtype, M, N)

    def weighted(bias: Tensor) -> Tensor:
        output = math_func.gmm([x], [w], [bias], list_of(*ENDS))[0]
        return (output * grad).astype(ms.float32).sum()

    near(run(ms.grad(weighted))(bias), outer(np.ones((M, 1)), g, ENDS)[:, 0], bias.dtype)


def test_the_bias_is_added_before_anything_is_rounded() -> None:
    x, w = Tensor([[1.0]], ms.bfloat16), Tensor([[257.0]], ms.bfloat16)  # 256 in bfloat16
    bias = Tensor([2.0], ms.float32)
    (output,) = generated.grouped_matmul([x], [w], [bias])
    assert wide(output) == 258
    x, w = Tensor([[1.0, 1.0]], ms.bfloat16), Tensor([[256.0], [1.0]], ms.bfloat16)
    (output,) = generated.grouped_matmul([x], [w], [Tensor([1.0], ms.float32)])
    assert wide(output) == 258  # 257 would have been 256, and 256 + 1 is 256 again


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("shape", [(E, K, N), (E * K, N)])
def test_products_are_added_in_place(mode: int, dtype: Any, shape: Any) -> None:
    ms.set_context(mode=mode)
    (x, a), (w, b), (out, c) = of(dtype, M, K), of(dtype, M, N), of(ms.float32, *shape)

    class Net(ms.nn.Cell):
        def construct(self, x: Tensor, w: Tensor, ends: Tensor, out: Tensor) -> Tensor:
            return generated.grouped_matmul_add_(x, w, ends, out)

    output = Net()(x, w, list_of(*ENDS), out)
    expected = c + outer(a, b, ENDS).reshape(shape)
    near(output, expected, ms.float32)
    near(out, expected, ms.float32)


@DTYPES
def test_op_by_op_and_in_a_graph_the_bits_are_the_same(dtype: Any) -> None:
    (x, _), (w, _), (bias, _) = of(dtype, 33, 40), of(dtype, E, 40, 24), bias_of(dtype, E, 24)
    grad, ends = of(dtype, 33, 24)[0], list_of(10, 10, 30, 33)

    def multiply(x: Tensor, w: Tensor) -> Tensor:
        return math_func.gmm([x], [w], [bias], ends)[0]

    def weighted(x: Tensor, w: Tensor) -> Tensor:
        output = math_func.gmm([x], [w], None, ends)[0]
        return (output * grad).astype(ms.float32).sum()

    plain = multiply(x, w), *ms.grad(weighted, (0, 1))(x, w)
    whole = graph(multiply)(x, w), *graph(ms.grad(weighted, (0, 1)))(x, w)
    for a, b in zip(plain, whole, strict=True):
        np.testing.assert_array_equal(wide(a), wide(b))


X, W, LIST = (
    Tensor(np.ones((M, K), np.float32)),
    Tensor(np.ones((E, K, N), np.float32)),
    list_of(*ENDS),
)
INT8 = Tensor(np.ones((E, K, N), np.int8))


@pytest.mark.parametrize(
    "value, error, rule",
    [
        ({"group_type": 1}, ValueError, "group_type must be -1, 0 or 2, got 1"),
        ({"split_item": 0}, ValueError, "split_item must be 3 with group_type 0, got 0"),
        ({"group_type": 0.0}, TypeError, "group_type must be an int"),
        ({"group_list": None}, TypeError, "group_list must be a Tensor, or a list"),
        ({"group_list": LIST.astype(ms.int32)}, TypeError, "group_list must be a Tensor of int64"),
        ({"group_list": list_of(4, M)}, ValueError, r"weight\[0\] must have the shape \(2, 5, 4\)"),
        ({"group_list": list_of(4, 2, 5, M)}, ValueError, "group_list must say where each group"),
        ({"group_list": list_of(1, 2, 5, 10)}, ValueError, r".*got ends \[1, 2, 5, 10\]"),
        ({"group_list": [2, 2, 6, 8]}, ValueError, ".*ends of groups, the last 9, got"),
        ({"x": X}, TypeError, "x must be a tuple or list of Tensors"),
        ({"x": [X, X]}, ValueError, "weight must hold 2 tensors, as many as x, got 1"),
        ({"weight": [W.astype(ms.float16)]}, TypeError, r"weight\[0\] must be a Tensor of float32"),
        ({"weight": [INT8]}, TypeError, r"weight\[0\] must be a Tensor of float32, got Int8"),
        ({"bias": [Tensor(np.ones((E, N)), ms.float16)]}, TypeError, r"bias\[0\] must be a Tensor"),
        ({"bias": [Tensor(np.ones(N, np.float32))]}, ValueError, r"bias\[0\] must have the shape"),
        ({"scale": [X]}, NotImplementedError, "scale must be None, got tensors. What is quantised"),
        ({"antiquant_scale": [X]}, NotImplementedError, "antiquant_scale must be None"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(value: Any, error: type[Exception], rule: str) -> None:
    names = {"x": [X], "weight": [W], "group_list": LIST, "split_item": 3, "group_type": 0}
    with pytest.raises(error, match=f"GroupedMatmul.*: {rule}"):
        generated.grouped_matmul_v2(**{**names, **value})


@pytest.mark.parametrize(
    "value, error, rule",
    [
        ({"group_list_type": 2}, ValueError, r"group_list_type must be in \[0, 1\], got 2"),
        ({"act_type": 1}, ValueError, "act_type must be"),
        ({"group_list": [M]}, TypeError, "group_list must be a Tensor"),
        ({"pre_token_scale": [X]}, NotImplementedError, "pre_token_scale must be None"),
    ],
)
def test_what_does_not_fit_the_newest_is_refused(value: Any, error: Any, rule: str) -> None:
    names = {"x": [X], "weight": [W], "group_list": LIST, "split_item": 3, "group_type": 0}
    with pytest.raises(error, match=f"GroupedMatmulV4: {rule}"):
        generated.grouped_matmul_v4(**{**names, **value})


def test_other_things_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="transpose_b must be False"):
        generated.GroupedMatmul(3, 0, False, True)([X], [W], group_list=LIST)
    with pytest.raises(ValueError, match="group_list must be None with group_type -1"):
        generated.GroupedMatmul()([X], [W[0]], group_list=LIST)
    with pytest.raises(ValueError, match="group_type must be 0 or 2, got -1"):
        math_func.gmm([X], [W], None, LIST, -1)
    half, out = X.astype(ms.float16), Tensor(np.ones((E, K, K), np.float32))
    for x, w, ends, into, error in (
        (X, half, LIST, out, TypeError),
        (half, X.astype(ms.bfloat16), LIST, out, TypeError),
        (half, half, LIST.astype(ms.int32), out, TypeError),
        (half, half, LIST, out.astype(ms.float16), TypeError),
        (half, half[:5], LIST, out, ValueError),
        (half, half, list_of(4, M), out, ValueError),
        (half, half, list_of(5, 4, 4, M), out, ValueError),
    ):
        with pytest.raises(error, match=r"must"):
            generated.grouped_matmul_add_(x, w, ends, into)
    np.testing.assert_array_equal(out.asnumpy(), 1)


def test_empty_tensors_stand_for_none() -> None:
    none = [Tensor(np.zeros(0, np.float16))]
    (output,) = generated.GroupedMatmul()([X], [W[0]], none, none, none, none, none)
    near(output, np.full((M, N), float(K)), ms.float32)
