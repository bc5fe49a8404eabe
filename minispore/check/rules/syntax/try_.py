"""Report ``try`` statements, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_try_statement(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``try`` statements.

    A graph can't catch exceptions: MindSpore's parser refuses the statement in LAX and STRICT.
    """
    yield from function.walk(ast.Try, ast.TryStar)


RULE = Rule(
    name="try",
    says="A try statement is refused.",
    bad="""try:
    y = ops.sqrt(x)
except ValueError:
    y = x
return y""",
    good="return ops.sqrt(x)  # and check x before the call",
    lax=REFUSED,
    find=_find_try_statement,
)
