"""``help`` and editors show the constructor of an op and of a transform by its arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from minispore import ops
from minispore.dataset import vision
from minispore.ir.registry import registry


def test_an_op_and_a_transform_show_their_arguments_with_defaults() -> None:
    assert str(inspect.signature(ops.ReduceSum)) == (
        "(keep_dims: 'bool' = False, skip_mode: 'bool' = False)"
    )
    size, interpolation = inspect.signature(vision.Resize).parameters.values()
    assert size.default is inspect.Parameter.empty
    assert interpolation.default is vision.Inter.LINEAR


@pytest.mark.parametrize("name", sorted(registry))
def test_the_signature_of_an_op_names_its_fields(name: str) -> None:
    op: Any = registry[name]
    parameters = inspect.signature(op).parameters
    names_its_own = "__init__" in vars(op) or "_by_name_" in vars(op)
    assert names_its_own or list(parameters) == list(op.fields)


def test_a_subclass_with_a_constructor_has_the_signature_of_that_constructor() -> None:
    class Scale(ops.PrimitiveWithInfer):
        def __init__(self, factor: float) -> None:
            super().__init__("Scale")

    assert list(inspect.signature(Scale).parameters) == ["factor"]


def test_an_instance_shows_the_call() -> None:
    assert list(inspect.signature(ops.ReLU()).parameters) == ["args", "named"]
