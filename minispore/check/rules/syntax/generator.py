"""Report ``yield`` and ``await``, which graphs refuse because ``construct`` returns once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_yield_or_await(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``yield``, ``await``, ``async for`` and ``async with``.

    A graph returns once and can't be suspended, so MindSpore refuses them in LAX and STRICT.
    """
    yield from function.walk(ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


RULE = Rule(
    name="generator",
    says="yield, await, async for and async with are refused: construct returns once.",
    bad="yield x",
    good="return (x,)",
    lax=REFUSED,
    find=_find_yield_or_await,
)
