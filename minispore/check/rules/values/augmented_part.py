"""Report in-place operators on an item of a tuple argument, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.rules.values.augmented import is_in_place
from minispore.check.source import TracedFunction


def _find_unpacked_container(function: TracedFunction, store: ast.Name) -> Any:
    """Find the container from which ``store`` gets an item, by an index, a loop or unpacking;
    return None if there is none.
    """
    parent: Any = function.parents.get(store)
    if isinstance(parent, ast.For):
        return parent.iter
    if isinstance(parent, ast.Tuple):
        return getattr(function.parents.get(parent), "value", None)
    return getattr(getattr(parent, "value", None), "value", None)


def _find_in_place_update_of_argument_item(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find augmented assignments of a name that is an item of a tuple argument of ``construct``.

    A graph would write into the tensor in the caller's tuple; MindSpore refuses that in LAX and
    STRICT.
    """
    for node in function.walk(ast.AugAssign):
        if function.name != "construct" or not is_in_place(node):
            continue
        name = getattr(node.target, "id", "")
        earlier_stores = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
        container = (
            _find_unpacked_container(function, earlier_stores[-1]) if earlier_stores else None
        )
        if isinstance(container, ast.Name) and container.id in function.arguments:
            argument = function.initial_values.get(container.id)
            if isinstance(argument, tuple) and container.id not in function.stores:
                yield node


RULE = Rule(
    name="augmented-part",
    says="x += y is refused if x is an item of a tuple argument of construct. Write x = x + y.",
    bad="a = t[0]\na += 1\nreturn a",
    good="a = t[0]\na = a + 1\nreturn a",
    lax=REFUSED,
    around=make_construct_template(parameters="t", run="Net()((Tensor([1.0]), Tensor([2.0])))"),
    find=_find_in_place_update_of_argument_item,
)
