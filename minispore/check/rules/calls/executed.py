"""exec is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("exec"):
        if isinstance(call.func, ast.Name):
            yield call


RULE = Rule(
    name="exec",
    says="Under STRICT exec is refused.",
    bad="""exec("a = 1")
return x""",
    good="return x",
    find=_find,
)
