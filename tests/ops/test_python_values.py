"""What graphs do with Python's values, by the names of ``ops.functional``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, ops
from minispore.ops import functional as F
from minispore.ops import python_values


@pytest.mark.parametrize(
    ("expected", "wanted"),
    [
        (lambda: F.scalar_div(3, 2), 1.5),
        (lambda: F.scalar_floordiv(-3, 2), -2),
        (lambda: F.scalar_mod(-3, 2), 1),
        (lambda: F.scalar_uadd(True), 1),
        (lambda: F.scalar_log(1.0), 0.0),
        (lambda: F.scalar_max(3, 2), 3),
        (lambda: F.make_tuple(1, "a"), (1, "a")),
        (lambda: F.make_list(1, "a"), [1, "a"]),
        (lambda: F.make_slice(1, 3), slice(1, 3)),
        (lambda: F.tuple_getitem((1, 2), -1), 2),
        (lambda: F.tuple_setitem((1, 2), 0, 5), (5, 2)),
        (lambda: F.dict_setitem({"a": 1}, "b", 2), {"a": 1, "b": 2}),
        (lambda: F.in_dict("a", {"a": 1}), True),
        (lambda: F.not_in_dict("a", {"a": 1}), False),
        (lambda: F.tuple_reversed((1, 2)), (2, 1)),
        (lambda: F.string_concat("a", "b"), "ab"),
        (lambda: F.bool_eq(2, True), True),
        (lambda: (F.bool_not(0), F.bool_and(1, 0), F.bool_or(1, 0)), (True, False, True)),
        (lambda: F.switch(False, 1, 2), 2),
        (lambda: F.switch_layer(Tensor(1), (abs, len))("ab"), 2),
    ],
)
def test_each_name_is_what_python_does(expected: Any, wanted: Any) -> None:
    assert expected() == wanted


def test_a_list_that_gets_an_item_is_another_one() -> None:
    before = [1, 2]
    assert F.list_setitem(before, 1, 3) == [1, 3]
    assert before == [1, 2]


@pytest.mark.parametrize("y", [(2, 4), (2,), (0, 3)])
def test_tuples_are_divided_where_nothing_is_left(y: tuple[int, ...]) -> None:
    assert F.tuple_div((4, 6), (2, 3)) == (2, 2)
    with pytest.raises(ValueError, match="tuple_div: y must divide x"):
        F.tuple_div((4, 6), y)


def test_a_graph_knows_shapes_and_numbers_and_no_tensor() -> None:
    def constant_flags(x: Tensor) -> Any:
        return F.isconstant(x), F.isconstant(x.shape), F.isconstant((3, x)), F.isconstant(3)

    x = Tensor([1.0, 2.0])
    context.set_context(mode=context.PYNATIVE_MODE)
    assert constant_flags(x) == (True, True, True, True)
    assert ms.jit(constant_flags)(x) == (False, True, False, True)


@pytest.mark.parametrize("call", [F.is_sequence_value_unknown, F.is_sequence_shape_unknown])
def test_sequence_unknown_queries_accept_only_sequences(call: Any) -> None:
    assert call((1, 2)) is False
    with pytest.raises(TypeError, match="must be a tuple or list"):
        call(3)


def test_tensors_in_a_sequence_are_unknown() -> None:
    assert F.is_sequence_value_unknown((Tensor(1), 2))
    assert not F.is_sequence_shape_unknown((Tensor(1), 2))


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_mutable_sequence_has_an_unknown_value_and_length_if_dynamic(dynamic: bool) -> None:
    x = ms.mutable([1, 2], dynamic)
    assert F.is_sequence_value_unknown(x)
    assert F.is_sequence_shape_unknown(x) is dynamic


@pytest.mark.filterwarnings("error:.*runs op by op")
def test_a_graph_returns_mutable_values_that_it_creates() -> None:
    def pair(x: Tensor) -> tuple[Any, ...]:
        return ms.mutable((x, x * 2), True), ms.mutable([x, 3]), ms.mutable({"a": x + 1})

    graph = ms.jit(pair)
    for n in (1, 2):
        assert repr(graph(Tensor([n]))) == repr(pair(Tensor([n])))


def test_primitive_submodules_are_available_without_an_explicit_import() -> None:
    for room in ("array", "math", "nn", "random"):
        assert getattr(ms.ops.operations, f"{room}_ops").Add is ms.ops.Add
    assert ms.dataset.engine.datasets
    assert ms.common.Generator is ms.Generator


def test_they_are_at_ops_too_and_its_listed_names_stay_those_of_its_documentation() -> None:
    assert ms.ops.make_tuple(1, "a") == (1, "a")
    assert all(getattr(ms.ops, name) is getattr(F, name) for name in python_values.__all__)
    assert "make_tuple" not in dir(ms.ops)

    @ms.jit
    def both(x: Tensor) -> Tensor:
        return ms.ops.stack(ms.ops.make_tuple(x, ms.ops.tuple_getitem((x, x + 1), 1)))

    assert both(Tensor([1])).asnumpy().tolist() == [[1], [2]]


def test_a_tuple_of_numbers_is_an_array_of_its_firsts_kind() -> None:
    assert F.tuple_to_array((1, 2.5)).asnumpy().tolist() == [1, 2]
    for values in ((1.5, 2), (Tensor(1), Tensor(2)), ((1, 2), (3, 4)), (Tensor([1]), Tensor([2]))):
        output = F.tuple_to_array(values)
        assert output.dtype == ms.float32
        assert output.asnumpy().tolist() == np.float32([np.float32(v) for v in values]).tolist()
    with pytest.raises(IndexError, match="tuple_to_array: input_x must not be empty"):
        F.tuple_to_array(())


@pytest.mark.parametrize("wrong", [(1, 2.5), (True, False), (Tensor(1),), ("a",), 3])
def test_the_op_of_tuples_takes_numbers_of_one_type(wrong: Any) -> None:
    assert ops.TupleToArray()((1, 2)).dtype == ms.int32
    assert ops.TupleToArray()(range(2)).asnumpy().tolist() == [0, 1]
    with pytest.raises(TypeError, match=r"TupleToArray: .*input_x must"):
        ops.TupleToArray()(wrong)
    with pytest.raises(ValueError, match="TupleToArray: input_x must hold numbers"):
        ops.TupleToArray()(())
