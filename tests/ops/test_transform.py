"""vjp, jvp, Jacobians, higher derivatives and vmap, on functions whose derivatives are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, ops

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])


def both(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x * y, x + y


def lists(tree: Any) -> Any:
    if isinstance(tree, tuple):
        return [lists(t) for t in tree]
    return tree.asnumpy().tolist()


def test_vjp_returns_the_output_and_a_reusable_function() -> None:
    out, back = ops.vjp(both, X, Y)
    assert lists(out) == [[3, 10], [4, 7]]
    assert lists(back(X, Y)) == [[6, 15], [4, 9]]
    assert lists(back(Tensor([0.0, 0.0]), X)) == [[1, 2], [1, 2]]


def test_vjp_with_aux_and_with_weights() -> None:
    w = Parameter(Tensor([2.0, 2.0]), name="w")
    _, back, aux = ops.vjp(lambda x: (x * w, x * 7), X, weights=w, has_aux=True)
    assert lists(aux) == [7, 14]
    assert lists(back(Y)) == [[[6, 10]], [3, 10]]


def test_vjp_refuses_a_cotangent_of_another_shape() -> None:
    _, back = ops.vjp(lambda x: x * x, X)
    with pytest.raises(ValueError, match=r"cotangents must have the shapes \[\(2,\)\]"):
        back(Tensor(1.0))


def test_jvp_is_the_change_along_a_direction() -> None:
    out, change = ops.jvp(both, (X, Y), (Tensor([1.0, 0.0]), Tensor([0.0, 1.0])))
    assert lists(out) == [[3, 10], [4, 7]]
    assert lists(change) == [[3, 2], [1, 1]]


def test_jvp_of_what_does_not_depend_on_its_input_is_zero() -> None:
    assert lists(ops.jvp(lambda x: Y * 2, X, X)[1]) == [0, 0]


def test_jvp_in_a_graph() -> None:
    f = ms.jit(lambda x, v: ops.jvp(lambda t: t * t * t, x, v))
    assert lists(f(X, Tensor([1.0, 10.0]))) == [[1, 8], [3, 120]]


def test_jvp_refuses_a_direction_of_another_shape() -> None:
    with pytest.raises(ValueError, match=r"v must have the shapes \[\(2,\)\], got \[\(1,\)\]"):
        ops.jvp(lambda x: x, X, Tensor([1.0]))


@pytest.mark.parametrize("jacobian", [ops.jacrev, ops.jacfwd])
def test_jacobians_are_nested_by_output_and_position(jacobian: Any) -> None:
    table = jacobian(both, grad_position=(0, 1))(X, Y)
    assert lists(table[0]) == [[[3, 0], [0, 5]], [[1, 0], [0, 2]]]
    assert lists(table[1]) == [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]
    matrix, aux = jacobian(both, has_aux=True)(X, Y)
    assert lists(matrix) == [[3, 0], [0, 5]] and lists(aux) == [4, 7]


@pytest.mark.parametrize("jacobian", [ops.jacrev, ops.jacfwd])
def test_a_jacobian_has_the_shape_of_output_and_input(jacobian: Any) -> None:
    x = Tensor(np.ones((2, 3), np.float32))
    assert jacobian(lambda t: t.sum(0))(x).shape == (3, 2, 3)
    assert jacobian(lambda t: t.sum())(x).shape == (2, 3)


def test_a_jacobian_of_a_jacobian_is_the_hessian() -> None:
    hessian = ops.jacfwd(ops.jacrev(lambda x: (x * x * x).sum()))(X)
    assert lists(hessian) == [[6, 0], [0, 12]]


def test_a_jacobian_refuses_a_position_that_holds_no_tensor() -> None:
    with pytest.raises(ValueError, match="grad_position must name tensors"):
        ops.jacrev(both, 2)(X, Y)


def test_derivatives_of_any_order() -> None:
    out, third = ops.derivative(lambda x: x**4, X, 3)
    assert lists(out) == [1, 16] and lists(third) == [24, 48]
    _, series = ops.jet(lambda x: x * x, Tensor(3.0), Tensor([1.0, 1.0]))
    assert lists(series) == [6, 8]  # (x^2)' = 2xx', (x^2)'' = 2x'^2 + 2xx''


def test_derivatives_of_several_outputs_are_lists() -> None:
    def both_powers(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x**3, y**2

    out, second = ops.derivative(both_powers, (X, Y), 2)
    assert [lists(o) for o in out] == [lists(X**3), lists(Y**2)]
    assert [lists(s) for s in second] == [lists(6 * X), [2] * Y.size]


def test_vmap_slices_in_axes_and_stacks_along_out_axes() -> None:
    f = ops.vmap(lambda x, y: x - y, in_axes=(1, None), out_axes=1)
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert lists(f(x, X)) == lists(x - X.reshape(2, 1))


@pytest.mark.parametrize("axes", [(1,), [1], (-1,)])
def test_the_axis_of_a_single_output_may_stand_in_a_tuple(axes):
    x = Tensor(np.arange(6.0).reshape(2, 3), ms.float32)
    actual = ops.vmap(lambda a: a * 2, 0, axes)(x)
    np.testing.assert_array_equal(actual.asnumpy(), 2 * x.asnumpy().T)
    nested = ops.vmap(ops.vmap(ops.relu, -1, (0,)), -1, (0,))(x)
    np.testing.assert_array_equal(nested.asnumpy(), x.asnumpy().T)
    with pytest.raises(RuntimeError, match="out_axes must fit"):
        ops.vmap(lambda a: a * 2, 0, (0, 0))(x)


def test_vmap_of_several_outputs_and_nested_inputs() -> None:
    f = ops.vmap(lambda p, s: (p[0] + p[1], p[0] * s), in_axes=((0, None), None), out_axes=(0, 0))
    assert lists(f((X, Tensor(10.0)), Tensor(2.0))) == [[11, 12], [2, 4]]


def test_vmap_in_vmap_and_under_grad() -> None:
    outer = ops.vmap(ops.vmap(lambda a, b: a * b, (None, 0)), (0, None))
    assert lists(outer(X, Y)) == [[3, 5], [6, 10]]
    assert lists(ms.grad(lambda x: ops.vmap(lambda t: t * t)(x).sum())(X)) == [2, 4]


def test_vmap_over_cells_gives_each_its_slice() -> None:
    double, triple = (lambda x: x * 2), (lambda x: x * 3)
    assert lists(ops.vmap([double, triple])(X)) == [2, 6]


def test_vmap_refuses_what_it_cannot_slice() -> None:
    add = lambda x, y: x + y  # noqa: E731
    with pytest.raises(RuntimeError, match=r"of one length, got \[2, 3\]"):
        ops.vmap(add)(X, Tensor([1.0, 2.0, 3.0]))
    with pytest.raises(RuntimeError, match="got none at all"):
        ops.vmap(add, in_axes=(None, None))(X, Y)
    with pytest.raises(RuntimeError, match="in_axes must fit an input"):
        ops.vmap(add, in_axes=(1, 0))(X, Y)
    with pytest.raises(RuntimeError, match="an axis must be an int"):
        ops.vmap(add, in_axes="0")
    with pytest.raises(ValueError, match=r"of one length, got \[2, 3\]"):
        ops.vmap([abs] * 3)(X)


@pytest.mark.parametrize("how", [lambda f: f, ms.jit])
def test_vmap_gives_one_of_what_all_slices_share_and_refuses_what_they_do_not(how: Any) -> None:
    def mapped(out_axes: Any) -> Any:
        return how(lambda x, y: ops.vmap(lambda a, b: (a * b, b * 2), (0, None), out_axes)(x, y))

    assert lists(mapped((0, None))(X, Y)[1]) == lists(Y * 2)
    with pytest.raises(RuntimeError, match="None for one that depends on them"):
        mapped((None, 0))(X, Y)


def test_vmap_refuses_axes_that_do_not_fit_the_outputs() -> None:
    both = lambda x: (x, x)  # noqa: E731
    with pytest.raises(RuntimeError, match="one entry for each of the 2 outputs"):
        ops.vmap(both, out_axes=(0, 0, 0))(X)
    with pytest.raises(RuntimeError, match="out_axes must fit an output with 1 axes"):
        ops.vmap(both, out_axes=(0, 1))(X)


def test_get_grad_finds_a_gradient_by_position_or_parameter() -> None:
    w = Parameter(Tensor([2.0]), name="w")
    grads = ms.grad(lambda x: x * w, 0, w, return_ids=True)(Tensor([3.0]))
    assert lists(ops.get_grad(grads, 0)) == [2] and lists(ops.get_grad(grads, w)) == [3]
    with pytest.raises(RuntimeError, match="must be among the gradients' ids"):
        ops.get_grad(grads, 5)


@pytest.mark.parametrize("jacobian", [ops.jacrev, ops.jacfwd])
def test_a_tuple_of_one_position_nests_nothing(jacobian: Any) -> None:
    assert lists(jacobian(both, (0,))(X, Y)[0]) == [[3, 0], [0, 5]]
    assert lists(jacobian(lambda x: x * x, (0,))(X)) == lists(jacobian(lambda x: x * x)(X))


@pytest.mark.parametrize("jacobian", [ops.jacrev, ops.jacfwd])
def test_positions_of_a_jacobian_are_a_tuple_of_different_ones(jacobian: Any) -> None:
    for wrong in ([0], [0, 1], None, 1.5):
        with pytest.raises(TypeError, match="grad_position must be an int or a tuple of ints"):
            jacobian(both, wrong)
    for wrong in ((), (0, 0)):
        with pytest.raises(ValueError, match="grad_position must name an input at least, and each"):
            jacobian(both, wrong)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("returns", [lambda x: x * x, lambda x: (x * x,), lambda x: [x * x, x]])
def test_with_has_aux_a_function_returns_a_tuple_of_several_outputs(
    returns: Any, mode: int
) -> None:
    ms.set_context(mode=mode)
    calls = [
        ms.grad(returns, has_aux=True),
        ms.value_and_grad(returns, has_aux=True),
        ops.jacrev(returns, has_aux=True),
        ops.jacfwd(returns, has_aux=True),
        lambda x: ops.vjp(returns, x, has_aux=True),
        lambda x: ops.jvp(returns, x, x, has_aux=True),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="with has_aux fn must return a tuple of"):
            call(X)


def test_positions_of_a_gradient_are_no_list() -> None:
    for api in (ms.grad, ms.value_and_grad):
        with pytest.raises(TypeError, match=r"must be an int or a tuple of ints, got \[0\]"):
            api(lambda x: x, [0])
