"""Report ``match`` statements, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_match_statement(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``match`` statements.

    MindSpore's parser does not support the ``match`` statement and refuses it in LAX and STRICT.
    """
    yield from function.walk(ast.Match)


RULE = Rule(
    name="match",
    says="A match statement is refused.",
    bad="""match x.ndim:
    case 1:
        return x
return x * 2""",
    good="""if x.ndim == 1:
    return x
return x * 2""",
    lax=REFUSED,
    find=_find_match_statement,
)
