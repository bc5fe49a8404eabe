"""locals, globals and their kin are refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("locals", "globals", "iter", "next"):
        if isinstance(call.func, ast.Name):
            yield call


RULE = Rule(
    name="namespace",
    says="locals(), globals(), iter() and next() are refused.",
    bad="""k = 3
return x * locals()["k"]""",
    good="""k = 3
return x * k""",
    lax=REFUSED,
    find=_find,
)
