"""print takes no sep and no end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("print"):
        if isinstance(call.func, ast.Name) and call.keywords:
            yield call


RULE = Rule(
    name="print-options",
    says="print with sep= or end= is refused; the text and each tensor stand on lines of their "
    "own.",
    bad="""print(x, sep="|")
return x""",
    good="""print(x)
return x""",
    lax=REFUSED,
    find=_find,
)
