"""copy, remove and sort of a list are refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("copy", "remove", "sort"):
        if isinstance(call.func, ast.Attribute) and function.kind(call.func.value) == "list":
            yield call


RULE = Rule(
    name="list-method",
    says="Under STRICT copy, remove and sort of a list are refused.",
    bad="""r = [3, 1]
c = r.copy()
return x * c[0]""",
    good="""r = [3, 1]
return x * r[0]""",
    find=_find,
)
