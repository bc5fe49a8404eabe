"""Report ``nonlocal`` statements, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_nonlocal_statement(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``nonlocal`` statements.

    In a graph an inner function can't bind variables of the enclosing function, so MindSpore
    refuses the statement in LAX and STRICT.
    """
    yield from function.walk(ast.Nonlocal)


RULE = Rule(
    name="nonlocal",
    says="A nonlocal statement is refused.",
    bad="""n = 0
def tick():
    nonlocal n
    n += 1
    return n
return x * tick()""",
    good="""def tick(n):
    return n + 1
return x * tick(0)""",
    lax=REFUSED,
    find=_find_nonlocal_statement,
)
