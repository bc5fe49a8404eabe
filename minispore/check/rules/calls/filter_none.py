"""Report ``filter`` with None in place of a function, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_filter_without_function(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of the builtin ``filter`` with None in place of a function.

    MindSpore's ``filter`` needs a function to compile, and refuses None in LAX and STRICT.
    """
    for call in function.find_calls("filter"):
        is_builtin_call = isinstance(call.func, ast.Name) and call.args
        if is_builtin_call and function.infer_kind(call.args[0]) == "none":
            yield call


RULE = Rule(
    name="filter-none",
    says="filter(None, ...) is refused.",
    bad="return x * len(list(filter(None, [0, 1, 2])))",
    good="return x * len([k for k in [0, 1, 2] if k != 0])",
    lax=REFUSED,
    find=_find_filter_without_function,
)
