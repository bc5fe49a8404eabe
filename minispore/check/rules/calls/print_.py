"""Report ``print`` with ``sep`` or ``end``, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_print_options(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``print`` with keyword arguments, such as ``sep`` and ``end``.

    In a graph ``print`` is an operator that writes each argument on its own line; MindSpore
    refuses the options in LAX and STRICT.
    """
    for call in function.find_calls("print"):
        if isinstance(call.func, ast.Name) and call.keywords:
            yield call


RULE = Rule(
    name="print-options",
    says="print with sep= or end= is refused. In a graph print writes texts and tensors on "
    "separate lines.",
    bad="""print(x, sep="|")
return x""",
    good="""print(x)
return x""",
    lax=REFUSED,
    find=_find_print_options,
)
