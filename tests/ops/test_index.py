"""``x[index]`` and ``x[index] = value``: NumPy's results, gradients that add up, views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minispore as ms
from minispore import Tensor, ops

SHAPE = (3, 1, 4)
X = np.arange(12, dtype=np.float32).reshape(SHAPE)


@st.composite
def indices(draw: st.DrawFn) -> tuple[Any, ...]:
    """Any mix of basic parts and up to two index arrays, fitting SHAPE."""
    parts: list[Any] = []
    arrays_shape = draw(st.sampled_from([(), (2,), (2, 1), (0,)]))
    for n in SHAPE:
        kind = draw(st.sampled_from(["slice", "int", "array", "list", "new"]))
        if kind == "new":
            parts.append(None)
            kind = "slice"
        if kind == "slice":
            parts.append(draw(st.slices(n)))
        elif kind == "int":
            parts.append(draw(st.integers(-n, n - 1)))
        else:
            elements = st.integers(-n, n - 1)
            array = draw(hnp.arrays(np.int64, arrays_shape, elements=elements))
            parts.append(array if kind == "array" or not array.ndim else array.tolist())
    keep = draw(st.integers(0, len(parts)))
    parts = parts[:keep]
    if draw(st.booleans()) and keep < len(parts) + 1:
        parts.append(Ellipsis)
    return tuple(parts)


def as_numpy(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(np.asarray(p, np.int64) if isinstance(p, list) else p for p in index)


def as_tensors(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Tensor(p) if isinstance(p, np.ndarray) else p for p in index)


@given(indices())
def test_what_an_index_picks_is_what_numpy_picks(index: tuple[Any, ...]) -> None:
    actual = Tensor(X)[as_tensors(index)].asnumpy()
    expected = X[as_numpy(index)]
    assert actual.shape == np.shape(expected) and (actual == expected).all()


@given(indices())
def test_the_gradient_counts_how_often_each_element_was_picked(index: tuple[Any, ...]) -> None:
    grad = ms.grad(lambda x: x[as_tensors(index)].sum())(Tensor(X)).asnumpy()
    expected = np.zeros(SHAPE, np.float32)
    np.add.at(expected, as_numpy(index), 1)
    np.testing.assert_array_equal(grad, expected)


@given(indices(), st.booleans())
def test_assignment_puts_what_numpy_puts(index: tuple[Any, ...], scalar: bool) -> None:
    expected = X.copy()
    shape = expected[as_numpy(index)].shape
    value: Any = 7 if scalar else np.float32(100)  # one number, so that repeats do not matter
    expected[as_numpy(index)] = value
    t = Tensor(X)
    t[as_tensors(index)] = value if scalar else Tensor(np.full(shape, value, np.float32))
    np.testing.assert_array_equal(t.asnumpy(), expected)


@given(hnp.arrays(np.bool_, hnp.array_shapes(min_dims=1, max_dims=2, max_side=4)))
def test_a_mask_picks_and_sets_what_numpy_does(mask: np.ndarray) -> None:
    x = np.arange(mask.size, dtype=np.float32).reshape(mask.shape)
    t = Tensor(x)
    np.testing.assert_array_equal(t[Tensor(mask)].asnumpy(), x[mask])
    t[Tensor(mask)] = -1
    np.testing.assert_array_equal(t.asnumpy(), np.where(mask, -1, x))


def test_true_and_one_index_differently() -> None:
    t = Tensor(X)
    assert t[1].shape == (1, 4)
    assert t[True].shape == (1, *SHAPE)
    assert t[1].shape == (1, 4)


def test_a_basic_index_is_a_view_and_one_element_stays_a_tensor() -> None:
    t = Tensor(X)
    part = t[1:, 0]
    assert np.shares_memory(part.asnumpy(), t.asnumpy())
    assert t[1, 0, 2].shape == () and float(t[1, 0, 2]) == 6


def test_assignment_leaves_what_was_computed_before_and_changes_what_shows_it() -> None:
    t = Tensor(X)
    before, second = t[0], t + 0
    t[0] = 9
    assert before.asnumpy().max() == 9 and second.asnumpy()[0].max() == 3


def test_assignment_keeps_the_dtype_of_the_tensor() -> None:
    t = Tensor([1, 2, 3])
    t[0] = 2.9
    t[1] = Tensor(7.7)
    assert t.asnumpy().tolist() == [2, 7, 3] and t.dtype is ms.int64


def test_gradients_of_an_assignment() -> None:
    def f(x: Tensor, v: Tensor) -> Tensor:
        y = x * 2
        y[1:] = v * 3
        return (y * y).sum()

    dx, dv = ms.grad(f, (0, 1))(Tensor([1.0, 2.0, 3.0]), Tensor([1.0]))
    assert dx.asnumpy().tolist() == [8, 0, 0]  # d (2x)^2 = 8x where x is still there
    assert dv.asnumpy().tolist() == [36]  # twice (3v)^2


def test_indexing_in_a_graph_equals_pynative() -> None:
    def f(x: Tensor, at: Tensor) -> Any:
        y = x + 0
        y[at] = x[0] * 10
        y[:, :, -1] += 1
        return y, x[at, ..., None], ops.gather(x, at, 2)

    args = Tensor(X), Tensor([2, 0])
    for a, b in zip(f(*args), ms.jit(f)(*args), strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize(
    ("index", "says"),
    [
        (3, "index 3 is out of bounds"),
        ((0, 0, 0, 0), "too many indices"),
        (Tensor([7]), "index 7 is out of bounds"),
        (Tensor([True, False]), "boolean index did not match"),
        (Tensor([1.5]), "must be of an integer or bool type"),
        ("x", "an index must be an int, slice"),
        (1.5, "an index must be an int, slice"),
    ],
)
def test_an_index_that_does_not_fit_is_an_index_error(index: Any, says: str) -> None:
    with pytest.raises(IndexError, match=says):
        Tensor(X)[index]


@pytest.mark.parametrize("mask", [[True, False], [[True, False]], [[[[True]]]]])
@pytest.mark.parametrize("error", [IndexError, ValueError])
def test_a_mask_that_does_not_fit_is_of_both_types_of_mindspore(mask: Any, error: Any) -> None:
    t, mask = Tensor(X), Tensor(mask)
    with pytest.raises(error, match="the index must fit shape"):
        t[mask]
    with pytest.raises(error, match="the index must fit shape"):
        t[mask] = 1.0
    assert (t.asnumpy() == X).all()


@pytest.mark.parametrize(
    "index", [np.s_[1.2:], np.s_[:1.5], np.s_[:, ::1.0], np.s_["a":], np.s_[Tensor(1.0) :]]
)
@pytest.mark.parametrize("error", [RuntimeError, TypeError])
def test_a_slice_whose_bounds_are_no_ints_is_refused(index: Any, error: Any) -> None:
    x = Tensor(X[:, 0])
    with pytest.raises(error, match="a slice in an index must have ints"):
        x[index]
    with pytest.raises(error, match="a slice in an index must have ints"):
        x[index] = 1.0


def test_a_value_that_does_not_fit_is_refused_and_nothing_changes() -> None:
    t = Tensor([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"must broadcast to what the index picks, float32\[2\]"):
        t[1:] = Tensor([1.0, 2.0, 3.0])
    for value in (None, "a", [1.0, None], [[1.0], [1.0, 2.0]]):
        with pytest.raises(TypeError, match="input_data must be"):
            t[1:] = value
    assert t.asnumpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize("op", ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterMax"])
def test_scatters_accept_only_int32_and_int64_indices(op):
    x, new = Tensor(np.zeros((2, 2), np.float32)), Tensor([1.0])
    with pytest.raises(TypeError, match="indices must be int32 or int64"):
        getattr(ops, op)()(x, Tensor([[0, 1]], ms.int8), new)


def test_the_function_scatter_takes_places_of_any_width():
    x, new = Tensor(np.zeros((1, 2), np.float32)), Tensor([[1.0, 2.0]])
    output = ops.scatter(x, 0, Tensor([[0, 0]], ms.int8), new)
    assert output.asnumpy().tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    "index", [(1, (0, 0)), ((0, 2), slice(None), (1, 3)), (((0, 1), (2, 0)),), ((2, 0), 0, ...)]
)
def test_a_tuple_inside_an_index_picks_as_a_list_does(index: Any) -> None:
    x = Tensor(X)
    np.testing.assert_array_equal(x[index].asnumpy(), X[index])
    np.testing.assert_array_equal(ms.jit(lambda x: x[index])(x).asnumpy(), X[index])
    x[index] = -1
    changed = X.copy()
    changed[index] = -1
    np.testing.assert_array_equal(x.asnumpy(), changed)
