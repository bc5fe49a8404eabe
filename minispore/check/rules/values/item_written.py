"""A tensor with two names that is written by index keeps its old content under one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import UNKNOWN, Source, called

VIEWS = ("reshape", "view", "transpose", "swapaxes", "flatten", "squeeze", "expand_dims")


def _shown(function: Source, value: Any) -> str:
    """The name of the tensor that an expression is, or is a view of."""
    if isinstance(value, ast.Name):
        return value.id if function.kind(value) == "tensor" else ""
    if isinstance(value, ast.Subscript):
        if function.kind(value.value) in ("tuple", "list", "dict"):
            return value.value.id if isinstance(value.value, ast.Name) else ""
        whole = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        if any(function.kind(i) in ("tensor", "list") for i in whole):
            return ""
        return _shown(function, value.value)
    if isinstance(value, ast.Attribute):
        return _shown(function, value.value) if value.attr == "T" else ""
    if called(value) in VIEWS:
        of_ops = function.value(value.func) is not UNKNOWN
        given = value.args[0] if of_ops and value.args else getattr(value.func, "value", None)
        return _shown(function, given)
    return ""


def _keeps(function: Source, value: Any, name: str) -> bool:
    """Whether an expression is a view of a tensor, or a list, tuple or dict that holds it."""
    parts = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    return _shown(function, value) == name or any(getattr(p, "id", "") == name for p in parts)


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
        up: Any = function.parents.get(bound[-1])
        of = _shown(function, getattr(up, "value", node))
        if isinstance(up, ast.For) and function.kind(up.iter) in ("list", "tuple"):
            of = getattr(up.iter, "id", "")
        if of and _read_after(function, of, node):
            yield node
            continue
        for other, stores in function.stores.items():  # views of it that are read later
            if other != name and any(
                bound[-1].lineno < s.lineno < node.lineno
                and _keeps(function, getattr(function.parents.get(s), "value", node), name)
                for s in stores
            ) and _read_after(function, other, node):  # fmt: skip
                yield node
                break


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
