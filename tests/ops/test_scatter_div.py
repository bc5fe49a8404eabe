"""Whole numbers divided at places of a Parameter, as MindSpore 2.10 divides them on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, ops

BOTH = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
PLACES = Tensor(np.array([[0], [1], [2], [3]], np.int32))


def parameter(kind: Any, *numbers: int) -> Parameter:
    return Parameter(Tensor(np.array(numbers).astype(kind)), name="p")


@BOTH
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("int8", [127, -128, 0, 33, 9]),
        ("uint8", [255, 255, 0, 33, 9]),
        ("int16", [32767, -32768, 0, 33, 9]),
        ("int32", [2147483647, -2147483648, 0, 33, 9]),
    ],
)
def test_whole_numbers_over_zero_are_as_large_as_they_can_be(
    mode: int, kind: str, expected: list[int]
) -> None:
    ms.set_context(mode=mode)
    p = parameter(kind, 6, 7 if kind[0] == "u" else -7, 0, 100, 9)
    output = ops.scatter_nd_div(p, PLACES, Tensor(np.array([0, 0, 0, 3]).astype(kind)))
    assert output.asnumpy().tolist() == p.asnumpy().tolist() == expected


@BOTH
def test_a_quotient_of_whole_numbers_loses_its_fraction_whatever_its_sign(mode: int) -> None:
    ms.set_context(mode=mode)
    p = parameter("int8", 7, -7, 100, 9)
    output = ops.scatter_nd_div(p, PLACES, Tensor(np.array([2, 2, 3, 4], np.int8)))
    assert output.asnumpy().tolist() == [3, -3, 33, 2]


def test_a_place_that_comes_twice_is_divided_by_one_number_after_the_other() -> None:
    p = parameter("int32", 100, -100)
    places = Tensor(np.array([[0], [1], [0]], np.int32))
    output = ops.scatter_nd_div(p, places, Tensor(np.array([7, 7, 2], np.int32)))
    assert output.asnumpy().tolist() == [7, -14]


@BOTH
@pytest.mark.parametrize("kind", ["int32", "float32"])
def test_scatter_div_refuses_a_zero_before_anything_has_changed(mode: int, kind: str) -> None:
    ms.set_context(mode=mode)
    p = parameter(kind, 6, 7, 8)
    with pytest.raises(ValueError, match="ScatterDiv: updates must not contain 0, got 1 of 2"):
        ops.scatter_div(p, Tensor(np.array([0, 1], np.int32)), Tensor(np.array([2, 0], kind)))
    assert p.asnumpy().tolist() == [6, 7, 8]
