"""A tensor with two names that is written by index keeps its old content under one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source, called

VIEWS = ("reshape", "view", "transpose", "swapaxes", "flatten", "squeeze", "expand_dims")


def _returned(function: Source, name: str) -> bool:
    return any(
        isinstance(function.parents.get(n), ast.Return) for n in function.loads if n.id == name
    )


def _read_after(function: Source, name: str, node: ast.AST) -> bool:
    return any(n.id == name and n.lineno > getattr(node, "lineno", 0) for n in function.loads)


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Subscript):
        if not isinstance(node.ctx, ast.Store) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        if function.kind(node.value) != "tensor":
            continue
        bound = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
        if not bound:
            if (
                name in function.arguments
                and function.name != "construct"
                and not _returned(function, name)
            ):
                yield node
            continue
        value: Any = getattr(function.parents.get(bound[-1]), "value", node)
        if isinstance(value, ast.Name) and _read_after(function, value.id, node):
            yield node
        elif called(value) in VIEWS and isinstance(value.func, ast.Attribute):
            of = value.func.value
            if isinstance(of, ast.Name) and _read_after(function, of.id, node):
                yield node


RULE = Rule(
    name="item-written",
    says="t[i] = v makes a new tensor for this name alone; an argument, another name, a view or "
    "a global keep theirs.",
    bad="""y = x
y[0] = 9
return x, y""",
    good="""y = x * 1
y[0] = 9
return y, y""",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)
