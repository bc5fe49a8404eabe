"""Report ``copy``, ``remove`` and ``sort`` of a list, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_unsupported_list_method(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``copy``, ``remove`` and ``sort`` of a list.

    Lists have no such methods in MindSpore's STRICT graphs, which refuse them.
    """
    for call in function.find_calls("copy", "remove", "sort"):
        if isinstance(call.func, ast.Attribute) and function.infer_kind(call.func.value) == "list":
            yield call


RULE = Rule(
    name="list-method",
    says="Under STRICT copy, remove and sort of a list are refused.",
    bad="""r = [3, 1]
c = r.copy()
return x * c[0]""",
    good="""r = [3, 1]
return x * r[0]""",
    find=_find_unsupported_list_method,
)
