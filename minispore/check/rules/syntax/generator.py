"""yield and await are refused: construct returns once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


RULE = Rule(
    name="generator",
    says="yield and await are refused: construct returns once.",
    bad="yield x",
    good="return (x,)",
    lax=REFUSED,
    find=_find,
)
