"""Report ``reversed`` of something that depends on a tensor, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.rules.calls.numpy_of_tensor import holds_tensor
from minispore.check.source import TracedFunction


def _find_reversed_of_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``reversed`` whose argument names a tensor or a sequence of tensors.

    Under STRICT MindSpore reverses only constants and refuses the call, also for a tensor's shape.
    """
    for call in function.find_calls("reversed"):
        if isinstance(call.func, ast.Name) and call.args:
            names = [n for n in ast.walk(call.args[0]) if isinstance(n, ast.Name)]
            if any(holds_tensor(function, n) for n in names):
                yield call


RULE = Rule(
    name="reversed",
    says="Under STRICT reversed is refused for anything that depends on a tensor, such as its "
    "shape or a list of tensors.",
    bad="""for k in reversed(range(x.shape[0])):
    x = x * 2 + k
return x""",
    good="""for k in range(x.shape[0] - 1, -1, -1):
    x = x * 2 + k
return x""",
    find=_find_reversed_of_tensor,
)
