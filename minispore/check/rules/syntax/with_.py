"""Report ``with`` statements on objects that are not of a ``jit_class``, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_with_statement(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``with`` statements whose context manager is not an object of a jit_class.

    MindSpore supports a jit_class as a context manager and refuses others in LAX and STRICT.
    """
    for statement in function.walk(ast.With):
        for item in statement.items:
            manager = function.resolve_value(item.context_expr)
            if not hasattr(type(manager), "__ms_class__"):
                yield item.context_expr


RULE = Rule(
    name="with",
    says="A with statement is refused unless its context manager is an object of a jit_class.",
    bad="""with self.manager as k:
    y = x * k
return y""",
    good="return x * self.k",
    lax=REFUSED,
    around=make_construct_template(
        "self.manager, self.k = contextlib.nullcontext(2), 2", head="import contextlib"
    ),
    find=_find_with_statement,
)
