"""Report calls that take a tensor's values out of a graph, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction

HOST_READS = ("asnumpy", "numpy", "tolist")  # Python runs these, and dependent code, at each call


def _find_asnumpy_call(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``asnumpy``, ``numpy`` and ``tolist`` on a tensor or an unknown object.

    A tensor has no values while a graph is compiled, so MindSpore refuses the calls under STRICT;
    LAX leaves them to Python.
    """
    for call in function.find_calls(*HOST_READS):
        if not isinstance(call.func, ast.Attribute) or call.args:
            continue
        if function.infer_kind(call.func.value) in ("tensor", "parameter", "unknown"):
            yield call


RULE = Rule(
    name="asnumpy",
    says="Under STRICT asnumpy, numpy and tolist are refused. LAX allows them, but no gradient "
    "passes through: it is zero.",
    bad="return x * float(x.asnumpy().sum())",
    good="return x * x.sum()",
    find=_find_asnumpy_call,
)
