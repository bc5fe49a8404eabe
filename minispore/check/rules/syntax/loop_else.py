"""Report the ``else`` of a loop, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_loop_else(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find the ``else`` of ``for`` and ``while`` loops.

    MindSpore's parser does not support it and refuses it in LAX and STRICT.
    """
    for loop in function.walk(ast.For, ast.While):
        if loop.orelse:
            yield loop.orelse[0]


RULE = Rule(
    name="loop-else",
    says="The else clause of a for or while loop is refused.",
    bad="""for i in range(3):
    x = x + i
else:
    x = x * 10
return x""",
    good="""for i in range(3):
    x = x + i
return x * 10""",
    lax=REFUSED,
    find=_find_loop_else,
)
