"""What the author of an operator declares."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.core.primitive import Effect, Primitive, Spec
from minispore.ir.registry import registry

DERIVED = {"fields", "traits"}
ATTRIBUTES = {n for n in inspect.get_annotations(Primitive) if n[0] != "_"} - DERIVED


def test_an_author_meets_at_most_12_attributes() -> None:
    assert len(ATTRIBUTES) <= 12, "group it with others, or derive it"


def test_the_docstring_explains_each_attribute() -> None:
    text = inspect.getdoc(Primitive) or ""
    assert [n for n in ATTRIBUTES if f"* ``{n}``: " not in text] == []


def test_an_op_that_mutates_an_input_has_the_effect_of_an_update() -> None:
    class _Increment(Primitive):
        mutates = (0,)

    assert _Increment.effect is Effect.UPDATE


def test_an_op_that_mutates_an_input_keeps_the_effect_that_it_declares() -> None:
    class _Clear(Primitive):
        mutates = (0,)
        effect = Effect.CLEARS_OVERFLOW

    assert _Clear.effect is Effect.CLEARS_OVERFLOW


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_an_op_of_a_script_does_not_replace_one_of_the_same_name(mode: int) -> None:
    class Mul(Primitive):
        def infer(self, x: Spec) -> Spec:
            return x

        def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
            np.copyto(out, 7)

    try:
        ms.set_context(mode=mode)
        x = Tensor([1.0, 2.0])
        compute = ms.jit(lambda x: (Mul()(x), x * 1, ops.Mul()(x, x), ms.grad(lambda v: v * v)(x)))
        results = [r.asnumpy().tolist() for r in compute(x)]
        assert results == [[7, 7], [1, 2], [1, 4], [2, 4]]
        assert registry["Mul"] is ops.Mul
    finally:
        del registry[Mul.name]


def test_an_op_with_a_constructor_of_its_own_says_what_to_derive_from() -> None:
    class _Described(Primitive):
        def __init__(self) -> None:
            super().__init__("Mul")

    with pytest.raises(TypeError, match=r"_Described must declare .*ops\.PrimitiveWithInfer"):
        _Described()


def test_a_registered_constructor_of_a_primitive_says_what_to_derive_from() -> None:
    class _Described(Primitive):
        @ops.prim_attr_register
        def __init__(self, axis: int = 0) -> None:
            pass

    with pytest.raises(TypeError, match=r"_Described must be a PrimitiveWithInfer"):
        _Described()


def test_an_op_of_the_package_with_a_constructor_says_how_many_arguments_it_takes() -> None:
    with pytest.raises(TypeError, match=r"Polar: takes at most 0 arguments \(none\), got 1"):
        ops.Polar(3)
