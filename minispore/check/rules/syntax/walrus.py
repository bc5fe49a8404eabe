"""Report assignment expressions, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_assignment_expression(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find assignment expressions with ``:=``.

    MindSpore's parser binds names only in statements and refuses the expression in LAX and STRICT.
    """
    yield from function.walk(ast.NamedExpr)


RULE = Rule(
    name="walrus",
    says="An assignment expression (:=) is refused.",
    bad="return (a := x + 1) * a",
    good="""a = x + 1
return a * a""",
    lax=REFUSED,
    find=_find_assignment_expression,
)
