"""Report ``max`` and ``min`` with a ``key``, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_max_with_key(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of the builtins ``max`` and ``min`` with a ``key``.

    MindSpore has its own implementations for graphs, which do not support a key, and refuses it in
    LAX and STRICT.
    """
    for call in function.find_calls("max", "min"):
        if isinstance(call.func, ast.Name) and any(k.arg == "key" for k in call.keywords):
            yield call


RULE = Rule(
    name="max-key",
    says="max and min with key= are refused.",
    bad="return x * max([1, -5], key=abs)",
    good="a, b = 1, -5\nreturn x * (a if abs(a) > abs(b) else b)",
    lax=REFUSED,
    find=_find_max_with_key,
)
