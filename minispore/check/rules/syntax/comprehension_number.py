"""Report comprehensions whose condition is a number: graphs keep an item only if it is 1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.syntax.comprehension import is_number_condition
from minispore.check.source import UNKNOWN, TracedFunction


def _find_number_condition(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find comprehensions over constants whose condition gives a number other than 0 and 1.

    A graph, in LAX and STRICT, keeps the items whose condition equals True.
    """
    for comprehension in function.walk(ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp):
        generator = comprehension.generators[0]
        values = function.evaluate(generator.iter)
        if not isinstance(generator.target, ast.Name) or values is UNKNOWN:
            continue
        for test in generator.ifs:
            numbers = [function.evaluate(test, **{generator.target.id: v}) for v in values]
            is_number = is_number_condition(function, test) and UNKNOWN not in numbers
            if is_number and not {*numbers} <= {0, 1}:
                yield comprehension


RULE = Rule(
    name="comprehension-number",
    says="A comprehension whose if tests a number keeps only the items for which that number is "
    "1. Write != 0.",
    bad="return x * len([k for k in (0, 1, 2) if k])",
    good="return x * len([k for k in (0, 1, 2) if k != 0])",
    lax=OTHER,
    strict=OTHER,
    find=_find_number_condition,
)
