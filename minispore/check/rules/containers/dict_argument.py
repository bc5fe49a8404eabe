"""Report writes to a dict argument that its caller does not see under STRICT."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_write_to_dict_argument(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find assignments to items of a dict argument of ``construct``.

    Under STRICT the caller does not see the new item: its dict does not change.
    """
    if function.name != "construct":
        return
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            name = node.value.id
            is_argument = name in function.arguments and name not in function.stores
            if is_argument and function.infer_kind(node.value) == "dict":
                yield node


RULE = Rule(
    name="dict-argument",
    says="Under STRICT a write to an item of a dict argument does not reach the caller's dict.",
    bad='d["b"] = x  # d is an argument\nreturn d["b"]',
    good="return x",
    strict=OTHER,
    around=make_construct_template(
        parameters="x, d", run='Net()(Tensor([1.0, 2.0]), {"a": Tensor([3.0])})'
    ),
    find=_find_write_to_dict_argument,
)
