"""Report inner functions that capture a variable before it is bound, which graphs refuse."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.rules.syntax.closure import (
    find_captured_variables,
    find_change_lines,
    find_inner_functions,
)
from minispore.check.source import TracedFunction


def _find_early_capture(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find inner functions that capture a variable that is bound only after their definition.

    A graph captures variables at the definition, where this variable does not exist yet, so
    MindSpore refuses it in LAX and STRICT.
    """
    for inner, _ in find_inner_functions(function):
        for variable in sorted(find_captured_variables(function, inner)):
            change_lines = find_change_lines(function, variable, inner)
            definition_line = getattr(inner, "lineno", 0)
            if (
                variable not in function.arguments
                and change_lines
                and min(change_lines) > definition_line
            ):
                yield inner, variable


RULE = Rule(
    name="closure-early",
    says="A function or lambda defined in construct is refused if it reads a variable that is "
    "bound only later.",
    bad="""def f(a):
    return a * k
k = 5
return f(x)""",
    good="""k = 5
def f(a):
    return a * k
return f(x)""",
    lax=REFUSED,
    find=_find_early_capture,
)
