"""Report a dict as the result of a graph, which STRICT returns as a tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_returned_dict(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a dict.

    Under STRICT the caller gets a tuple of the dict's values instead.
    """
    for statement in function.walk(ast.Return):
        is_result = statement.value is not None and function.name == "construct"
        if is_result and function.infer_kind(statement.value) == "dict":
            yield statement


RULE = Rule(
    name="dict-returned",
    says="Under STRICT a returned dict becomes a tuple of its values.",
    bad='return {"a": x}',
    good="return (x,)",
    strict=OTHER,
    find=_find_returned_dict,
)
