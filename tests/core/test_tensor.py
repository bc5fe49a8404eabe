"""A Tensor is made of numbers; its operators answer as MindSpore's do."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor

# -- made of ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, ms.float32])
@pytest.mark.parametrize(
    "data", ["1", ["1"], [None], [1, "a"], np.array(["1"]), object(), [[1], [1, 2]], [1, [2]]]
)
def test_what_is_no_number_is_refused_whatever_the_dtype(data: Any, dtype: Any) -> None:
    with pytest.raises(TypeError, match="Tensor: input_data must be"):
        Tensor(data, dtype)


@pytest.mark.parametrize("dtype", [None, ms.float32])
def test_a_tensor_of_nothing_is_refused(dtype: Any) -> None:
    with pytest.raises(TypeError, match="got NoneType"):
        Tensor(None, dtype)


def test_a_shape_and_a_dtype_are_enough() -> None:
    t = Tensor(shape=(2, 1), dtype=ms.float16)
    assert (t.tolist(), t.dtype) == ([[0.0], [0.0]], ms.float16)


def test_data_and_an_initializer_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="init must come without input_data"):
        Tensor(1.0, ms.float32, (2,), ms.common.initializer.One())


# -- operators -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (operator.iadd, [7.0, 8.0]),
        (operator.isub, [3.0, 4.0]),
        (operator.imul, [10.0, 12.0]),
        (operator.itruediv, [2.5, 3.0]),
        (operator.ifloordiv, [2.0, 3.0]),
        (operator.imod, [1.0, 0.0]),
        (operator.ipow, [25.0, 36.0]),
    ],
)
@pytest.mark.parametrize("make", [Tensor, Parameter])
def test_an_augmented_assignment_makes_a_new_tensor(
    make: Any, change: Callable[..., Any], changed: list[float]
) -> None:
    t = make(Tensor([5.0, 6.0]))
    assert change(t, 2).tolist() == changed
    assert t.asnumpy().tolist() == [5.0, 6.0]


@pytest.mark.parametrize("jit", [False, True], ids=["by op", "graph"])
def test_a_shortcut_may_be_kept_under_another_name(jit: bool) -> None:
    def f(x: Tensor) -> Tensor:
        shortcut = x
        x += x * x
        return (x * shortcut).sum()  # x**2 + x**3

    df = ms.grad(f)
    assert (ms.jit(df) if jit else df)(Tensor([1.0, 2.0])).tolist() == [5.0, 16.0]


def test_round_goes_to_the_even_neighbour() -> None:
    assert round(Tensor([1.5, -2.5, 0.4])).tolist() == [2.0, -2.0, 0.0]


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int32, ms.uint8, ms.float32])
def test_a_tilde_says_where_nothing_is(dtype: Any) -> None:
    t = ~Tensor([1, 0], dtype)
    assert (t.tolist(), t.dtype) == ([False, True], ms.bool_)
