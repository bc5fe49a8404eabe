"""reversed goes over constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Found, Rule
from minispore.check.rules.calls.numpy_of_tensor import holds_tensor
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("reversed"):
        if isinstance(call.func, ast.Name) and call.args:
            named = [n for n in ast.walk(call.args[0]) if isinstance(n, ast.Name)]
            if any(holds_tensor(function, n) for n in named):
                yield call


RULE = Rule(
    name="reversed",
    says="Under STRICT reversed is refused of what a tensor tells: its shape, a list of tensors.",
    bad="""for k in reversed(range(x.shape[0])):
    x = x * 2 + k
return x""",
    good="""for k in range(x.shape[0] - 1, -1, -1):
    x = x * 2 + k
return x""",
    find=_find,
)
