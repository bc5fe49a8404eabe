"""Report ``async`` functions, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_async_function(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find a function that is a coroutine; a graph can't be suspended, so MindSpore refuses it."""
    if isinstance(function.node, ast.AsyncFunctionDef):
        yield function.node


RULE = Rule(
    name="async",
    says="An async construct is refused.",
    bad="""async def construct(self, x):
    return x * 2""",
    good="""def construct(self, x):
    return x * 2""",
    lax=REFUSED,
    around="""class Net(nn.Cell):
    LINES


result = Net()(Tensor([1.0]))
if hasattr(result, "close"):
    result.close()
""",
    find=_find_async_function,
)
