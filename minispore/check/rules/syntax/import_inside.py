"""Report imports inside a function, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_import(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find import statements inside the function.

    MindSpore's parser does not support the ``import`` statement and refuses it in LAX and STRICT.
    """
    yield from function.walk(ast.Import, ast.ImportFrom)


RULE = Rule(
    name="import-inside",
    says="An import inside construct is refused.",
    bad="""from math import pi
return x * pi""",
    good="return x * 3.141592653589793",
    lax=REFUSED,
    find=_find_import,
)
