"""Report ``bprop`` methods that do not return a tuple, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_bprop_without_tuple(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``bprop`` methods that return something other than a tuple.

    MindSpore expects a tuple with one gradient per input and refuses other results in LAX and
    STRICT.
    """
    if getattr(function.node, "name", "") == "bprop":
        for statement in function.walk(ast.Return):
            if (
                statement.value is not None
                and function.infer_kind(statement.value) not in ("tuple", "unknown")
            ) or isinstance(statement.value, ast.BinOp):
                yield statement


RULE = Rule(
    name="bprop",
    says="A bprop that returns a bare tensor is refused. Return a tuple with one gradient per "
    "input.",
    bad="return dout * 2",
    good="return (dout * 2,)",
    lax=REFUSED,
    around="""class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        LINES


ms.grad(Net())(Tensor([1.0]))
""",
    find=_find_bprop_without_tuple,
)
