"""Report ``range`` of a tensor, which graphs refuse."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_range_of_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``range`` with a tensor, whose value is unknown while a graph is compiled, so
    MindSpore refuses them in LAX and STRICT.
    """
    for call in function.find_calls("range"):
        is_builtin = function.resolve_value(call.func) is range
        if is_builtin and any(function.infer_kind(a) == "tensor" for a in call.args):
            yield call


RULE = Rule(
    name="range-tensor",
    says="range with a tensor as a bound is refused. Use a while loop.",
    bad="""for k in range(x.sum().astype(ms.int32)):
    x = x + k
return x""",
    good="""k = Tensor(0)
while k < x.sum():
    k = k + 1
return x + k""",
    lax=REFUSED,
    find=_find_range_of_tensor,
)
