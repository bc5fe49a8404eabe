"""Report lambdas in comprehensions that read the loop variable, which graphs bind early."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_lambda_over_loop_variable(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find lambdas that are made in a comprehension and read its variable.

    In Python all of them read the last value. In a graph each keeps the value of its own iteration.
    """
    for comprehension in function.walk(ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp):
        variables = {
            n.id
            for generator in comprehension.generators
            for n in ast.walk(generator.target)
            if isinstance(n, ast.Name)
        }
        for inner in ast.walk(comprehension):
            if isinstance(inner, ast.Lambda):
                arguments = {a.arg for a in ast.walk(inner.args) if isinstance(a, ast.arg)}
                names = {n.id for n in ast.walk(inner.body) if isinstance(n, ast.Name)}
                if names & variables - arguments:
                    yield inner


RULE = Rule(
    name="lambda-in-loop",
    says="In a graph each lambda made in a comprehension keeps the loop variable of its own "
    "iteration. In Python all of them read the last value.",
    bad="""fs = [lambda a: a * k for k in range(3)]
first = fs[0]
return first(x)""",
    good="""fs = [lambda a: a * 2, lambda a: a * 2]
first = fs[0]
return first(x)""",
    lax=OTHER,
    strict=OTHER,
    find=_find_lambda_over_loop_variable,
)
