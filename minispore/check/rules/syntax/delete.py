"""Report ``del`` statements, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_del_statement(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``del`` statements.

    MindSpore's parser does not support the ``del`` statement and refuses it in LAX and STRICT.
    """
    yield from function.walk(ast.Delete)


RULE = Rule(
    name="del",
    says="A del statement is refused.",
    bad="""r = [x, x + 1]
del r[0]
return r[0]""",
    good="""r = [x, x + 1]
return r[1]""",
    lax=REFUSED,
    find=_find_del_statement,
)
