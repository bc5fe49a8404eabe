"""Report None in the tuple or list that a graph returns: STRICT leaves it out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_none_in_result(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a tuple or list that contains None.

    Under STRICT the None is left out of the result, which changes its length.
    """
    if function.name != "construct":
        return
    for statement in function.walk(ast.Return):
        items = statement.value.elts if isinstance(statement.value, ast.Tuple | ast.List) else []
        if any(function.infer_kind(item) == "none" for item in items):
            yield statement


RULE = Rule(
    name="none-returned",
    says="Under STRICT a returned tuple or list loses its None items.",
    bad="return x, None",
    good="return x",
    strict=OTHER,
    find=_find_none_in_result,
)
