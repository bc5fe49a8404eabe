"""Report ``pop``, ``popitem`` and ``setdefault`` of a dict, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_unsupported_dict_method(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``pop``, ``popitem`` and ``setdefault`` of a dict.

    Dicts have no such methods in MindSpore's graphs, which refuse them in LAX and STRICT.
    """
    for call in function.find_calls("pop", "popitem", "setdefault"):
        if isinstance(call.func, ast.Attribute) and function.infer_kind(call.func.value) == "dict":
            yield call


RULE = Rule(
    name="dict-method",
    says="pop, popitem and setdefault of a dict are refused.",
    bad="""d = {"a": 2, "b": 3}
k = d.pop("a")
return x * k""",
    good="""d = {"a": 2, "b": 3}
k = d["a"]
return x * k""",
    lax=REFUSED,
    find=_find_unsupported_dict_method,
)
