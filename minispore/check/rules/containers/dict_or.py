"""Report unions of dicts with ``|``, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_dict_union(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find unions of dicts with the operator ``|``.

    MindSpore does not implement the operator for dicts and refuses it in LAX and STRICT.
    """
    for operation in function.walk(ast.BinOp):
        if isinstance(operation.op, ast.BitOr) and function.infer_kind(operation.left) == "dict":
            yield operation


RULE = Rule(
    name="dict-or",
    says="The union of two dicts with | is refused.",
    bad="""d = {"a": 1} | {"b": 2}
return x * len(d)""",
    good="""d = {"a": 1, "b": 2}
return x * len(d)""",
    lax=REFUSED,
    find=_find_dict_union,
)
