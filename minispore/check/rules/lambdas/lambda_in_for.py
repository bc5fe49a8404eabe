"""Report lambdas in the body of a ``for``, with which graphs return None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_lambda_in_for(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``for`` statements of the function with a lambda in their body.

    MindSpore's parser ends the function with the first iteration of the loop, in LAX and STRICT.
    Comprehensions and ``while`` loops are not affected.
    """
    for loop in function.walk(ast.For):
        lambdas = (n for statement in loop.body for n in ast.walk(statement))
        inner = next((n for n in lambdas if isinstance(n, ast.Lambda)), None)
        if inner is not None:
            yield loop


RULE = Rule(
    name="lambda-in-for",
    says="A lambda in a for loop makes the function return None. Define it before the loop.",
    bad="""y = x
for i in range(2):
    y = y + sum(map(lambda a: a * 2, (x, x)))
return y""",
    good="""f = lambda a: a * 2
y = x
for i in range(2):
    y = y + sum(map(f, (x, x)))
return y""",
    lax=OTHER,
    strict=OTHER,
    find=_find_lambda_in_for,
)
