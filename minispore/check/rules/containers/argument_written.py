"""An argument that construct changes is not changed for the caller."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            name = node.value.id
            if name in function.arguments and name not in function.stores:
                kind = function.kind(node.value)
                grown = isinstance(function.parents.get(node), ast.AugAssign)
                if kind == "list" and not grown:  # r[0] += x adds to the tensor itself
                    yield node


RULE = Rule(
    name="argument-written",
    says="What construct writes into a list that it was given stays inside of the graph.",
    bad="r[0] = x  # r is an argument\nreturn r[0]",
    good="r = [x, *r[1:]]\nreturn r[0]",
    lax=OTHER,
    strict=OTHER,
    sure=LIKELY,
    around=construct(given="x, r", run="Net()(Tensor([1.0, 2.0]), [Tensor([3.0])])"),
    find=_find,
)
