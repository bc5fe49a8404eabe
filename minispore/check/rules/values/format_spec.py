"""Report format specifications and conversions in f-strings, which graphs ignore."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_ignored_format(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find parts of f-strings with a ``:`` or ``!`` that are not only used in a message or a print;
    graphs ignore the text after these.
    """
    for node in function.walk(ast.FormattedValue):
        has_format = node.format_spec is not None or node.conversion != -1
        is_raised = function.is_inside(node, ast.Raise, ast.Assert)
        if has_format and not is_raised and Liveness(function).reaches_result(node):
            yield node


RULE = Rule(
    name="format-spec",
    says="In an f-string a graph ignores the format after : and the conversion after !.",
    bad='return f"{3.14159:.2f}"',
    good='return "{:.2f}".format(3.14159)',
    lax=OTHER,
    strict=OTHER,
    find=_find_ignored_format,
)
