"""Report a range as a result, which graphs return as a tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_returned_range(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a ``range`` to the caller of the graph.

    A graph can't return a range object: LAX and STRICT return a tuple of the numbers.
    """
    for statement in function.walk(ast.Return) if function.is_entry else ():
        if (
            isinstance(statement.value, ast.Call)
            and function.resolve_value(statement.value.func) is range
        ):
            yield statement


RULE = Rule(
    name="range-returned",
    says="A returned range becomes a tuple of its numbers.",
    bad="return range(3)",
    good="return (0, 1, 2)",
    lax=OTHER,
    strict=OTHER,
    find=_find_returned_range,
)
