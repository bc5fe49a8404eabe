"""bprop must return a tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    if getattr(function.node, "name", "") == "bprop":
        for made in function.walk(ast.Return):
            if (
                made.value is not None and function.kind(made.value) not in ("tuple", "unknown")
            ) or isinstance(made.value, ast.BinOp):
                yield made


RULE = Rule(
    name="bprop",
    says="A bprop that returns a bare tensor is refused.",
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
    find=_find,
)
