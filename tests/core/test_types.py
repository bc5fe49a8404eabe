"""The types of Python objects, tensors and data types."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import minispore as ms
from minispore import nn, ops

# What the real MindSpore says of them.
OBJECTS = [
    (1, "mindspore.int64"),
    (1.5, "mindspore.float64"),
    (True, "mindspore.bool"),
    (1j, "mindspore.complex128"),
    ("a", "mindspore.string_"),
    (None, "mindspore.type_none"),
    ([1], "mindspore.list_"),
    ((1, 2), "mindspore.tuple_"),
    (ms.Tensor([1.0]), "mindspore.tensor[float32]"),
    (ms.Tensor([1]), "mindspore.tensor[int64]"),
    (ms.Parameter(ms.Tensor([1.0]), name="p"), "mindspore.tensor[float32]"),
    (ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([1.0]), (2, 2)), "mindspore.tensor[float32]"),
    (ms.float32, "mindspore.type_type"),
    (ms.list_, "mindspore.type_type"),
    (lambda x: x, "mindspore.function"),
    (nn.ReLU(), "mindspore.function"),
    (nn.Cell, "mindspore.function"),
    (ops.Add(), "mindspore.function"),
    (int, "mindspore.int64"),
    (list, "mindspore.list_"),
    (np.float32(1), "mindspore.float32"),
    (np.int8, "mindspore.int8"),
]


@pytest.mark.parametrize(("thing", "message"), OBJECTS, ids=[text for _, text in OBJECTS])
def test_an_object_has_its_type(thing: object, message: str) -> None:
    assert repr(ms.get_py_obj_dtype(thing)) == message


@pytest.mark.parametrize("thing", [{}, slice(1), b"a", print, {1}, np.ones(3), dict, ms.Tensor])
def test_some_objects_have_no_type(thing: object) -> None:
    with pytest.raises(NotImplementedError):
        ms.get_py_obj_dtype(thing)


def test_types_of_tensors_are_equal_by_their_elements() -> None:
    one = ms.TensorType(ms.float32)
    assert one == ms.get_py_obj_dtype(ms.Tensor([1.0])) != ms.TensorType(ms.int32)
    assert hash(one) == hash(ms.TensorType(ms.float32))
    assert one.element_type() is ms.float32
    assert [str(one), str(ms.tensor_type)] == ["Tensor[Float32]", "Tensor"]
    with pytest.raises(TypeError, match="element must be a data type"):
        ms.TensorType(3)


def test_data_types_and_kinds_are_types() -> None:
    assert all(isinstance(t, ms.Type) for t in (ms.float32, ms.list_, ms.number, ms.tensor_type))
    assert [str(t) for t in (ms.list_, ms.tuple_, ms.type_none)] == ["List", "Tuple", "None"]
    assert [ms.dtype_to_pytype(t) for t in (ms.list_, ms.type_none)] == [list, type(None)]
    assert pickle.loads(pickle.dumps(ms.tuple_)) is ms.tuple_
    with pytest.raises(TypeError, match="has no constructor"):
        ms.Type()
    with pytest.raises(KeyError, match="no one Python type"):
        ms.dtype_to_pytype(ms.number)
