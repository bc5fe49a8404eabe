"""not of a tensor is a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.rules.containers.list_changed import returned
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    if function.name != "construct":
        return
    for node in function.walk(ast.UnaryOp):
        if not isinstance(node.op, ast.Not) or function.kind(node.operand) != "tensor":
            continue
        up = function.parents.get(node)
        named = up.targets[0] if isinstance(up, ast.Assign) else up
        if isinstance(named, ast.Name) and returned(function, named.id):
            yield node
        while isinstance(up, ast.Tuple | ast.List):
            up = function.parents.get(up)
        if isinstance(up, ast.Return):
            yield node


RULE = Rule(
    name="not-tensor",
    says="not x of a tensor is a tensor; in PYNATIVE_MODE it is a bool.",
    bad="return not x.sum() > 2",
    good="return (x.sum() > 2).logical_not()",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)
