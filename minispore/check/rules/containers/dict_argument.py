"""STRICT keeps what is written into a dict of the caller for itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    if function.name != "construct":
        return
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            name = node.value.id
            given = name in function.arguments and name not in function.stores
            if given and function.kind(node.value) == "dict":
                yield node


RULE = Rule(
    name="dict-argument",
    says="Under STRICT what construct writes into a dict that it was given stays inside of the "
    "graph.",
    bad='d["b"] = x  # d is an argument\nreturn d["b"]',
    good="return x",
    strict=OTHER,
    sure=LIKELY,
    around=construct(given="x, d", run='Net()(Tensor([1.0, 2.0]), {"a": Tensor([3.0])})'),
    find=_find,
)
