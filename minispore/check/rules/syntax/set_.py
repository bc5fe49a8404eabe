"""Report set literals and set comprehensions, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_set(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find set literals and set comprehensions.

    MindSpore's parser does not support sets and refuses them in LAX and STRICT.
    """
    yield from function.walk(ast.Set, ast.SetComp)


RULE = Rule(
    name="set",
    says="A set literal or set comprehension is refused.",
    bad="""s = {1, 2}
return x * len(s)""",
    good="""s = (1, 2)
return x * len(s)""",
    lax=REFUSED,
    find=_find_set,
)
