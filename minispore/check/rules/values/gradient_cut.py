"""Report calls that cut a gradient to zero in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.values.asnumpy import HOST_READS
from minispore.check.source import TracedFunction


def _find_gradient_cut(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``asnumpy``, ``numpy`` and ``tolist`` of a tensor in a function that is differentiated.

    In a graph, LAX or STRICT, no gradient passes through them; PYNATIVE_MODE raises an error or
    differentiates the rest.
    """
    if function.is_differentiated:
        for call in function.find_calls(*HOST_READS):
            if (
                isinstance(call.func, ast.Attribute)
                and function.infer_kind(call.func.value) == "tensor"
            ):
                yield call


RULE = Rule(
    name="gradient-cut",
    says="In a graph no gradient passes through asnumpy, numpy or tolist: it is zero. "
    "PYNATIVE_MODE raises an error or differentiates the rest.",
    bad="return (x * Tensor(x.asnumpy())).sum()",
    good="return (x * ops.stop_gradient(x)).sum()",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(run="ms.grad(Net())(Tensor([1.0, 2.0]))"),
    find=_find_gradient_cut,
)
