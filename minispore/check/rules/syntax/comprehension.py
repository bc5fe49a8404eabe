"""Report comprehensions with two loops or with a number as the condition, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_unsupported_comprehension(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find comprehensions with several ``for``, or whose ``if`` is an arithmetic expression.

    MindSpore's parser supports one loop and conditions that are a bool, and refuses others in LAX
    and STRICT.
    """
    for comprehension in function.walk(ast.ListComp, ast.GeneratorExp, ast.DictComp):
        tests = [test for generator in comprehension.generators for test in generator.ifs]
        if len(comprehension.generators) > 1 or any(isinstance(test, ast.BinOp) for test in tests):
            yield comprehension


RULE = Rule(
    name="comprehension",
    says="A comprehension with two for, or whose if asks a number and no bool, is refused.",
    bad="return ops.stack([x * (a + b) for a in range(2) for b in range(2)])",
    good="return ops.stack([x * k for k in (0, 1, 1, 2)])",
    lax=REFUSED,
    find=_find_unsupported_comprehension,
)
