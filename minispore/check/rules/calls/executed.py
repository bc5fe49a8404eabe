"""Report calls of ``exec``, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_exec_call(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of the builtin ``exec``.

    MindSpore compiles the source of the function, which does not contain the executed text, so it
    refuses the call under STRICT.
    """
    for call in function.find_calls("exec"):
        if isinstance(call.func, ast.Name):
            yield call


RULE = Rule(
    name="exec",
    says="Under STRICT exec is refused.",
    bad="""exec("a = 1")
return x""",
    good="return x",
    find=_find_exec_call,
)
