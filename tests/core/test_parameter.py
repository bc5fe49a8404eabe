"""Names and contents of Parameters."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, ParameterTuple, Tensor, nn, ops
from minispore.core.initializer import Normal


def test_unnamed_parameters_have_unique_names_until_a_cell_names_them() -> None:
    first, second = Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))
    assert first.name != second.name
    cell = nn.Cell()
    cell.w = first
    assert (first.name, first.has_default_name_, second.has_default_name_) == ("w", False, True)


def test_a_parameter_from_another_parameter_has_a_default_name() -> None:
    parameter = Parameter(Tensor([1.0]), name="w")
    assert Parameter(parameter).has_default_name_
    assert copy.copy(parameter).name == copy.deepcopy(parameter).name == "w"


def test_clones_of_unnamed_parameters_have_distinct_names() -> None:
    pair = ParameterTuple([Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))])
    assert len({p.name for p in pair.clone("m")}) == 2


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, ms.int32),
        (-(2**31), ms.int32),
        (2**40, ms.int64),
        (3.0, ms.float32),
        (np.float64(3.0), ms.float32),
        ([1, 2], ms.int64),
        ([1.0, 2.0], ms.float32),
        (np.array([1.0]), ms.float64),
        (Tensor(3, ms.int64), ms.int64),
    ],
)
def test_a_number_is_a_parameter_of_32_bits(value: Any, dtype: Any) -> None:
    assert Parameter(value).dtype == dtype


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_new_content_may_have_another_shape_and_later_calls_see_it(mode: int) -> None:
    ms.set_context(mode=mode)

    class Sum(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0]), name="w")

        def construct(self) -> Tensor:
            return self.w.sum()

    net = Sum()
    assert net() == 3
    assert net.w.set_data(Tensor([[4.0], [5.0], [6.0]])) is net.w
    assert net.w.shape == (3, 1) and net() == 15
    assert net.w.set_data(7.0).shape == () and net() == 7


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    ("dtype", "expected"), [(ms.int8, [1, -2]), (ms.bool_, [1, 1]), (ms.bfloat16, [1.5, -2.75])]
)
def test_what_a_parameter_is_set_to_takes_its_dtype(mode: int, dtype: Any, expected: Any) -> None:
    ms.set_context(mode=mode)
    p = Parameter(Tensor([0, 0], dtype), name="p")
    assert p.set_data(Tensor([1.5, -2.75], ms.float32)) is p and p.dtype == dtype
    assert p.float().asnumpy().tolist() == expected
    assert p.set_data(True).shape == () and p.float() == 1


@pytest.mark.parametrize("data", [2.5, np.ones(2, np.int32), [1, 2], "1", None, np.int32(1)])
def test_a_parameter_of_integers_is_set_to_a_tensor_or_int(data: Any) -> None:
    p = Parameter(Tensor([1, 2], ms.int32), name="p")
    with pytest.raises(TypeError, match=r"Parameter.set_data: data must be"):
        p.set_data(data)
    assert p.asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_what_an_assignment_gave_stays_as_it_was(mode: int) -> None:
    ms.set_context(mode=mode)
    p, one = Parameter(Tensor([1.0, 2.0]), name="p"), Tensor([1.0, 1.0])
    step = ms.jit(lambda: ops.assign_add(p, one))
    inputs = [ops.assign_add(p, one), ops.assign(p, one), ops.assign_sub(p, one), step(), step()]
    inputs.append(nn.SGD([p], 1.0)((one,)) and ops.assign_add(p, one))
    p.set_data(Tensor([9.0, 9.0]))
    assert [t.asnumpy().tolist() for t in inputs] == [
        [2.0, 3.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0],
    ]  # fmt: skip
    output = ops.assign_add(p, one).asnumpy()
    ops.assign(p, one)
    assert output.tolist() == [10.0, 10.0]


def test_an_assignment_copies_nothing_while_nobody_holds_what_it_gave() -> None:
    p, one = Parameter(Tensor([1.0, 2.0]), name="p"), Tensor([1.0, 1.0])
    content = p.value_.data
    for _ in range(3):
        ops.assign_add(p, one)
    output = ops.assign_add(p, one)
    assert p.value_.data is content
    assert output.value_.data is content
    ops.assign_add(p, one)
    assert p.value_.data is content
    assert output.value_.data is not content


def test_names_are_stripped_and_of_bounded_length():
    p = Parameter(Tensor([1.0]), name=" a ")
    assert p.name == "a"
    for none in (None, "", "  "):
        p.name = none
        assert p.name.startswith("Parameter#")
    with pytest.raises(ValueError, match="at most 1024 characters"):
        p.name = "x" * 1025
    with pytest.raises(ValueError, match="must be a str or None"):
        p.name = 3


def test_unique_is_a_flag_of_parameters():
    p = Parameter(Tensor([1.0]), name="p")
    assert p.unique is False
    p.unique = True
    assert p.unique is True


def test_copies_take_the_keyword_of_mindspore() -> None:
    inputs, other = ms.Tensor(np.arange(3.0)), dict[int, object]()
    tensor = inputs.__deepcopy__(memodict=other)
    twin = ms.Parameter(inputs, name="w").__deepcopy__(memodict=other)
    tensor[0] = 9
    assert (inputs[0], twin.name, other) == (0, "w", {})


def test_what_stands_in_two_places_is_copied_once() -> None:
    for inputs in (ms.Tensor(np.arange(3.0)), ms.Parameter(np.arange(3.0), name="w")):
        one, two = copy.deepcopy([inputs, inputs])
        assert one is two is not inputs


def test_a_clone_is_filled_by_an_initializer() -> None:
    p = Parameter(Tensor(np.ones(200, np.float32)), name="p")
    copy = p.clone(init=Normal(sigma=3.0)).asnumpy()
    assert 2 < copy.std() < 4


@pytest.mark.parametrize("init", ["half_normal", None, [1.0]])
def test_a_clone_refuses_what_is_no_initializer(init) -> None:
    with pytest.raises((TypeError, ValueError), match="initializer: init must"):
        Parameter(Tensor([1.0]), name="p").clone(init=init)


def test_a_clone_may_have_the_content_of_a_tensor() -> None:
    p = Parameter(Tensor([1.0, 1.0]), name="p")
    assert p.clone(init=Tensor([2.0, 3.0])).asnumpy().tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="must have the shape"):
        p.clone(init=Tensor([2.0]))
