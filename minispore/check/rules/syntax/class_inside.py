"""Report classes that a function defines, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_class_definition(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find class definitions inside the function.

    MindSpore's parser does not support the ``class`` statement and refuses it in LAX and STRICT.
    """
    yield from function.walk(ast.ClassDef)


RULE = Rule(
    name="class-inside",
    says="A class definition inside construct is refused.",
    bad="""class A:
    k = 3
return x * A.k""",
    good="""k = 3
return x * k""",
    lax=REFUSED,
    find=_find_class_definition,
)
