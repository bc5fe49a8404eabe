"""Report ``enumerate`` of ``reversed`` tensors, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.rules.calls.numpy_of_tensor import holds_tensor
from minispore.check.source import TracedFunction, get_called_name


def _find_enumerated_reversal(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``enumerate(reversed(...))`` of a sequence of tensors.

    Python makes the reversed object while the graph is compiled, and it has no length, so MindSpore
    refuses the call in LAX and STRICT.
    """
    for call in function.find_calls("enumerate"):
        inner = call.args[0] if call.args else call
        is_reversal = isinstance(inner, ast.Call) and get_called_name(inner) == "reversed"
        arguments = inner.args if isinstance(inner, ast.Call) else []
        if is_reversal and any(holds_tensor(function, a) for a in arguments):
            yield call


RULE = Rule(
    name="enumerate-reversed",
    says="enumerate of a reversed list or tuple of tensors is refused. Reverse it with the slice "
    "[::-1].",
    bad="""a = (x, x + 1)
for i, v in enumerate(reversed(a)):
    x = x + i * v
return x""",
    good="""a = (x, x + 1)
for i, v in enumerate(a[::-1]):
    x = x + i * v
return x""",
    lax=REFUSED,
    find=_find_enumerated_reversal,
)
