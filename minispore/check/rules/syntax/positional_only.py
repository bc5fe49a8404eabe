"""Report positional-only arguments, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_positional_only_argument(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find positional-only parameters of the function and of its inner functions.

    MindSpore's parser does not support parameters before a slash and refuses them in LAX and
    STRICT.
    """
    for definition in (function.node, *function.walk(ast.FunctionDef)):
        if definition.args.posonlyargs:
            yield definition.args.posonlyargs[0]


RULE = Rule(
    name="positional-only",
    says="Positional-only parameters, which precede a slash, are refused.",
    bad="""def f(a, /):
    return a
return f(x)""",
    good="""def f(a):
    return a
return f(x)""",
    lax=REFUSED,
    find=_find_positional_only_argument,
)
