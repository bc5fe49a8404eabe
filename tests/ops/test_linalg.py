"""Products of stacks of matrices with a single one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.numpy as mnp
from minispore import Tensor, jit, ops
from minispore.graph import program_of


def whole(*shape: int) -> np.ndarray:
    """Small integers: their sums are exact."""
    return np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype(np.float32)


FORMS = [
    (lambda x, w: ops.matmul(x, w), (5, 6)),
    (lambda x, w: ops.BatchMatMul()(x, w), (5, 6)),
    (lambda x, w: ops.BatchMatMul(transpose_b=True)(x, w), (6, 5)),
]


@pytest.mark.parametrize("stack", [(2, 3), (4, 2, 3), (0, 3)])
@pytest.mark.parametrize("product, shape", FORMS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_stack_times_a_matrix_and_its_gradients(
    product: Any, shape: tuple[int, int], stack: tuple[int, ...], turned: bool
) -> None:
    x, w = whole(*stack, 5), whole(*shape)
    flat = w if shape == (5, 6) else w.T
    if turned:  # the same numbers, lying in another order
        x = np.ascontiguousarray(x.swapaxes(0, -2)).swapaxes(0, -2)
    dy = whole(*stack, 6)

    def weighted(x: Tensor, w: Tensor) -> Tensor:
        return (product(x, w) * Tensor(dy)).sum()

    for run in (lambda f: f, jit):
        assert np.array_equal(run(product)(Tensor(x), Tensor(w)).asnumpy(), x @ flat)
        dx, dw = run(ms.grad(weighted, (0, 1)))(Tensor(x), Tensor(w))
        expected = np.einsum("nk,nf->kf", x.reshape(-1, 5), dy.reshape(-1, 6))
        assert np.array_equal(dx.asnumpy(), dy @ flat.T)
        assert np.array_equal(dw.asnumpy(), expected if shape == (5, 6) else expected.T)


@pytest.mark.parametrize("product, shape", FORMS)
def test_the_gradient_of_the_matrix_takes_no_memory_for_each_of_the_stack(
    product: Any, shape: tuple[int, int]
) -> None:
    x, w = Tensor(whole(100, 3, 5)), Tensor(whole(*shape))
    program = program_of(ms.grad(lambda x, w: product(x, w).sum(), 1), x, w)
    assert max(o.spec.size for n in program.nodes for o in n.outputs) <= 100 * 3 * 6


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
@pytest.mark.parametrize("full", [False, True])
def test_complex_matrices_have_singular_values_too(shape: tuple[int, ...], full: bool) -> None:
    rng = np.random.default_rng(0)
    x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
    s, u, v = (t.asnumpy() for t in ops.svd(Tensor(x), full))
    assert s.dtype == u.dtype == v.dtype == np.complex64
    np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), rtol=1e-5)
    k = s.shape[-1]
    second = u[..., :k] * s[..., None, :] @ v[..., :k].conj().swapaxes(-1, -2)
    np.testing.assert_allclose(second, x, atol=1e-5)
    with pytest.raises(TypeError, match="must be real to be differentiated"):
        ms.grad(lambda t: ops.svd(t, compute_uv=False))(Tensor(x))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 5, 3)])
def test_columns_that_complete_a_basis_have_a_gradient(mode: int, shape: tuple[int, ...]) -> None:
    """They span what the others leave: p p^T = 1 - u u^T, and so with the gradients."""
    ms.set_context(mode=mode)
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal(shape).astype(np.float32))
    side, k = max(shape[-2:]), min(shape[-2:])
    weights = Tensor(rng.standard_normal((side, side)).astype(np.float32))
    which = 1 if shape[-2] > shape[-1] else 2

    def of_rest(t: Tensor) -> Tensor:
        rest = ops.svd(t, full_matrices=True)[which][..., k:]
        return (ops.matmul(rest, rest.swapaxes(-1, -2)) * weights).sum()

    def of_first(t: Tensor) -> Tensor:
        first = ops.svd(t)[which]
        return -(ops.matmul(first, first.swapaxes(-1, -2)) * weights).sum()

    gradient, expected = ms.grad(of_rest)(x).asnumpy(), ms.grad(of_first)(x).asnumpy()
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-5)


def test_a_basis_that_is_completed_has_mindspores_gradient() -> None:
    # np.random.default_rng(0): the input, then the weights; the numbers are MindSpore's
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((4, 3)).astype(np.float32))
    weights = Tensor(rng.standard_normal((4, 4)).astype(np.float32))

    def loss(t: Tensor) -> Tensor:
        rest = ops.svd(t, full_matrices=True)[1][:, 3:]
        return (ops.matmul(rest, rest.T) * weights).sum()

    expected = [
        [-0.97214824, 2.718374, 2.012677],
        [-0.23920149, 0.66886824, 0.4952283],
        [-1.0797727, 3.0193195, 2.2354963],
        [-1.2291117, 3.4369092, 2.5446787],
    ]
    np.testing.assert_allclose(ms.grad(loss)(x).asnumpy(), expected, rtol=1e-5)


def test_svd_as_an_op_has_three_outputs_whatever_it_computes() -> None:
    x = Tensor(np.arange(12, dtype=np.float32).reshape(2, 3, 2))
    s, u, v = ops.Svd(False, False)(x)
    np.testing.assert_allclose(s.asnumpy(), ops.svd(x)[0].asnumpy(), rtol=1e-5)
    assert u.asnumpy().tolist() == v.asnumpy().tolist() == [0]
    assert ops.svd(x, compute_uv=False).shape == x.svd(False, False).shape == (2, 2)


# What torch gives for these: letters that come twice, ellipses that the result leaves out.
SUMS: list[tuple[str, tuple[tuple[int, ...], ...], Any]] = [
    ("...->", ((2, 3),), lambda x: x.sum()),
    ("i...->", ((2, 3, 2),), lambda x: x.sum()),
    ("...ij->", ((2, 3),), lambda x: x.sum()),
    ("i...->...", ((2, 3, 2),), lambda x: x.sum(0)),
    ("ii", ((3, 3),), np.trace),
    ("ii->i", ((3, 3),), np.diagonal),
    ("iii->i", ((2, 2, 2),), lambda x: np.array([x[0, 0, 0], x[1, 1, 1]])),
    ("...ii->...", ((2, 3, 3),), lambda x: x.trace(axis1=1, axis2=2)),
    ("iij,jk->ik", ((3, 3, 2), (2, 4)), lambda x, y: np.stack([x[i, i] @ y for i in range(3)])),
    ("...j,jk->...k", ((2, 2, 3), (3, 2)), np.matmul),
    ("ij,ij->", ((1, 3), (2, 3)), lambda x, y: (x * y).sum()),
    ("...i,...i->...", ((2, 1, 3), (4, 3)), lambda x, y: (x * y).sum(-1)),
    ("ij,kl->", ((2, 3), (2, 2)), lambda x, y: x.sum() * y.sum()),
]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("equation", "shapes", "expected"), SUMS, ids=[s[0] for s in SUMS])
def test_einsum_and_its_gradients(mode: int, equation: str, shapes: Any, expected: Any) -> None:
    ms.set_context(mode=mode)
    xs = [whole(*shape) for shape in shapes]
    result = np.asarray(expected(*xs))
    assert np.array_equal(ops.einsum(equation, *map(Tensor, xs)).asnumpy(), result)
    weights = np.arange(1, result.size + 1, dtype=np.float32).reshape(result.shape)

    def total(*tensors: Tensor) -> Tensor:
        return (ops.einsum(equation, *tensors) * Tensor(weights)).sum()

    for i, x in enumerate(xs):
        gradient = ms.grad(total, i)(*map(Tensor, xs)).asnumpy()
        slopes = np.zeros_like(x)
        for at in np.ndindex(x.shape):  # it is linear in each input
            one = np.zeros_like(x)
            one[at] = 1
            slopes[at] = (np.asarray(expected(*xs[:i], one, *xs[i + 1 :])) * weights).sum()
        assert np.array_equal(gradient, slopes)


A, B = np.arange(6.0, dtype=np.float32), np.arange(1.0, 7.0, dtype=np.float32)


@pytest.mark.parametrize("product", [ops.tensor_dot, ms.numpy.tensordot])
def test_axes_of_mirrored_lengths_are_counted_anew_and_summed_over(product) -> None:
    x, y = Tensor(A.reshape(1, 2, 3)), Tensor(B.reshape(1, 2, 3))
    output = product(x, y, ((1, 0), (0, 1)))
    assert output.asnumpy().tolist() == (A.reshape(2, 3).T @ B.reshape(2, 3)).tolist()
    output = product(Tensor(A.reshape(2, 3)), Tensor(B.reshape(3, 2)), ((0, 1), (0, 1)))
    assert output.asnumpy().tolist() == A @ B


@pytest.mark.parametrize("product", [ops.tensor_dot, ms.numpy.tensordot])
def test_an_axis_of_one_element_is_not_summed_with_a_longer_one(product) -> None:
    with pytest.raises(ValueError, match="axes to sum over must agree"):
        product(Tensor(A.reshape(6, 1)), Tensor(B.reshape(3, 2)), 1)
    with pytest.raises(ValueError, match="axes to sum over must agree"):
        product(Tensor(A.reshape(1, 6)), Tensor(B.reshape(2, 3)), ((0, 1), (0, 1)))


def test_complex_slices_are_scaled_down_by_their_absolute_values() -> None:
    x = np.array([[3 + 4j, 0], [0.3j, 0.4]], np.complex64)
    output = ops.renorm(Tensor(x), 2, 0, 1.0)
    assert output.dtype is ms.complex64
    np.testing.assert_allclose(output.asnumpy(), [[0.6 + 0.8j, 0], [0.3j, 0.4]], rtol=1e-6)


@pytest.mark.parametrize("rows, columns", [((), ()), ((2,), (3,)), ((), (3,)), ((2, 0), (3,))])
@pytest.mark.parametrize("length", [0, 2])
def test_sums_of_products_over_an_axis_without_elements_are_zero(
    rows: tuple[int, ...], columns: tuple[int, ...], length: int
) -> None:
    x, y = whole(*rows, length), whole(*columns, length)
    expected = np.inner(x, y)
    for call in (
        ops.inner,
        mnp.inner,
        lambda a, b: mnp.tensordot(a, b, ((-1,), (-1,))),
        lambda a, b: ops.tensor_dot(a, b, ((-1,), (-1,))),
    ):
        np.testing.assert_array_equal(call(Tensor(x), Tensor(y)).asnumpy(), expected)
