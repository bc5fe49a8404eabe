"""asnumpy cuts the gradient to zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    if function.derived:
        for call in function.calls("asnumpy", "numpy", "tolist"):
            if isinstance(call.func, ast.Attribute) and function.kind(call.func.value) == "tensor":
                yield call


RULE = Rule(
    name="gradient-cut",
    says="Inside of a gradient asnumpy gives zeros back; PYNATIVE_MODE raises or differentiates "
    "the rest.",
    bad="return (x * Tensor(x.asnumpy())).sum()",
    good="return (x * ops.stop_gradient(x)).sum()",
    lax=OTHER,
    strict=OTHER,
    around=construct(run="ms.grad(Net())(Tensor([1.0, 2.0]))"),
    find=_find,
)
