"""An import inside of construct is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.Import, ast.ImportFrom)


RULE = Rule(
    name="import-inside",
    says="An import inside of construct is refused.",
    bad="""from math import pi
return x * pi""",
    good="return x * 3.141592653589793",
    lax=REFUSED,
    find=_find,
)
