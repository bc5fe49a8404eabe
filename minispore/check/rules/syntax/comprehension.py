"""A comprehension of two loops is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.ListComp, ast.GeneratorExp, ast.DictComp):
        tests = [test for part in made.generators for test in part.ifs]
        if len(made.generators) > 1 or any(isinstance(test, ast.BinOp) for test in tests):
            yield made


RULE = Rule(
    name="comprehension",
    says="A comprehension with two for, or whose if asks a number and no bool, is refused.",
    bad="return ops.stack([x * (a + b) for a in range(2) for b in range(2)])",
    good="return ops.stack([x * k for k in (0, 1, 1, 2)])",
    lax=REFUSED,
    find=_find,
)
