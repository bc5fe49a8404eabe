"""An augmented assignment of a tensor is in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _kind_before(function: Source, target: ast.Name) -> str:
    return function.kind(ast.copy_location(ast.Name(target.id, ast.Load()), target))


def _shared(function: Source, name: str, node: ast.AugAssign) -> bool:
    """Whether the tensor is known by another name, or the sum began as a number."""
    before = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
    plain = [s for s in before if not isinstance(function.parents.get(s), ast.AugAssign)]
    if not plain:
        return name in function.arguments
    up = function.parents.get(plain[-1])
    value = getattr(up, "value", None)
    if isinstance(value, ast.Name | ast.Attribute) and function.kind(value) != "int":
        return True
    if isinstance(value, ast.Constant):  # the first tensor that is added is then added to
        more = [s for s in function.stores[name] if s.lineno > plain[-1].lineno]
        named = isinstance(node.value, ast.Name | ast.Attribute)
        return named and (len(more) > 1 or function.within(node, ast.For, ast.While))
    return any(
        isinstance(getattr(function.parents.get(n), "value", None), ast.Name)
        and isinstance(function.parents.get(n), ast.Assign)
        for n in function.loads
        if n.id == name
    )


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.AugAssign):
        if not isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            continue
        if not isinstance(node.target, ast.Name):
            continue
        name = node.target.id
        if (
            function.kind(node.value) != "tensor"
            and _kind_before(function, node.target) != "tensor"
        ):
            continue
        if _shared(function, name, node):
            yield node


RULE = Rule(
    name="augmented",
    says="x += y writes into the tensor itself: an argument, another name of it and a sum that "
    "began as 0 change too.",
    bad="""x += 1
return x""",
    good="""x = x + 1
return x""",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)
