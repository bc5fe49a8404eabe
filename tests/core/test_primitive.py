"""What the author of an operator declares."""

from __future__ import annotations

import inspect

from minispore.core.primitive import Effect, Primitive

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
