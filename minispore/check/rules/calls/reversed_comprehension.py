"""Report comprehensions over ``reversed`` tensors, which give different shapes in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.calls.numpy_of_tensor import holds_tensor
from minispore.check.source import TracedFunction, get_called_name


def _find_comprehension_over_reversal(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find comprehensions over ``reversed(...)`` of a sequence of tensors.

    Python makes the reversed object while the graph is compiled; LAX treats its items as scalars,
    and STRICT refuses it.
    """
    for comprehension in function.walk(ast.ListComp, ast.GeneratorExp, ast.DictComp):
        calls = (n for n in ast.walk(comprehension.generators[0].iter) if isinstance(n, ast.Call))
        for call in calls:
            is_reversal = get_called_name(call) == "reversed"
            if is_reversal and any(holds_tensor(function, a) for a in call.args):
                yield comprehension


RULE = Rule(
    name="reversed-comprehension",
    says="A comprehension over reversed tensors yields scalars under LAX and is refused under "
    "STRICT. Use the slice [::-1].",
    bad="r = [v * 2 for v in reversed([x, x])]\nreturn r[0]",
    good="r = [v * 2 for v in [x, x][::-1]]\nreturn r[0]",
    lax=OTHER,
    find=_find_comprehension_over_reversal,
)
